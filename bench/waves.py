#!/usr/bin/env python3
"""Waves: time of each part, time against points, and the hierarchy compared with exact sums.

    cargo build --release -p whitecap-waves --example 2_timings
    bench/waves.py parts SEQUENCE FRAMES     time of each part of a frame, as in Mercier et al. 2015
    bench/waves.py ratios SEQUENCE FRAMES    fine spacings from 2 to 12 per coarse length
    bench/waves.py growth                    15 k to 500 k points on one liquid of 120 k particles
    bench/waves.py hierarchy                 exact sums compared with hierarchical ones: time
    bench/waves.py agreement [calm:20000]    the same over 50 frames of calm water: difference
    bench/waves.py stir [--coarse 2.7]       390 k particles with 17 k, 66 k and 145 k points

A sequence is written as sim/frame_####.bgeo and its frames as 10-40; without one, `parts` and `ratios`
stir a tank of 20 k particles. Two threads, six rounds. The first frame, in which all points are created,
is left out; medians and best frames are printed. On a shared machine, `--runs 5` gives the fastest
of five runs for each row.
"""
import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
WHITECAP = TARGET / "release" / "examples" / "2_timings"
PARTS = ["particles", "advection", "neighbours", "band", "normals", "tangents", "turnover",
         "aggregation", "waves", "rest"]


def rows(arguments, source, frames, coarse, ratio, variants="hierarchical"):
    """The rows of all frames except the first of the fastest run, as dictionaries, by variant."""
    runs = [one_run(arguments, source, frames, coarse, ratio, variants)
            for _ in range(arguments.runs)]
    fastest = [min((run[variant] for run in runs), key=lambda rows: median(rows, "total"))
               for variant in variants.split(",")]
    return dict(zip(variants.split(","), fastest))


def one_run(arguments, source, frames, coarse, ratio, variants):
    command = [WHITECAP, source, frames, str(arguments.fps), str(coarse), str(ratio), variants]
    environment = dict(os.environ, RAYON_NUM_THREADS=str(arguments.threads))
    done = subprocess.run(command, env=environment, text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stderr}")
    found = {variant: [] for variant in variants.split(",")}
    for line in done.stdout.splitlines():
        row = dict(pair.split("=", 1) for pair in line.split())
        found[row.pop("variant")].append({name: float(value) for name, value in row.items()})
    return {variant: frames[1:] for variant, frames in found.items()}


def median(frames, name):
    return statistics.median(frame[name] for frame in frames)


def per_point(frames):
    """Median and best of the microseconds per point and frame."""
    times = [1e6 * frame["total"] / max(frame["points"], 1) for frame in frames]
    return statistics.median(times), min(times)


def table(*names):
    print("| " + " | ".join(names) + " |")
    print("|" + "---|" * len(names), flush=True)


def parts(arguments):
    frames = rows(arguments, arguments.source or "tank:20000", arguments.frames,
                  arguments.coarse or 2, arguments.ratio)["hierarchical"]
    total = median(frames, "total")
    table("part", "ms", "share", "µs per point")
    points = median(frames, "points")
    for part in [*PARTS, "total"]:
        seconds = median(frames, part)
        print(f"| {part} | {1e3 * seconds:.1f} | {100 * seconds / total:.0f} % "
              f"| {1e6 * seconds / points:.2f} |")
    print(f"\n{median(frames, 'liquid'):.0f} particles, {points:.0f} points, "
          f"{len(frames)} frames, λ_c/λ_f = {arguments.ratio:g}")


def ratios(arguments):
    table("λ_c/λ_f", "points", "median ms/frame", "best ms/frame", "median µs/point",
          "best µs/point", "spacing", "spread")
    for ratio in [2, 4, 8, 12]:
        frames = rows(arguments, arguments.source or "tank:20000", arguments.frames,
                      arguments.coarse or 2, ratio)["hierarchical"]
        middle, best = per_point(frames)
        print(f"| {ratio} | {median(frames, 'points'):.0f} | {1e3 * median(frames, 'total'):.0f} "
              f"| {1e3 * min(frame['total'] for frame in frames):.0f} | {middle:.2f} | {best:.2f} "
              f"| {median(frames, 'nearest'):.3f} | {median(frames, 'deviation'):.3f} |", flush=True)


def growth(arguments):
    table("λ_c/λ_f", "points", "median ms/frame", "median µs/point", "best µs/point")
    for ratio in [2, 2.8, 4, 5.6, 8, 11.6]:
        frames = rows(arguments, "tank:120000", "0-6", arguments.coarse or 2, ratio)["hierarchical"]
        middle, best = per_point(frames)
        print(f"| {ratio} | {median(frames, 'points'):.0f} | {1e3 * median(frames, 'total'):.0f} "
              f"| {middle:.2f} | {best:.2f} |", flush=True)


def hierarchy(arguments):
    table("λ_c/λ_f", "points", "exact ms", "hierarchical ms", "speed-up", "speed-up of normals")
    for ratio in [2, 4, 8, 12]:
        found = rows(arguments, "tank:20000", "0-6", arguments.coarse or 2, ratio,
                     "exact,hierarchical")
        exact, fast = found["exact"], found["hierarchical"]
        best = {name: [min(frame[name] for frame in frames) for frames in (exact, fast)]
                for name in ("total", "normals")}
        print(f"| {ratio} | {median(fast, 'points'):.0f} | {1e3 * best['total'][0]:.0f} "
              f"| {1e3 * best['total'][1]:.0f} | {best['total'][0] / best['total'][1]:.2f} "
              f"| {best['normals'][0] / best['normals'][1]:.2f} |", flush=True)


def agreement(arguments):
    names = ["exact", "hierarchical", "exact:1.00005"]
    found = rows(arguments, arguments.source or "calm:20000", "0-50", arguments.coarse or 2, arguments.ratio,
                 ",".join(names))
    print("RMS, in % of W")
    table("frame", "points", "waves", "hierarchical from exact",
          "exact with λ_f + 0.005 % from exact")
    for index in [9, 19, 29, 39, 49]:
        exact, fast, floor = (found[name][index] for name in names)
        print(f"| {exact['frame']:.0f} | {exact['points']:.0f} | {100 * exact['mean']:.3f} "
              f"| {100 * fast['difference']:.3f} | {100 * floor['difference']:.3f} |")


def stir(arguments):
    coarse = arguments.coarse or 2.7
    table("points", "λ_c/λ_f", "particles", "median s/frame", "best s/frame", "median µs/point",
          "target s/frame")
    for fine, target in [(1.343, 0.25), (0.682, 0.8), (0.4576, 1.6)]:
        frames = rows(arguments, "tank:390000", "0-8", coarse, coarse / fine)["hierarchical"]
        print(f"| {median(frames, 'points'):.0f} | {coarse / fine:.2f} "
              f"| {median(frames, 'liquid'):.0f} | {median(frames, 'total'):.3f} "
              f"| {min(frame['total'] for frame in frames):.3f} | {per_point(frames)[0]:.2f} "
              f"| {target} |", flush=True)


def main():
    modes = {mode.__name__: mode for mode in (parts, ratios, growth, hierarchy, agreement, stir)}
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=modes)
    parser.add_argument("source", nargs="?", help="a sequence, tank:PARTICLES or calm:PARTICLES")
    parser.add_argument("frames", nargs="?", default="0-10")
    parser.add_argument("--fps", type=float, default=50)
    parser.add_argument("--coarse", type=float, help="particle spacings per coarse length")
    parser.add_argument("--ratio", type=float, default=4, help="fine spacings per coarse length")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=1, help="number of runs, of which the fastest counts")
    arguments = parser.parse_args()
    if not WHITECAP.exists():
        sys.exit("build it first: cargo build --release -p whitecap-waves --example 2_timings")
    modes[arguments.what](arguments)


if __name__ == "__main__":
    main()
