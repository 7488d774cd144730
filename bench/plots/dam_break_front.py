#!/usr/bin/env python3
"""The front of a collapsing column of water beside the experiments of Martin & Moyce 1952.

    pip install matplotlib
    cargo build --release -p whitecap-bulk --example 2_dam_break_front
    bench/plots/dam_break_front.py docs/images/sph-dam-break-front.png
"""
import csv
import io
import os
import subprocess
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

ROOT = Path(__file__).resolve().parent.parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
PROGRAM = TARGET / "release" / "examples" / "2_dam_break_front"

# Phil. Trans. R. Soc. A 244 (1952) 312-324, Fig. 3: column of width a and height 2a.
MEASURED = {
    "measured, a = 1.125 in": ("o", [(0.849, 1.245), (1.212, 1.443), (1.602, 1.884), (2.283, 2.689),
                                     (2.950, 3.728)]),
    "measured, a = 2.25 in": ("s", [(0.832, 1.217), (1.219, 1.474), (1.997, 2.292), (2.547, 2.995)]),
}


def simulated(friction):
    output = subprocess.run([PROGRAM, "2", str(friction)], capture_output=True, text=True, check=True)
    rows = list(csv.DictReader(io.StringIO(output.stdout)))
    return [[float(row[name]) for row in rows] for name in ("T", "front", "tip")]


def main():
    figure, axes = plt.subplots(figsize=(7, 4.6), dpi=130)
    times, front, tip = simulated(0.1)
    axes.plot(times, front, color="#31688e", label="front, friction 0.1")
    axes.plot(times, tip, color="#31688e", linestyle=":", label="foremost particle, friction 0.1")
    times, front, _ = simulated(0.0)
    axes.plot(times, front, color="#35b779", linestyle="--", label="front, no friction")
    for label, (marker, points) in MEASURED.items():
        axes.errorbar(*zip(*points), yerr=[0.08 * z for _, z in points], fmt=marker, color="#440154",
                      capsize=3, linewidth=0.8, label=label + " (bars: 8 %)")
    axes.set_xlabel("time T = t √(2g/a), dimensionless")
    axes.set_ylabel("front Z = x/a, dimensionless")
    axes.set_xlim(0, 3.1)
    axes.set_ylim(1, 4.2)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(sys.argv[1])


if __name__ == "__main__":
    main()
