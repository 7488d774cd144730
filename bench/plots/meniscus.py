#!/usr/bin/env python3
"""Menisci sampled by rays, beside the closed form and a numerical solution of the Young-Laplace equation.

    pip install matplotlib
    cargo run --release -p whitecap-render --example 4_meniscus_profiles > meniscus.csv
    bench/plots/meniscus.py meniscus.csv docs/images
"""
import csv
import math
import sys
from collections import defaultdict
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

INK = "#1f3a4d"
WATER = "#b9dcec"


def read(path):
    curves = defaultdict(list)
    with open(path, newline="") as lines:
        for row in csv.DictReader(lines):
            point = (float(row["x"]), float(row["y"]), float(row["slope"]))
            curves[row["figure"], row["curve"]].append(point)
    return curves


def closed_form(angle, samples=40):
    """x(y) = arcosh(2/|y|) - sqrt(4 - y^2) + const at a vertical wall, lengths in capillary lengths."""
    start = 2 * math.sin((math.pi - 2 * math.radians(angle)) / 4)
    if abs(start) < 1e-9:
        return [(x / 5, 0.0) for x in range(31)]
    at = lambda y: math.acosh(2 / abs(y)) - math.sqrt(4 - y * y)
    heights = [start * 0.004 ** (i / samples) for i in range(samples + 1)]
    return [(at(y) - at(start), y) for y in heights]


def young_laplace(slope, width=1e-3):
    """Runge-Kutta solution from a slope at the wall; the height there is found by shooting."""
    sign, slope = math.copysign(1, slope), abs(slope)

    def derivative(state):
        return (-state[2], math.cos(state[0]), -math.sin(state[0]))

    def path(height):
        state, states = (slope, 0.0, height), []
        while len(states) < 12000 and state[0] >= 0 and state[2] >= 0:
            states.append(state)
            move = lambda d, s: tuple(a + s * b for a, b in zip(state, d))
            a = derivative(state)
            b = derivative(move(a, width / 2))
            c = derivative(move(b, width / 2))
            d = derivative(move(c, width))
            state = tuple(s + width / 6 * (p + 2 * q + 2 * r + t) for s, p, q, r, t in zip(state, a, b, c, d))
        return states, state

    low, high = 0.0, 2.0
    for _ in range(45):
        middle = (low + high) / 2
        _, last = path(middle)
        low, high = (low, middle) if last[0] < 0 else (middle, high)
    return [(x, sign * y) for _, x, y in path(low)[0]]


def save(figure, folder, name):
    figure.savefig(folder / name, dpi=130, bbox_inches="tight", facecolor="white")
    plt.close(figure)


def contact_angles(curves, folder):
    figure, axes = plt.subplots(figsize=(7.2, 4.6))
    for angle in range(10, 180, 10):
        points = curves["contact angles", str(angle)]
        shade = plt.get_cmap("viridis")(angle / 190)
        axes.plot([p[0] for p in points], [p[1] for p in points], color=shade, lw=1.6)
        exact = [(x, y) for x, y in closed_form(angle) if x < 4]
        axes.plot(*zip(*exact), ".", color="black", ms=2.2)
        if angle % 20 == 10:
            axes.annotate(f"{angle}°", (0, points[0][1]), (-0.08, points[0][1]), ha="right", va="center", fontsize=8)
    axes.axvline(0, color=INK, lw=3)
    axes.set(xlim=(-0.45, 4), ylim=(-1.5, 1.5), xlabel="distance to the wall / capillary length",
             ylabel="height / capillary length")
    axes.plot([], [], color=plt.get_cmap("viridis")(0.5), label="hit by rays")
    axes.plot([], [], ".", color="black", label="closed form")
    axes.legend(frameon=False)
    save(figure, folder, "meniscus-contact-angles.png")


def inclined_walls(curves, folder):
    tilts = [45, 60, 90, 120, 135]
    figure, rows = plt.subplots(1, 5, figsize=(13, 2.6), sharey=True)
    for axes, tilt in zip(rows, tilts):
        beta = math.radians(tilt)
        exact = curves["inclined walls", f"{tilt} exact"]
        other = curves["inclined walls", f"{tilt} eq. 4.2"]
        wall = [(-t * math.cos(beta), t * math.sin(beta)) for t in (-2.2, 2.2)]
        foot = (1.5 / math.tan(beta), -1.5)
        outline = [foot] + [p[:2] for p in exact] + [(exact[-1][0], -1.5)]
        axes.fill(*zip(*outline), color=WATER, lw=0)
        axes.plot(*zip(*wall), color=INK, lw=3)
        axes.plot([p[0] for p in exact], [p[1] for p in exact], color="#0b6fa4", lw=2, label="exact, by rays")
        axes.plot([p[0] for p in other], [p[1] for p in other], "--", color="#c2571a", lw=1.3, label="Eq. 4.2, by rays")
        start = beta - math.radians(20)
        solution = young_laplace(start)
        shift = -solution[0][1] / math.tan(beta)
        axes.plot([x + shift for x, _ in solution][::150], [y for _, y in solution][::150], ".", color="black",
                  ms=3, label="Runge–Kutta")
        axes.set(xlim=(-1.8, 3), ylim=(-0.5, 1.9), aspect="equal", title=f"β = {tilt}°")
        axes.title.set_size(10)
        axes.tick_params(labelsize=8)
    rows[0].set_ylabel("height / capillary length")
    rows[2].set_xlabel("horizontal place / capillary length")
    handles, labels = rows[0].get_legend_handles_labels()
    figure.legend(handles, labels, frameon=False, fontsize=9, ncols=3, loc="lower center", bbox_to_anchor=(0.5, -0.12))
    save(figure, folder, "meniscus-inclined-walls.png")


def modes(curves, folder):
    names = [("none", "A none"), ("ghost", "B ghost"), ("geometric", "C geometric"), ("normal", "D normal")]
    figure, rows = plt.subplots(2, 4, figsize=(12, 4.6), sharex=True, sharey="row",
                                gridspec_kw={"height_ratios": [2, 1.3]})
    for column, (name, title) in enumerate(names):
        points = curves["modes", name]
        x = [p[0] for p in points]
        top, bottom = rows[0][column], rows[1][column]
        top.fill_between(x, [p[1] for p in points], -1, color=WATER, lw=0)
        top.plot(x, [p[1] for p in points], color="#0b6fa4", lw=2)
        top.axvline(0, color=INK, lw=3)
        top.set(title=title, xlim=(-0.1, 4), ylim=(-1, 1.4))
        bottom.plot(x, [p[2] for p in points], color="#c2571a", lw=1.6)
        bottom.axhline(0, color="gray", lw=0.5)
        bottom.set(ylim=(-80, 80), xlabel="distance / capillary length")
    rows[0][0].set_ylabel("height / capillary length")
    rows[1][0].set_ylabel("slope shaded / °")
    save(figure, folder, "meniscus-modes.png")


def drops(curves, folder):
    figure, rows = plt.subplots(1, 3, figsize=(10, 2.6), sharey=True)
    for axes, angle in zip(rows, (45, 90, 135)):
        points = curves["drops", str(angle)]
        right, height = [p[0] for p in points] + [0], [p[1] for p in points] + [points[-1][1]]
        axes.fill_betweenx(height, [-r for r in right], right, color=WATER, lw=0)
        for side in (1, -1):
            axes.plot([side * r for r in right], height, color="#0b6fa4", lw=2)
        axes.axhline(0, color=INK, lw=3)
        axes.set(aspect="equal", xlim=(-1.5, 1.5), ylim=(-0.1, 1.3), title=f"contact angle {angle}°")
    rows[0].set_ylabel("height / radius")
    rows[1].set_xlabel("place / radius")
    save(figure, folder, "meniscus-drops.png")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    curves, folder = read(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for draw in (contact_angles, inclined_walls, modes, drops):
        draw(curves, folder)


main()
