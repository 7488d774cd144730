#!/usr/bin/env python3
"""Runs the example shots that simulate a liquid and checks what every one of them must guarantee.

    python3 bench/sph_shots.py                      # the shots that take minutes
    python3 bench/sph_shots.py dam-break-125k       # others by name
    python3 bench/sph_shots.py --whitecap PATH --output FOLDER

For every frame the report must count no particle inside a solid and none outside the domain. The
number of particles never falls, as none of these shots has a kill volume. In the saved files
identities are unique, and no identity of an earlier file is missing in a later one; the large shots
save no files, and the table says so. Prints a table; exits with code 1 if anything is broken. Needs
the command (cargo build --release) and Python's standard library.
"""

import argparse
import csv
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHOTS = ["dam-break", "drop-into-pool", "viscous-toy", "pour", "stirred-tank"]
# The identities of every n-th saved frame are compared.
STRIDE = 8


def identities(command, file, scratch):
    """The `id` column of a particle file."""
    table = scratch / "identities.csv"
    subprocess.run([command, "--quiet", "convert", file, table], check=True)
    with open(table, newline="") as lines:
        return [int(row["id"]) for row in csv.DictReader(lines)]


def metrics(stage):
    """The numbers of every frame by name."""
    return [{m["name"]: m["value"] for m in frame["metrics"]} for frame in stage["frames"]]


def check(command, name, output):
    """Runs a shot; returns its row of the table and what is broken."""
    shot = ROOT / "shots" / f"{name}.toml"
    folder = output / name
    subprocess.run([command, "--quiet", "run", shot, "-o", folder], check=True)
    report = json.loads((folder / "report.json").read_text())
    stage = next(stage for stage in report["stages"] if stage["kind"] == "sph")
    frames = metrics(stage)
    broken = []
    for key in ["particles inside a solid", "particles outside the domain"]:
        worst = max(frame[key] for frame in frames)
        if worst > 0:
            broken.append(f"{worst:.0f} {key}")
    counts = [frame["particles"] for frame in frames]
    if any(later < earlier for earlier, later in zip(counts, counts[1:])):
        broken.append("particles were lost")
    files = sorted((folder / stage["name"]).glob("*.bgeo"))
    known = set()
    compared = files[::STRIDE] + files[-1:]
    for file in compared:
        found = identities(command, file, folder)
        if len(set(found)) != len(found):
            broken.append(f"{file.name}: identities are not unique")
        if not known <= set(found):
            broken.append(f"{file.name}: {len(known - set(found))} identities are missing")
        known = set(found)
    moving = frames[1:]
    row = {
        "shot": name,
        "particles": f"{counts[-1]:.0f}",
        "frames": str(len(frames)),
        "steps": f"{sum(frame['steps'] for frame in moving):.0f}",
        "iterations": f"{sum(frame['iterations per step'] for frame in moving) / len(moving):.1f}",
        "compression %": f"{max(frame['largest compression'] for frame in moving):.2f}",
        "seconds": f"{sum(frame['seconds'] for frame in stage['frames']):.0f}",
        # A run that found everything up to date knows the times of the earlier run, but not its memory.
        "MB": f"{(report['peak_bytes'] or 0) / 1e6:.0f}" if stage["computed"] else "–",
        "identities": f"{len(compared)} files" if compared else "not saved",
        "kept": "yes" if not broken else "; ".join(broken),
    }
    return row, broken


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("shots", nargs="*", default=SHOTS)
    arguments.add_argument("--whitecap", default=ROOT / "target/release/whitecap")
    arguments.add_argument("--output", type=Path, default=ROOT / "out/shots")
    given = arguments.parse_args()
    rows, all_kept = [], True
    for name in given.shots:
        row, broken = check(given.whitecap, name, given.output)
        all_kept = all_kept and not broken
        rows.append(row)
        print(f"{name}: {'good' if not broken else row['kept']}", file=sys.stderr)
    print("| " + " | ".join(rows[0]) + " |")
    print("|" + "---|" * len(rows[0]))
    for row in rows:
        print("| " + " | ".join(row.values()) + " |")
    return 0 if all_kept else 1


if __name__ == "__main__":
    sys.exit(main())
