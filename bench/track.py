#!/usr/bin/env python3
"""Tracking: time compared with the published one, scaling, remaining detail, a thousand events.

    cargo build --release -p whitecap-track --example 1_timings
    bench/track.py published [--rounds 3]   bodies of the sizes in Dagenais 2025, Table 2.2
    bench/track.py growth                   time against triangles and against particles
    bench/track.py detail                   distance to the mesh moved with the liquid
    bench/track.py fuzz [--events 1000]     random changes of topology: closed 2-manifolds throughout

Times are means over the frames, in milliseconds, medians of the rounds; rounds alternate between the
scenes, so that a busy machine slows all of them alike.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
TIMINGS = TARGET / "release" / "examples" / "1_timings"
PARTS = ["advection", "quality", "coarse surface", "projection", "detection", "matching",
         "remeshing", "total"]
# Scene, particles, triangles, frames; seconds per frame as printed in Table 2.2.
PUBLISHED = [
    ("bunny", "twist", 28000, 67000, 6, 6.92),
    ("dragon", "twist", 20000, 258000, 6, 11.55),
    ("splitting", "split", 21000, 243000, 16, 21.03),
    ("gears", "merge", 9000, 121000, 20, 24.77),
    ("falling objects", "twist", 260000, 371000, 4, 63.40),
]


def timed(threads, *scene):
    """What the example reports about a scene: counts, mean times by part, distances to the moved mesh."""
    command = [str(TIMINGS), *map(str, scene)]
    environment = dict(os.environ, RAYON_NUM_THREADS=str(threads))
    done = subprocess.run(command, env=environment, text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    lines = done.stdout.splitlines()
    particles, triangles = map(int, re.search(r"(\d+) particles, (\d+) triangles", lines[0]).groups())
    mean = next(line for line in lines if line.startswith("mean"))
    times = dict(zip(PARTS, map(float, mean.split(" | ")[1:])))
    off = {line.split(":")[0]: float(line.split(": ")[1].split()[0]) for line in lines if "moved mesh" in line}
    return {"particles": particles, "triangles": triangles, "times": times, "off": off}


def rounds(arguments, scenes):
    """The runs of each scene, alternating."""
    runs = [[] for _ in scenes]
    for _ in range(arguments.rounds):
        for found, (threads, scene) in zip(runs, scenes):
            found.append(timed(threads, *scene))
    return runs


def median(runs, part):
    return statistics.median(run["times"][part] for run in runs)


def published(arguments):
    scenes = [(threads, row[1:5]) for row in PUBLISHED for threads in (1, 2)]
    runs = rounds(arguments, scenes)
    print("| like | particles | triangles | one thread | two | printed | faster, one | two | matching |")
    print("|---|---|---|---|---|---|---|---|---|")
    for (like, *_, printed), one, two in zip(PUBLISHED, runs[::2], runs[1::2]):
        first, second = median(one, "total"), median(two, "total")
        print(f"| {like} | {one[0]['particles']} | {one[0]['triangles']} | {first:.0f} | {second:.0f} "
              f"| {1e3 * printed:.0f} | {1e3 * printed / first:.0f}× | {1e3 * printed / second:.0f}× "
              f"| {100 * median(one, 'matching') / first:.1f} % |")


def growth(arguments):
    triangles = [(2, ("twist", 20000, count, 4)) for count in (50000, 100000, 200000, 400000, 800000)]
    particles = [(2, ("twist", count, 100000, 4)) for count in (10000, 20000, 40000, 80000, 160000)]
    print("| particles | triangles | ms | ms without the coarse surface | coarse surface, µs/particle |")
    print("|---|---|---|---|---|")
    for runs in rounds(arguments, triangles + particles):
        total, coarse = median(runs, "total"), median(runs, "coarse surface")
        print(f"| {runs[0]['particles']} | {runs[0]['triangles']} | {total:.0f} | {total - coarse:.0f} "
              f"| {1e3 * coarse / runs[0]['particles']:.1f} |")


def detail(arguments):
    print("| scene | tracked | Yu et al. 2012 | plain surface |")
    print("|---|---|---|---|")
    for scene in (("twist", 20000, 100000, 40), ("twist", 5000, 100000, 40), ("merge", 20000, 60000, 16)):
        kept = timed(arguments.threads, *scene, "keep-detail")["off"]
        drawn = timed(arguments.threads, *scene, "onto-surface")["off"]
        print(f"| {' '.join(map(str, scene))} | {kept['tracked']:.3f} | {drawn['tracked']:.3f} "
              f"| {kept['plain surface']:.3f} |")


def fuzz(arguments):
    command = ["cargo", "test", "--release", "-p", "whitecap-track", "--test", "fuzz"]
    environment = dict(os.environ, WHITECAP_TRACK_EVENTS=str(arguments.events))
    sys.exit(subprocess.run(command, cwd=ROOT, env=environment).returncode)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=["published", "growth", "detail", "fuzz"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--events", type=int, default=1000)
    arguments = parser.parse_args()
    {"published": published, "growth": growth, "detail": detail, "fuzz": fuzz}[arguments.what](arguments)


if __name__ == "__main__":
    main()
