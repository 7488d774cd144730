// Draws terrain and liquid: a shadow map when the terrain changes, the terrain, then the liquid over a
// copy of it.

import { add, length, lookAt, multiply, normalize, orthographic, scale } from "./matrix.js";
import { Mesh } from "./mesh.js";

const SHADOW_SIZE = 2048;
const SUN = normalize([-0.55, 0.62, -0.35]);
const BACKGROUND = [0.086, 0.105, 0.129];

/** Colours of liquids: what a depth that counts as opaque absorbs, and what it scatters. */
export const LIQUIDS = {
  water: { absorbed: [3.4, 1.35, 0.95], scattered: [0.02, 0.17, 0.24] },
  blood: { absorbed: [2.2, 14, 14], scattered: [0.3, 0.006, 0.008] },
  milk: { absorbed: [5, 5.2, 5.6], scattered: [0.85, 0.82, 0.74] },
  ink: { absorbed: [9, 7, 3.5], scattered: [0.012, 0.02, 0.09] },
};

async function load(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path} could not be loaded`);
  return answer.text();
}

function compile(gl, kind, source) {
  const shader = gl.createShader(kind);
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
  return shader;
}

class Program {
  constructor(gl, vertexSource, fragmentSource) {
    this.gl = gl;
    this.program = gl.createProgram();
    gl.attachShader(this.program, compile(gl, gl.VERTEX_SHADER, vertexSource));
    gl.attachShader(this.program, compile(gl, gl.FRAGMENT_SHADER, fragmentSource));
    gl.linkProgram(this.program);
    if (!gl.getProgramParameter(this.program, gl.LINK_STATUS)) {
      throw new Error(gl.getProgramInfoLog(this.program));
    }
    this.places = new Map();
  }

  use() {
    this.gl.useProgram(this.program);
    return this;
  }

  /** Sets a number, a vector or a matrix; what the shader does not use is ignored. */
  set(name, value) {
    const gl = this.gl;
    if (!this.places.has(name)) this.places.set(name, gl.getUniformLocation(this.program, name));
    const place = this.places.get(name);
    if (typeof value === "number") gl.uniform1f(place, value);
    else if (value.length === 3) gl.uniform3fv(place, value);
    else gl.uniformMatrix4fv(place, false, value);
    return this;
  }

  texture(name, unit, target, texture) {
    const gl = this.gl;
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(target, texture);
    gl.uniform1i(gl.getUniformLocation(this.program, name), unit);
    return this;
  }
}

export class View {
  static async create(canvas) {
    const options = { antialias: false, alpha: false, powerPreference: "high-performance" };
    const gl = canvas.getContext("webgl2", options);
    if (!gl) throw new Error("this browser has no WebGL 2");
    const [mesh, light, shadow, terrain, liquid, dropVertex, dropFragment] = await Promise.all([
      load("/shaders/mesh.vert"),
      load("/shaders/light.glsl"),
      load("/shaders/shadow.frag"),
      load("/shaders/terrain.frag"),
      load("/shaders/liquid.frag"),
      load("/shaders/drops.vert"),
      load("/shaders/drops.frag"),
    ]);
    return new View(canvas, gl, {
      shadow: new Program(gl, mesh, shadow),
      terrain: new Program(gl, mesh, light + terrain),
      liquid: new Program(gl, mesh, light + liquid),
      drops: new Program(gl, dropVertex, light + dropFragment),
    });
  }

  constructor(canvas, gl, programs) {
    this.canvas = canvas;
    this.gl = gl;
    this.programs = programs;
    this.terrain = new Mesh(gl);
    this.liquid = new Mesh(gl);
    this.look = LIQUIDS.water;
    this.size = [0, 0];
    this.makeShadowMap();
  }

  makeShadowMap() {
    const gl = this.gl;
    this.shadowMap = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.shadowMap);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    this.shadowTarget = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowTarget);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadowMap, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  /** Targets as large as the canvas is on the screen. */
  resize() {
    const gl = this.gl;
    const density = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.max(1, Math.round(this.canvas.clientWidth * density));
    const height = Math.max(1, Math.round(this.canvas.clientHeight * density));
    if (width === this.size[0] && height === this.size[1]) return;
    this.size = [width, height];
    [this.canvas.width, this.canvas.height] = this.size;
    for (const old of [this.color, this.depth]) if (old) gl.deleteRenderbuffer(old);
    for (const old of [this.target, this.copyTarget]) if (old) gl.deleteFramebuffer(old);
    if (this.copy) gl.deleteTexture(this.copy);
    const samples = Math.min(4, gl.getParameter(gl.MAX_SAMPLES));
    this.target = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    this.color = this.attach(gl.COLOR_ATTACHMENT0, gl.RGBA8, samples);
    this.depth = this.attach(gl.DEPTH_ATTACHMENT, gl.DEPTH_COMPONENT24, samples);
    this.copy = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.copy);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA8, width, height);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    this.copyTarget = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.copyTarget);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, this.copy, 0);
  }

  attach(place, format, samples) {
    const gl = this.gl;
    const buffer = gl.createRenderbuffer();
    gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
    gl.renderbufferStorageMultisample(gl.RENDERBUFFER, samples, format, ...this.size);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, buffer);
    return buffer;
  }

  setTerrain(packet) {
    const gl = this.gl;
    this.terrain.update(packet);
    const { low, size } = packet.head;
    const center = add(low, scale(size, 0.5));
    const radius = length(size) / 2;
    const light = lookAt(add(center, scale(SUN, 2 * radius)), center);
    this.shadowCamera = multiply(orthographic(radius, radius, 3 * radius), light);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowTarget);
    gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
    gl.enable(gl.DEPTH_TEST);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.programs.shadow.use().set("camera", this.shadowCamera).set("low", low).set("size", size);
    this.terrain.draw();
  }

  draw(camera) {
    const gl = this.gl;
    this.resize();
    const [width, height] = this.size;
    const matrix = camera.matrix(width / height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.viewport(0, 0, width, height);
    gl.clearColor(...BACKGROUND, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    if (this.terrain.head) {
      gl.enable(gl.DEPTH_TEST);
      const { low, size, cell } = this.terrain.head;
      this.light(this.programs.terrain, camera, matrix)
        .set("low", low)
        .set("size", size)
        .set("grain", 2.2 * cell)
        .set("contour", size[1] / 10);
      this.drawBothSides(this.terrain);
      if (this.liquid.head) this.drawLiquid(camera, matrix);
    }
    // First the samples of a pixel are resolved: the screen's format may differ.
    this.copyTo(this.copyTarget, this.target);
    this.copyTo(null, this.copyTarget);
  }

  /** Draws a mesh so that where two of its triangles coincide, the one that faces the eye is seen. */
  drawBothSides(mesh) {
    const gl = this.gl;
    gl.enable(gl.CULL_FACE);
    gl.cullFace(gl.FRONT);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(2, 2);
    mesh.draw();
    gl.disable(gl.POLYGON_OFFSET_FILL);
    gl.cullFace(gl.BACK);
    mesh.draw();
    gl.disable(gl.CULL_FACE);
  }

  drawLiquid(camera, matrix) {
    const gl = this.gl;
    this.copyTo(this.copyTarget, this.target);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    const { low, size, drops } = this.liquid.head;
    this.light(this.programs.liquid, camera, matrix)
      .texture("below", 1, gl.TEXTURE_2D, this.copy)
      .set("low", low)
      .set("size", size)
      .set("absorbed", this.look.absorbed)
      .set("scattered", this.look.scattered);
    this.liquid.draw();
    gl.disable(gl.BLEND);
    if (drops > 0) {
      this.light(this.programs.drops, camera, matrix)
        .set("low", low)
        .set("size", size)
        .set("pixels", camera.pixels(this.size[1]))
        .set("scattered", this.look.scattered);
      this.liquid.drawDrops();
    }
  }

  /** What all programs need to light things. */
  light(program, camera, matrix) {
    return program
      .use()
      .texture("shadowMap", 0, this.gl.TEXTURE_2D, this.shadowMap)
      .set("camera", matrix)
      .set("shadowCamera", this.shadowCamera)
      .set("sun", SUN)
      .set("eye", camera.eye());
  }

  /** Copies what was drawn from one target to another; none is the screen. */
  copyTo(target, source) {
    const gl = this.gl;
    const [width, height] = this.size;
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, source);
    gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, target);
    gl.blitFramebuffer(0, 0, width, height, 0, 0, width, height, gl.COLOR_BUFFER_BIT, gl.NEAREST);
  }
}
