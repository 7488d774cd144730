// Mouse, touch, keys, buttons and sliders.

import * as units from "./units.js";

const KEYS = { l: "look", p: "pour", w: "wipe", c: "carve", r: "raise" };

const element = (id) => document.getElementById(id);

/** A slider for numbers between two limits, optionally on a logarithmic scale. */
class Slider {
  constructor(id, { least, most, logarithmic, describe, onChange }) {
    Object.assign(this, { least, most, logarithmic, describe });
    this.input = element(id);
    this.output = element(`${id}-value`);
    this.input.addEventListener("input", () => {
      if (this.input.matches(":disabled")) return;
      this.show();
      onChange?.(this.value);
    });
  }

  get value() {
    const part = Number(this.input.value) / Number(this.input.max);
    if (!this.logarithmic) return this.least + part * (this.most - this.least);
    return this.least * (this.most / this.least) ** part;
  }

  set value(value) {
    const part = this.logarithmic
      ? Math.log(Math.max(value, this.least) / this.least) / Math.log(this.most / this.least)
      : (value - this.least) / (this.most - this.least);
    this.input.value = String(Math.round(Math.min(1, Math.max(0, part)) * Number(this.input.max)));
    this.show(value);
  }

  show(value = this.value) {
    const text = this.describe(value);
    this.output.textContent = text;
    this.input.setAttribute("aria-valuetext", text);
  }
}

export class Controls {
  /** `order` sends something to do once. */
  constructor(canvas, camera, order) {
    Object.assign(this, { canvas, camera, order });
    this.tool = "pour";
    this.isPaused = false;
    this.pointers = new Map();
    // Where the tool is held, and where it was last held since the last message to the server.
    this.brush = null;
    this.touched = null;
    this.extent = 1;
    this.isKnown = false;
    this.connectSliders();
    this.connectButtons();
    this.connectPointers();
    canvas.addEventListener("keydown", (event) => this.pressed(event));
    canvas.addEventListener("keyup", (event) => event.key === " " && (this.brush = null));
    canvas.addEventListener("blur", () => (this.brush = null));
    document.addEventListener("keydown", (event) => this.shortcut(event));
  }

  connectSliders() {
    const { order } = this;
    this.viscosity = new Slider("viscosity", {
      least: 1e-7, most: 0.4, logarithmic: true, describe: units.viscosity,
      onChange: (value) => order({ viscosity: value }),
    });
    this.contactAngle = new Slider("contact-angle", {
      least: 0, most: 180, describe: units.angle,
      onChange: (value) => order({ "contact-angle": value }),
    });
    this.sourceRate = new Slider("source-rate", {
      least: 0, most: 1, describe: units.rate,
      onChange: (value) => order({ "source-rate": value }),
    });
    this.pourRate = new Slider("pour-rate", {
      least: 1e-8, most: 1e-4, logarithmic: true, describe: units.rate,
    });
    this.radius = new Slider("radius", {
      least: 1e-3, most: 1, logarithmic: true, describe: units.distance,
    });
  }

  connectButtons() {
    for (const button of document.querySelectorAll("[data-tool]")) {
      button.addEventListener("click", () => this.choose(button.dataset.tool));
    }
    element("pause").addEventListener("click", () => this.order(this.isPaused ? "resume" : "pause"));
    element("step").addEventListener("click", () => this.order("step"));
    element("reset").addEventListener("click", () => this.order("reset"));
    this.choose(this.tool);
  }

  choose(tool) {
    this.tool = tool;
    this.touched = null;
    for (const button of document.querySelectorAll("[data-tool]")) {
      button.setAttribute("aria-pressed", String(button.dataset.tool === tool));
    }
    this.canvas.dataset.tool = tool;
  }

  connectPointers() {
    const { canvas } = this;
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("pointerdown", (event) => {
      canvas.focus();
      canvas.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, event);
      this.updateBrush(event);
    });
    canvas.addEventListener("pointermove", (event) => this.moved(event));
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) {
      canvas.addEventListener(name, (event) => {
        this.pointers.delete(event.pointerId);
        if (this.pointers.size === 0) this.brush = null;
      });
    }
    const turnWheel = (event) => {
      event.preventDefault();
      this.camera.zoom(Math.exp(0.001 * Math.max(-300, Math.min(300, event.deltaY))));
    };
    canvas.addEventListener("wheel", turnWheel, { passive: false });
  }

  /** Whether a drag turns the view instead of using the tool. */
  looks(event) {
    return this.tool === "look" || this.pointers.size > 1 || event.shiftKey || (event.buttons & 6) !== 0;
  }

  moved(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const height = this.canvas.clientHeight;
    const [right, down] = [event.clientX - before.clientX, event.clientY - before.clientY];
    if (this.pointers.size === 2) this.pinch(event, before);
    const share = 1 / this.pointers.size;
    if (this.looks(event)) {
      if (event.altKey) this.camera.pan(right / height, down / height);
      else this.camera.orbit((4 * share * right) / height, (4 * share * down) / height);
    }
    this.pointers.set(event.pointerId, event);
    this.updateBrush(event);
  }

  /** Two fingers: their distance zooms. */
  pinch(event, before) {
    const [other] = [...this.pointers.values()].filter((held) => held.pointerId !== event.pointerId);
    const apart = (held) => Math.hypot(held.clientX - other.clientX, held.clientY - other.clientY);
    this.camera.zoom(Math.max(apart(before), 1) / Math.max(apart(event), 1));
  }

  updateBrush(event) {
    const box = this.canvas.getBoundingClientRect();
    const right = (2 * (event.clientX - box.left)) / box.width - 1;
    const up = 1 - (2 * (event.clientY - box.top)) / box.height;
    this.hold(this.looks(event) ? null : { right, up });
  }

  /** Holds the tool at a point. Null means that the drag turns the view, and was not a touch after all. */
  hold(brush) {
    this.brush = brush;
    this.touched = brush;
  }

  /** Keys for the picture. */
  pressed(event) {
    const turns = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (event.key in turns) {
      const [right, down] = turns[event.key];
      if (event.shiftKey) this.camera.pan(0.03 * right, 0.03 * down);
      else this.camera.orbit(0.08 * right, 0.08 * down);
    } else if (event.key === "+" || event.key === "=") this.camera.zoom(0.9);
    else if (event.key === "-") this.camera.zoom(1 / 0.9);
    else if (event.key === " ") this.hold(this.tool === "look" ? null : { right: 0, up: 0 });
    else return;
    event.preventDefault();
  }

  /** Keys for the whole page. */
  shortcut(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
    const key = event.key.toLowerCase();
    if (key in KEYS) this.choose(KEYS[key]);
    else if (key === "k") this.order(this.isPaused ? "resume" : "pause");
    else if (key === "n") this.order("step");
    else if (key === "backspace") this.order("reset");
  }

  /** Limits that suit a scene. */
  setScene(head, sources) {
    const extent = Math.max(head.size[0], head.size[2]);
    this.extent = extent;
    for (const group of document.querySelectorAll("fieldset")) group.disabled = false;
    Object.assign(this.pourRate, { least: 1e-5 * extent ** 3, most: 1e-1 * extent ** 3 });
    this.pourRate.value = 1e-3 * extent ** 3;
    Object.assign(this.radius, { least: head.cell, most: 0.1 * extent });
    this.radius.value = 0.022 * extent;
    this.sourceRate.most = 4 * Math.max(sources, 1e-12);
    this.sourceRate.input.disabled = sources === 0;
  }

  /** The state of the server; sliders adopt it once, then they set it. */
  setState(head) {
    if (!this.isKnown) {
      this.viscosity.value = head.viscosity;
      this.contactAngle.value = head["contact-angle"] ?? 90;
      if (head["contact-angle"] === null) this.contactAngle.output.textContent = "no meniscus yet";
      this.sourceRate.value = head["source-rate"];
      this.isKnown = true;
    }
    if (head.paused !== this.isPaused) {
      this.isPaused = head.paused;
      element("pause").setAttribute("aria-pressed", String(head.paused));
      element("pause").firstChild.textContent = head.paused ? "Resume " : "Pause ";
    }
  }

  /** What the hand does now, or did since it was last asked: a touch between two pictures counts too. */
  hand() {
    const brush = this.brush ?? this.touched;
    this.touched = null;
    if (!brush || this.tool === "look") return null;
    const { right, up } = brush;
    const { from, toward } = this.camera.ray(right, up, this.canvas.clientWidth / this.canvas.clientHeight);
    const rates = {
      pour: this.pourRate.value,
      wipe: 3 * this.pourRate.value,
      carve: 0.08 * this.extent,
      raise: 0.08 * this.extent,
    };
    return { tool: this.tool, from, toward, radius: this.radius.value, rate: rates[this.tool] };
  }
}
