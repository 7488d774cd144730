#!/usr/bin/env python3
"""Rendering: the scenes of Morgenroth 2021, Tables 3.2 and 4.1, and a meshed liquid compared with Cycles.

    cargo build --release -p whitecap-render --example 7_published_scenes
    cargo build --release -p whitecap-cli
    bench/render.py published [--rounds 3]    seconds for every method, beside the published ones
    bench/render.py cycles FRAME [--rounds 3] paths per second compared with Blender Cycles (pip install bpy),
                                              for a frame of SPlisHSPlasH's dam break of 20 k particles

Two threads. Every figure is the median of the rounds; the methods alternate, so that a busy machine
slows all of them alike.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
SCENES = ["dam-20k", "dam-200k", "cup", "boat", "corridor"]
# Published seconds: Table 3.2 for the dam breaks, Table 4.1 (opaque) for the others.
PRINTED = {
    ("dam-20k", "mesh", "opaque"): 36, ("dam-20k", "mesh", "clear"): 39,
    ("dam-20k", "direct", "opaque"): 18, ("dam-20k", "direct", "clear"): 55,
    ("dam-20k", "blind", "opaque"): 18, ("dam-20k", "blind", "clear"): 55,
    ("dam-200k", "mesh", "opaque"): 166, ("dam-200k", "mesh", "clear"): 147,
    ("dam-200k", "direct", "opaque"): 121, ("dam-200k", "direct", "clear"): 378,
    ("dam-200k", "blind", "opaque"): 117, ("dam-200k", "blind", "clear"): 283,
    ("cup", "direct", "opaque"): 36, ("cup", "meniscus", "opaque"): 73, ("cup", "mesh", "opaque"): 26,
    ("boat", "direct", "opaque"): 186, ("boat", "meniscus", "opaque"): 186,
    ("boat", "mesh", "opaque"): 41,
    ("corridor", "direct", "opaque"): 77, ("corridor", "meniscus", "opaque"): 85,
    ("corridor", "mesh", "opaque"): 185,
}


def environment(threads):
    return dict(os.environ, RAYON_NUM_THREADS=str(threads))


def published(arguments):
    times = {}
    counts = {}
    for _ in range(arguments.rounds):
        for scene in SCENES:
            command = [TARGET / "examples" / "7_published_scenes", scene]
            done = subprocess.run(command, env=environment(arguments.threads), text=True,
                                  capture_output=True)
            if done.returncode != 0:
                sys.exit(f"{command[0]} {scene} failed:\n{done.stderr}")
            for line in done.stdout.splitlines():
                row = dict(pair.split("=", 1) for pair in line.split())
                if "scene" in row:
                    key = (row["scene"], row["way"], row["look"])
                    times.setdefault(key, []).append((float(row["prepare"]), float(row["total"])))
                    counts[row["scene"]] = int(row["particles"])
    print("| scene | particles | way | opaque | printed | faster | clear | printed | faster |")
    print("|" + "---|" * 9)
    for scene in SCENES:
        for way in ["direct", "blind", "cut", "meniscus", "mesh"]:
            cells = []
            for look in ["opaque", "clear"]:
                key = (scene, way, look)
                prepare = statistics.median(pair[0] for pair in times[key])
                total = statistics.median(pair[1] for pair in times[key])
                printed = PRINTED.get(key)
                cells += [f"{prepare:.2f} + {total - prepare:.2f} s"]
                cells += [f"{printed} s", f"{printed / total:.0f}×"] if printed else ["", ""]
            print(f"| {scene} | {counts[scene]} | {way} | " + " | ".join(cells) + " |", flush=True)


CYCLES = r"""
import sys, time
import bpy
mesh_path, out, samples, threads, clear = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5] == "clear"
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
bpy.ops.wm.ply_import(filepath=mesh_path, forward_axis="NEGATIVE_Z", up_axis="Y")
liquid = bpy.context.selected_objects[0]
bpy.ops.object.shade_smooth()
def material(name, clear):
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    tree = made.node_tree
    tree.nodes.clear()
    output = tree.nodes.new("ShaderNodeOutputMaterial")
    if clear:
        shader = tree.nodes.new("ShaderNodeBsdfGlass")
        shader.inputs["IOR"].default_value = 1.333
        shader.inputs["Roughness"].default_value = 0.0
    else:
        shader = tree.nodes.new("ShaderNodeBsdfDiffuse")
        shader.inputs["Color"].default_value = (0.5, 0.5, 0.5, 1)
    tree.links.new(shader.outputs[0], output.inputs[0])
    return made
liquid.data.materials.clear()
liquid.data.materials.append(material("liquid", clear))
bpy.ops.mesh.primitive_plane_add(size=100, location=(0, 0, -0.1))
bpy.context.object.data.materials.append(material("floor", False))
sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
sun.data.energy = 3.0
sun.data.angle = 0.0087
sun.rotation_euler = (0.7, 0.3, 0.0)
scene.collection.objects.link(sun)
world = bpy.data.worlds.new("world")
scene.world = world
world.use_nodes = True
world.node_tree.nodes["Background"].inputs[0].default_value = (0.3, 0.3, 0.3, 1)
camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
scene.collection.objects.link(camera)
scene.camera = camera
from mathutils import Vector
camera.location = (0.9, -3.4, 2.0)
camera.rotation_euler = (Vector((0.0, 0.0, 0.4)) - camera.location).to_track_quat("-Z", "Y").to_euler()
camera.data.sensor_fit = "VERTICAL"
camera.data.angle = 0.6981317
scene.render.engine = "CYCLES"
scene.cycles.device = "CPU"
scene.cycles.samples = samples
scene.cycles.use_adaptive_sampling = False
scene.cycles.use_denoising = False
scene.cycles.max_bounces = 8
scene.cycles.diffuse_bounces = 8
scene.cycles.glossy_bounces = 8
scene.cycles.transmission_bounces = 8
scene.cycles.caustics_reflective = False
scene.cycles.caustics_refractive = True
scene.render.threads_mode = "FIXED"
scene.render.threads = threads
scene.render.resolution_x, scene.render.resolution_y = 960, 540
scene.render.filepath = out
times = []
for count in (1, 1, samples):
    scene.cycles.samples = count
    started = time.time()
    bpy.ops.render.render(write_still=True)
    times.append(time.time() - started)
print("SECONDS", times[2] - times[1])
"""


def cycles(arguments):
    folder = Path(tempfile.mkdtemp())
    script = folder / "blender_scene.py"
    script.write_text(CYCLES)
    mesh = folder / "liquid.ply"
    if arguments.particles is None:
        sys.exit("which frame? `bench/render.py cycles FRAME.bgeo`")
    subprocess.run([TARGET / "whitecap", "surface", arguments.particles, "-o", mesh, "--radius", "0.025",
                    "--cell", "0.0125", "--quiet"], check=True)
    # Times are differences from a picture with one path per pixel, which accounts for reading and building.
    paths = 960 * 540 * (arguments.samples - 1)
    print("| liquid | Whitecap | Cycles | ratio |")
    print("|---|---|---|---|")
    for look in ["opaque", "clear"]:
        ours, theirs = [], []
        material = {"matt": {"color": [0.5, 0.5, 0.5]}} if look == "opaque" else {"liquid": {}}
        for _ in range(arguments.rounds):
            command = [
                TARGET / "whitecap", "render", mesh, "-o", folder / f"ours-{look}.png", "--quiet",
                "--threads", str(arguments.threads), "--samples", str(arguments.samples),
                "--noise", "0", "--bounces", "8", "--width", "960", "--height", "540",
                "--fast-shadows=false", "--material", json.dumps(material),
                "--camera-position", "0.9,2,3.4", "--camera-target", "0,0.4,0",
                "--camera-field-of-view", "40",
                "--objects", '[{"shape":{"floor":{"height":-0.1}},"material":{"matt":{"color":[0.5,0.5,0.5]}}}]',
                "--lights", '[{"sun":{"direction":[0.3,0.76,0.57],"irradiance":[3,3,3],"diameter":0.5}}]',
                "--environment", '{"sky":{"zenith":[0.3,0.3,0.3],"horizon":[0.3,0.3,0.3],"ground":[0.3,0.3,0.3]}}',
            ]
            seconds = []
            for samples in ["1", str(arguments.samples)]:
                command[command.index("--samples") + 1] = samples
                started = time.time()
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                seconds.append(time.time() - started)
            ours.append(seconds[1] - seconds[0])
            done = subprocess.run([sys.executable, script, mesh, folder / f"cycles-{look}.png",
                                   str(arguments.samples), str(arguments.threads), look],
                                  text=True, capture_output=True)
            found = [line for line in done.stdout.splitlines() if line.startswith("SECONDS")]
            if not found:
                sys.exit(f"Cycles failed:\n{done.stdout}\n{done.stderr}")
            theirs.append(float(found[0].split()[1]))
        ours, theirs = statistics.median(ours), statistics.median(theirs)
        print(f"| {look} | {paths / ours / 1e6:.2f} M paths/s | {paths / theirs / 1e6:.2f} M paths/s "
              f"| {theirs / ours:.2f} |", flush=True)
    print(f"pictures: {folder}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["published", "cycles"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--samples", type=int, default=32, help="paths per pixel compared with Cycles")
    parser.add_argument("particles", nargs="?", help="the liquid that is meshed for Cycles")
    arguments = parser.parse_args()
    {"published": published, "cycles": cycles}[arguments.what](arguments)


if __name__ == "__main__":
    main()
