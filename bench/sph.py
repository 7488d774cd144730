#!/usr/bin/env python3
"""SPH: Whitecap compared with SPlisHSPlasH, and Whitecap alone as the number of particles grows.

A one-metre cube of water collapses in a box of 3 x 2 x 1 m. Both programs have the same particles,
support (four radii), mean density error (0.01 %) and time span, two threads, adaptive time steps, and
alternate in one session. Time is for the steps alone, without start-up and files.

    pip install pysplishsplash
    cargo build --release -p whitecap-bulk --example 0_dam_break
    bench/sph.py compare [--edges 27 50] [--seconds 1.0 0.2] [--rounds 3]
    bench/sph.py growth      time per step and memory from 20 k to 1.25 M particles
    bench/sph.py compression density errors in every frame of the 125 k dam break, PCISPH

The wheel of SPlisHSPlasH has its own GL libraries; if the import fails, replace them with links
to the system's.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
WHITECAP = TARGET / "release" / "examples" / "0_dam_break"
ERROR_PERCENT = 0.01

CUBE = """v -0.5 -0.5 -0.5
v 0.5 -0.5 -0.5
v 0.5 0.5 -0.5
v -0.5 0.5 -0.5
v -0.5 -0.5 0.5
v 0.5 -0.5 0.5
v 0.5 0.5 0.5
v -0.5 0.5 0.5
f 1 3 2
f 1 4 3
f 5 6 7
f 5 7 8
f 1 2 6
f 1 6 5
f 4 7 3
f 4 8 7
f 1 5 8
f 1 8 4
f 2 3 7
f 2 7 6
"""

PEER = """
import sys, time
import pysplishsplash as sph
moments = []
base = sph.Exec.SimulatorBase()
base.init(sceneFile=sys.argv[1], useGui=False, outputDir=sys.argv[2], stopAt=float(sys.argv[3]))
base.initSimulation()
start = time.perf_counter()
base.setTimeStepCB(lambda: moments.append(sph.TimeManager.getCurrent().getTime()))
base.runSimulation()
wall = time.perf_counter() - start
count = sph.Simulation.getCurrent().getFluidModel(0).numActiveParticles()
print("RESULT", len(moments), wall / moments[-1], 1e3 * wall / len(moments), count)
"""


def run(command):
    """Standard output and peak bytes of a command on two threads."""
    environment = dict(os.environ, OMP_NUM_THREADS="2", RAYON_NUM_THREADS="2",
                       OMP_WAIT_POLICY="passive")
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             env=environment, text=True)
    output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{output}")
    return output, usage.ru_maxrss * 1024


def whitecap(edge, seconds, method):
    """Steps, seconds per simulated second, milliseconds per step, peak bytes, iterations per step."""
    output, memory = run([WHITECAP, str(edge), str(seconds), method, "0.4",
                          str(ERROR_PERCENT / 100)])
    steps, pace = re.search(r"(\d+) steps, ([\d.]+) s per simulated", output).groups()
    rows = [line.split(" | ") for line in output.splitlines() if re.match(r"\d+\.\d+ \|", line)]
    iterations = sum(int(row[1]) * float(row[2]) for row in rows) / int(steps)
    simulated = float(rows[-1][0])
    step = 1e3 * float(pace) * simulated / int(steps)
    return int(steps), float(pace), step, memory, iterations


def splishsplash(edge, seconds, method, folder):
    radius = 0.5 / edge
    scene = {
        "Configuration": {
            "particleRadius": radius, "density0": 1000, "gravitation": [0, -9.81, 0],
            "simulationMethod": {"dfsph": 4, "pcisph": 1}[method],
            "boundaryHandlingMethod": {"dfsph": 2, "pcisph": 0}[method],
            "timeStepSize": 0.001, "cflMethod": 1, "cflFactor": 1.0, "cflMaxTimeStepSize": 0.005,
            "maxError": ERROR_PERCENT, "maxErrorV": 0.1, "enablePartioExport": False,
        },
        "Materials": [{"id": "Fluid", "viscosity": 0.01, "viscosityMethod": 1}],
        # The block is filled from one spacing after its start to one before its end.
        "FluidBlocks": [{"denseMode": 0, "start": [-1.5 - radius, -radius, -0.5 - radius],
                         "end": [-0.5 + radius, 1 + radius, 0.5 + radius]}],
        "RigidBodies": [{
            "geometryFile": str(folder / "cube.obj"), "translation": [0, 1, 0],
            "scale": [3 + 2 * radius, 2 + 2 * radius, 1 + 2 * radius], "isDynamic": False,
            "isWall": True, "mapInvert": True, "mapThickness": 0.0,
            "mapResolution": [30, 20, 10], "invert": True,
        }],
    }
    (folder / "cube.obj").write_text(CUBE)
    (folder / "scene.json").write_text(json.dumps(scene))
    (folder / "peer.py").write_text(PEER)
    output, memory = run([sys.executable, folder / "peer.py", folder / "scene.json", folder / "out",
                          str(seconds)])
    steps, pace, step, count = re.search(r"RESULT (\S+) (\S+) (\S+) (\S+)", output).groups()
    if int(count) != edge ** 3:
        sys.exit(f"SPlisHSPlasH filled the block with {count} particles, not {edge ** 3}.")
    return int(steps), float(pace), float(step), memory


def median(results):
    return [statistics.median(column) for column in zip(*results)]


def compare(options):
    print("| method | particles | seconds | program | steps | ms/step | s per simulated s | ratio of steps "
          "| ratio of time | MB |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for edge, seconds in zip(options.edges, options.seconds):
        for method in ["dfsph", "pcisph"]:
            ours, theirs = [], []
            with tempfile.TemporaryDirectory() as folder:
                for _ in range(options.rounds):
                    theirs.append(splishsplash(edge, seconds, method, Path(folder)))
                    ours.append(whitecap(edge, seconds, method))
            ours, theirs = median(ours), median(theirs)
            for name, (steps, pace, step, memory, *_), ratios in [
                ("SPlisHSPlasH", theirs, ("", "")),
                ("Whitecap", ours, (f"{theirs[2] / ours[2]:.2f}", f"{theirs[1] / ours[1]:.2f}")),
            ]:
                print(f"| {method} | {edge ** 3} | {seconds} | {name} | {steps:.0f} | {step:.1f} "
                      f"| {pace:.1f} | {ratios[0]} | {ratios[1]} | {memory / 1e6:.0f} |", flush=True)


def growth(_):
    print("| particles | steps | iterations per step | ms/step | ns per particle and step "
          "| ns per particle and iteration | peak bytes per particle |")
    print("|---|---|---|---|---|---|---|")
    for edge, seconds in [(27, 0.2), (37, 0.16), (50, 0.12), (68, 0.08), (86, 0.06), (108, 0.04)]:
        steps, _, step, memory, iterations = whitecap(edge, seconds, "dfsph")
        count = edge ** 3
        print(f"| {count} | {steps} | {iterations:.1f} | {step:.1f} | {1e6 * step / count:.0f} "
              f"| {1e6 * step / count / iterations:.0f} | {memory / count:.0f} |", flush=True)


def compression(_):
    output, _ = run([WHITECAP, "50", "1.0", "pcisph"])
    rows = [line.split(" | ") for line in output.splitlines() if re.match(r"\d+\.\d+ \|", line)]
    largest = [float(row[3]) for row in rows]
    densest = [float(row[8]) for row in rows]
    print(f"{len(largest)} frames, the solver leaves at most {max(largest)} %; the densest particle of a "
          f"frame is {max(densest)} % above rest, {statistics.median(densest):.2f} % in the median "
          f"frame; retries {sum(int(row[4]) for row in rows)}, at most "
          f"{max(int(row[7]) for row in rows)} bytes per particle")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("compare")
    command.add_argument("--edges", type=int, nargs="+", default=[27, 50])
    command.add_argument("--seconds", type=float, nargs="+", default=[1.0, 0.2])
    command.add_argument("--rounds", type=int, default=3)
    command.set_defaults(run=compare)
    commands.add_parser("growth").set_defaults(run=growth)
    commands.add_parser("compression").set_defaults(run=compression)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
