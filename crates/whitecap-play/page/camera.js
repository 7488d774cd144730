// A camera that circles around a point.

import { add, axes, lookAt, multiply, normalize, perspective, scale } from "./matrix.js";

const FIELD_OF_VIEW = 0.6;

export class Camera {
  constructor() {
    this.target = [0, 0, 0];
    this.extent = 1;
    this.turn = 0.62;
    this.tilt = 0.72;
    this.distance = 2;
  }

  /** Points the camera at a box. */
  frame(low, size) {
    this.extent = Math.hypot(...size);
    this.target = [low[0] + size[0] / 2, low[1] + 0.22 * size[1], low[2] + size[2] / 2];
    this.distance = 1.48 * this.extent;
  }

  orbit(turn, tilt) {
    this.turn -= turn;
    this.tilt = Math.min(1.54, Math.max(0.05, this.tilt + tilt));
  }

  zoom(factor) {
    this.distance = Math.min(6 * this.extent, Math.max(0.05 * this.extent, this.distance * factor));
  }

  /** Moves the target parallel to the screen, in fractions of its height. */
  pan(right, up) {
    const view = axes(this.eye(), this.target);
    const reach = 2 * this.distance * Math.tan(FIELD_OF_VIEW / 2);
    this.target = add(this.target, add(scale(view.right, -right * reach), scale(view.up, up * reach)));
  }

  eye() {
    const flat = Math.cos(this.tilt);
    const away = [flat * Math.sin(this.turn), Math.sin(this.tilt), flat * Math.cos(this.turn)];
    return add(this.target, scale(away, this.distance));
  }

  matrix(aspect) {
    const near = 0.02 * this.distance;
    const far = this.distance + 3 * this.extent;
    return multiply(perspective(FIELD_OF_VIEW, aspect, near, far), lookAt(this.eye(), this.target));
  }

  /** Height in pixels of something of height one at distance one. */
  pixels(height) {
    return height / (2 * Math.tan(FIELD_OF_VIEW / 2));
  }

  /** The ray through a point on the screen, from -1 to 1 to the right and up. */
  ray(right, up, aspect) {
    const eye = this.eye();
    const view = axes(eye, this.target);
    const half = Math.tan(FIELD_OF_VIEW / 2);
    const sideways = add(scale(view.right, right * half * aspect), scale(view.up, up * half));
    return { from: eye, toward: normalize(add(sideways, scale(view.back, -1))) };
  }
}
