#!/usr/bin/env python3
"""Surfacing: Whitecap compared with splashsurf, and Whitecap alone as the number of particles grows.

Both programs run as whole commands (read, surface, write a PLY) on the same particles with the
same method (SPH density, cubic spline), kernel radius, cell, threshold and thread count,
alternating in one session; the table gives medians, ratios (splashsurf / Whitecap) and peak memory.

    pip install pysplashsurf numpy
    cargo build --release
    bench/surface.py compare FILE:RADIUS [FILE:RADIUS ...]   a frame and its particle radius (m)
    bench/surface.py growth      time and memory against particles over a factor of 30
    bench/surface.py outlier     the same block with and without one particle 10 km away
    bench/surface.py large       a block of 5 million particles
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WHITECAP = ROOT / "target" / "release" / "whitecap"


def measure(command):
    """Wall seconds, processor seconds and peak bytes of a command."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - start
    if child.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{errors.decode()}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def whitecap(source, target, radius, cell, threads):
    return [WHITECAP, "surface", source, "-o", target, "--method", "density",
            "--radius", f"{radius:.9g}", "--cell", f"{cell * radius:.9g}",
            "--support", f"{4 * radius:.9g}", "--threshold", "0.6",
            "--threads", str(threads), "--quiet"]


def splashsurf(source, target, radius, cell, threads):
    return ["pysplashsurf", "reconstruct", source, "-o", target, "-r", f"{radius:.9g}",
            "-l", "2.0", "-c", str(cell), "-t", "0.6", "-n", str(threads), "-q"]


def triangles(path):
    with open(path, "rb") as file:
        for line in file:
            if line.startswith(b"element face"):
                return int(line.split()[2])
    return 0


def medians(samples):
    return [statistics.median(column) for column in zip(*samples)]


def compare(arguments, folder):
    print("| frame | cell / r | program | triangles | wall s | processor s | peak MB | wall ratio |")
    print("|---|---|---|---|---|---|---|---|")
    for item in arguments.frames:
        source, radius = item.rsplit(":", 1)
        radius = float(radius)
        name = "/".join(Path(source).parts[-2:])
        for cell in (1.0, 0.5):
            peers = {"splashsurf": splashsurf, "whitecap": whitecap}
            runs = {peer: [] for peer in peers}
            outputs = {peer: folder / f"{peer}.ply" for peer in peers}
            for _ in range(arguments.repeats):
                for peer, command in peers.items():
                    line = command(source, outputs[peer], radius, cell, arguments.threads)
                    runs[peer].append(measure(line))
            wall = {peer: medians(samples)[0] for peer, samples in runs.items()}
            for peer, samples in runs.items():
                seconds, processor, peak = medians(samples)
                ratio = wall["splashsurf"] / seconds
                print(f"| {name} | {cell} | {peer} | {triangles(outputs[peer])} | {seconds:.3f} "
                      f"| {processor:.3f} | {peak / 1e6:.0f} | {ratio:.2f} |", flush=True)


def block(path, count, outlier=False):
    """About `count` particles on a jittered lattice of spacing 0.02 m, twice as wide as high."""
    import numpy
    edge = round((count / 2) ** (1 / 3))
    shape = (2 * edge, edge, edge)
    grid = numpy.stack(numpy.meshgrid(*map(numpy.arange, shape), indexing="ij"), -1)
    points = grid.reshape(-1, 3) * 0.02
    points += numpy.random.default_rng(1).uniform(-0.004, 0.004, points.shape)
    if outlier:
        points = numpy.vstack([points, [[10_000.0, 0.0, 0.0]]])
    header = (f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\n"
              "property float x\nproperty float y\nproperty float z\nend_header\n")
    with open(path, "wb") as file:
        file.write(header.encode())
        file.write(points.astype("<f4").tobytes())
    return len(points)


def alone(arguments, folder, cases):
    print("| particles | case | triangles | wall s | µs per particle | peak MB | bytes per particle |")
    print("|---|---|---|---|---|---|---|")
    for count, outlier in cases:
        source, target = folder / "block.ply", folder / "surface.ply"
        exact = block(source, count, outlier)
        line = whitecap(source, target, 0.01, 0.5, arguments.threads)
        seconds, _, peak = medians([measure(line) for _ in range(arguments.repeats)])
        case = "with an outlier at 10 km" if outlier else "block"
        print(f"| {exact} | {case} | {triangles(target)} | {seconds:.3f} | {seconds / exact * 1e6:.2f} "
              f"| {peak / 1e6:.0f} | {peak / exact:.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["compare", "growth", "outlier", "large"])
    parser.add_argument("frames", nargs="*", metavar="FILE:RADIUS")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    if not WHITECAP.exists():
        sys.exit("build the program first: cargo build --release")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        if arguments.what == "compare":
            compare(arguments, folder)
        elif arguments.what == "growth":
            sizes = [100_000, 200_000, 400_000, 800_000, 1_600_000, 3_000_000]
            alone(arguments, folder, [(size, False) for size in sizes])
        elif arguments.what == "outlier":
            alone(arguments, folder, [(400_000, False), (400_000, True)])
        else:
            alone(arguments, folder, [(5_000_000, False)])


if __name__ == "__main__":
    main()
