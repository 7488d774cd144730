#!/usr/bin/env python3
"""Grid liquids: Whitecap compared with Blender's liquid (Mantaflow), and Whitecap alone as the grid grows.

A dam of half a metre breaks in a box of one metre, a quarter of which it fills: eight particles a cell, 24 frames
a second, a surface mesh with cells half as wide as those of the grid. Both programs have two threads, their own
default settings otherwise, and alternate. Blender's time is that of the bake alone, Whitecap's that of the whole
command with its start.

    apt-get install blender
    cargo build --release && cargo build --release -p whitecap-bulk --example 5_flip_speed
    bench/flip.py compare [--resolutions 64 128] [--frames 24] [--rounds 3]
    bench/flip.py growth [--resolutions 32 64 128 256] [--frames 4]    time and memory per particle
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
THREADS = 2

SHOT = """[shot]
name = "dam"
frames = [1, {frames}]
fps = 24

[water]
kind = "flip"
spacing = {spacing}
domain = {{ min = [0, 0, 0], max = [1, 1, 1] }}
fill = [{{ box = {{ min = [0, 0, 0], max = [0.5, 0.5, 1] }} }}]

[mesh]
kind = "surface"
particles = "water"
cell = {spacing}
save = ["ply"]
"""

PEER = """
import sys, time
import bpy
resolution, frames, folder = int(sys.argv[-3]), int(sys.argv[-2]), sys.argv[-1]
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.frame_start, scene.frame_end, scene.render.fps = 1, frames, 24
bpy.ops.mesh.primitive_cube_add(size=1, location=(0.5, 0.5, 0.5))
box = bpy.context.object
settings = box.modifiers.new("Fluid", "FLUID")
settings.fluid_type = "DOMAIN"
settings = settings.domain_settings
settings.domain_type, settings.resolution_max = "LIQUID", resolution
settings.cache_directory, settings.cache_type = folder, "ALL"
settings.cache_frame_start, settings.cache_frame_end = 1, frames
settings.use_mesh = True
bpy.ops.mesh.primitive_cube_add(size=1, location=(0.25, 0.5, 0.25))
dam = bpy.context.object
dam.scale = (0.5, 1, 0.5)
bpy.ops.object.transform_apply(scale=True)
flow = dam.modifiers.new("Fluid", "FLUID")
flow.fluid_type = "FLOW"
flow.flow_settings.flow_type, flow.flow_settings.flow_behavior = "LIQUID", "GEOMETRY"
bpy.context.view_layer.objects.active = box
start = time.perf_counter()
bpy.ops.fluid.bake_all()
print("RESULT", time.perf_counter() - start)
"""


def run(command):
    """Standard output, seconds and peak bytes of a command on two threads."""
    environment = dict(os.environ, OMP_NUM_THREADS=str(THREADS), RAYON_NUM_THREADS=str(THREADS))
    start = time.perf_counter()
    child = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, env=environment, text=True)
    output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{output}")
    return output, time.perf_counter() - start, usage.ru_maxrss * 1024


def whitecap(resolution, frames, folder):
    """Seconds and peak bytes of the shot."""
    shot = folder / "dam.toml"
    shot.write_text(SHOT.format(spacing=0.5 / resolution, frames=frames))
    _, seconds, peak = run([TARGET / "whitecap", "run", shot, "-o", folder / "out"])
    return seconds, peak


def blender(resolution, frames, folder):
    """Seconds and peak bytes of the bake."""
    script = folder / "peer.py"
    script.write_text(PEER)
    output, _, peak = run(["blender", "-b", "--factory-startup", "-t", THREADS, "--python", script,
                           "--", resolution, frames, folder / "cache"])
    found = re.search(r"^RESULT (\S+)", output, re.MULTILINE)
    if not found:
        sys.exit(f"Blender gave no result:\n{output}")
    return float(found[1]), peak


def compare(options):
    print("| resolution | Whitecap / s a frame | Blender / s a frame | ratio | Whitecap / MB | Blender / MB |")
    print("|---|---|---|---|---|---|")
    for resolution in options.resolutions:
        times, peaks = {whitecap: [], blender: []}, {}
        for _ in range(options.rounds):
            for program in (whitecap, blender):
                with tempfile.TemporaryDirectory() as folder:
                    seconds, peaks[program] = program(resolution, options.frames, Path(folder))
                times[program].append(seconds / options.frames)
        ours, theirs = (statistics.median(times[program]) for program in (whitecap, blender))
        ratio = statistics.median(b / a for a, b in zip(times[whitecap], times[blender]))
        print(f"| {resolution} | {ours:.2f} | {theirs:.2f} | {ratio:.2f} "
              f"| {peaks[whitecap] / 1e6:.0f} | {peaks[blender] / 1e6:.0f} |", flush=True)


def growth(options):
    print("| cells | particles | s a frame | s a step | ns a particle and step | bytes a particle |")
    print("|---|---|---|---|---|---|")
    for resolution in options.resolutions:
        output, _, peak = run([TARGET / "examples" / "5_flip_speed", resolution, options.frames])
        particles = int(re.search(r"^(\d+) particles", output, re.MULTILINE)[1])
        frame, step = map(float, re.search(r"(\S+) s a frame, (\S+) s a step", output).groups())
        print(f"| {resolution}³ | {particles} | {frame:.2f} | {step:.3f} "
              f"| {1e9 * step / particles:.0f} | {peak / particles:.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    modes = parser.add_subparsers(required=True)
    mode = modes.add_parser("compare")
    mode.add_argument("--resolutions", type=int, nargs="+", default=[64, 128])
    mode.add_argument("--frames", type=int, default=24)
    mode.add_argument("--rounds", type=int, default=3)
    mode.set_defaults(action=compare)
    mode = modes.add_parser("growth")
    mode.add_argument("--resolutions", type=int, nargs="+", default=[32, 64, 128, 256])
    mode.add_argument("--frames", type=int, default=4)
    mode.set_defaults(action=growth)
    options = parser.parse_args()
    options.action(options)


main()
