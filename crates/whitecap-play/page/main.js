// The page: connects the server, the controls and the view.

import { Camera } from "./camera.js";
import { Controls } from "./controls.js";
import { Stream } from "./stream.js";
import * as units from "./units.js";
import { LIQUIDS, View } from "./view.js";

const STATES = {
  connected: "",
  lost: "The connection was lost. Is whitecap play still running?",
  refused: "The server refused this page. Open the address that whitecap play printed.",
};

const element = (id) => document.getElementById(id);

function say(sentence) {
  element("message").textContent = sentence;
  element("message").hidden = sentence === "";
}

/** What the server measured, in words. */
function showFigures(head, framesPerSecond) {
  element("volume").textContent = units.volume(head.volume);
  element("volume").dataset.value = head.volume;
  element("time").textContent = `${head.time.toFixed(2)} s`;
  element("time").dataset.value = head.time;
  const { simulation, surface, meniscus } = head.milliseconds;
  element("frame-time").textContent = `${(simulation + surface + meniscus).toFixed(1)} ms`;
  element("frame-parts").textContent =
    `simulation ${simulation.toFixed(1)}, surface ${surface.toFixed(1)}, meniscus ${meniscus.toFixed(1)}`;
  element("pictures").textContent = `${framesPerSecond.toFixed(0)} per second`;
}

async function start() {
  const canvas = element("view");
  const view = await View.create(canvas);
  const camera = new Camera();
  let terrain = null;
  let state = null;
  // Mean time between pictures in milliseconds.
  let interval = 16;
  const receive = (packet) => {
    if (packet.head.kind === "terrain") {
      view.setTerrain(packet);
      if (!terrain) camera.frame(packet.head.low, packet.head.size);
      if (!terrain) element("scene").textContent = packet.head.name;
      terrain = packet.head;
    } else {
      view.liquid.update(packet);
      if (!state) controls.setScene(terrain, packet.head["source-rate"]);
      state = packet.head;
      controls.setState(state);
      showFigures(state, 1000 / Math.max(interval, 1));
    }
  };
  const stream = new Stream(location.hash.slice(1), receive, (word) => say(STATES[word]));
  const controls = new Controls(canvas, camera, (order) => stream.order(order));
  element("liquid").addEventListener("change", (event) => (view.look = LIQUIDS[event.target.value]));

  let before = performance.now();
  const frame = (now) => {
    interval += 0.1 * (now - before - interval);
    before = now;
    if (stream.isReady) stream.ask(camera.eye(), controls.hand());
    view.draw(camera);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

start().catch((error) => say(`The view cannot be shown: ${error.message}.`));
