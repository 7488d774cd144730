// Vectors of three and matrices of sixteen numbers, column after column.

export const add = (a, b) => a.map((value, axis) => value + b[axis]);
export const subtract = (a, b) => a.map((value, axis) => value - b[axis]);
export const scale = (a, factor) => a.map((value) => value * factor);
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const length = (a) => Math.sqrt(dot(a, a));
export const normalize = (a) => scale(a, 1 / Math.max(length(a), 1e-20));
export const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

export function multiply(a, b) {
  const product = new Float32Array(16);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + row] * b[4 * column + k];
      product[4 * column + row] = sum;
    }
  }
  return product;
}

/** The axes of a viewer at `eye` who looks at `target`: right, up, and backwards. */
export function axes(eye, target) {
  const back = normalize(subtract(eye, target));
  const right = normalize(cross([0, 1, 0], back));
  return { right, up: cross(back, right), back };
}

export function lookAt(eye, target) {
  const { right, up, back } = axes(eye, target);
  return new Float32Array([
    right[0], up[0], back[0], 0,
    right[1], up[1], back[1], 0,
    right[2], up[2], back[2], 0,
    -dot(right, eye), -dot(up, eye), -dot(back, eye), 1,
  ]);
}

export function perspective(fieldOfView, aspect, near, far) {
  const focal = 1 / Math.tan(fieldOfView / 2);
  return new Float32Array([
    focal / aspect, 0, 0, 0,
    0, focal, 0, 0,
    0, 0, (far + near) / (near - far), -1,
    0, 0, (2 * far * near) / (near - far), 0,
  ]);
}

/** Parallel rays through a ball around the origin of the view, which looks along -z. */
export function orthographic(radius, near, far) {
  return new Float32Array([
    1 / radius, 0, 0, 0,
    0, 1 / radius, 0, 0,
    0, 0, 2 / (near - far), 0,
    0, 0, (far + near) / (near - far), 1,
  ]);
}
