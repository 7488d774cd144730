#!/usr/bin/env python3
"""Shallow liquid: times compared with published ones, scaling, stable steps, viscosity compared with SPH.

    cargo build --release -p whitecap-cli --bin whitecap
    cargo build --release -p whitecap-pipes --example 1_step_timings --example 3_stable_steps
    bench/pipes.py published [--rounds 5]    the shots of Dagenais et al. 2018, Table 1
    bench/pipes.py growth                    time against columns, 50² to 800²
    bench/pipes.py steps                     longest stable step against resolution (Fig. 16)
    bench/pipes.py incline FOLDER [--plot P] 1 cm³ on an incline compared with SPH (Fig. 18): fronts
    bench/pipes.py spread                    1 cm³ on a plane against Huppert 1982
    bench/pipes.py pictures FOLDER [NAME]    the pictures of docs/pipes.md, all or one
    bench/pipes.py fuzz [--terrains 1000]    moving random terrains

`published` prints milliseconds per frame of a sixtieth of a second: the mean and the largest over all frames
except the first. A frame does the same work in every round, so the fastest round counts for each.
FOLDER keeps the frames of `incline` and `pictures`; existing ones are not made again.
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
WHITECAP = TARGET / "release" / "whitecap"
EXAMPLES = TARGET / "release" / "examples"
PARTS = ["simulation", "surface", "meniscus"]
# Shot, stage, name; printed means and maxima of simulation, surface, rendering and total, in ms on a GTX 970.
PUBLISHED = [
    ("pipes-vertebra", "blood", "surgery", (4.86, 1.10, 0.34, 6.30), (5.43, 2.11, 0.66, 7.04)),
    ("pipes-incline", "inviscid", "viscosity 0", (0.61, 0.43, 0.16, 1.21), (1.05, 0.49, 0.19, 1.63)),
    ("pipes-incline", "blood", "viscosity 4e-6", (0.62, 0.46, 0.16, 1.22), (1.03, 0.52, 0.21, 1.63)),
    ("pipes-incline", "oil", "viscosity 4e-5", (0.60, 0.44, 0.16, 1.21), (1.02, 0.52, 0.25, 2.41)),
    ("pipes-incline", "tar", "viscosity 0.4", (0.60, 0.41, 0.16, 1.20), (0.93, 0.52, 0.22, 2.40)),
    ("pipes-platforms", "liquid", "three layers", (0.32, 0.37, 0.17, 0.86), (0.68, 0.85, 0.89, 1.53)),
    ("pipes-passages", "liquid", "passages", (0.26, 0.34, 0.15, 0.78), (0.50, 0.48, 1.10, 2.36)),
]
# Kinematic viscosities of `incline` in m²/s, its slope, its cells in m, its frames per second and frames.
VISCOSITIES = [1e-4, 4e-4, 1.6e-3]
SLOPE, CELL, FPS, FRAMES = 0.3, 0.0005, 30, 31
# Short enough for the waves of a centimetre of liquid, in s.
STEP = 0.0005
# A depth that is never reached, so that opacity measures depth.
OPAQUE = 0.05


def run(command, **more):
    done = subprocess.run(list(map(str, command)), text=True, capture_output=True, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def frame_times(shot, threads):
    """The metrics of the frames of each stage of a shot; only the report is kept."""
    text = (ROOT / "shots" / f"{shot}.toml").read_text()
    text = re.sub(r'save = \[.*\]\n', "", text).replace('"meshes/', f'"{ROOT}/shots/meshes/')
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "shot.toml"
        file.write_text(text)
        run([WHITECAP, "run", file, "--quiet"], env=dict(os.environ, RAYON_NUM_THREADS=str(threads)))
        report = json.loads(next(Path(folder).rglob("report.json")).read_text())

    def numbers(frame):
        return ({metric["name"]: metric["value"] for metric in frame["metrics"]}
                | {f"{time['name']} time": 1e3 * time["value"] for time in frame["times"]})

    return {stage["name"]: [numbers(frame) for frame in stage["frames"]][1:]
            for stage in report["stages"]}


def published(arguments):
    shots = sorted({row[0] for row in PUBLISHED})
    rounds = [{shot: frame_times(shot, arguments.threads) for shot in shots}
              for _ in range(arguments.rounds)]
    print("| scene | columns | wet | steps | simulation | surface | meniscus | total | printed |")
    print("|---|---|---|---|---|---|---|---|---|")

    def times(frame):
        parts = [frame[f"{part} time"] for part in PARTS]
        return [*parts, sum(parts)]

    for shot, stage, name, means, maxima in PUBLISHED:
        runs = [found[shot][stage] for found in rounds]
        frames = [min(same, key=lambda frame: times(frame)[3]) for same in zip(*runs)]
        columns = list(zip(*map(times, frames)))
        told = [f"{statistics.mean(column):.2f} ({max(column):.2f})" for column in columns]
        print(f"| {name} | {frames[-1]['columns']:.0f} | {max(f['wet columns'] for f in frames):.0f} "
              f"| {statistics.mean(f['steps'] for f in frames):.0f} | {' | '.join(told)} "
              f"| {means[3]:.2f} ({maxima[3]:.2f}) |", flush=True)
        worst = max(frame["error of the volume"] for frame in frames)
        print(f"{name}: {len(frames)} frames, volume within {worst:.1e}", file=sys.stderr)


def growth(arguments):
    environment = dict(os.environ, RAYON_NUM_THREADS=str(arguments.threads))
    for _ in range(arguments.rounds):
        print(run([EXAMPLES / "1_step_timings", "one layer"], env=environment))


def steps(_arguments):
    print(run([EXAMPLES / "3_stable_steps"]))


def incline_name(viscosity):
    """Its viscosity in mm²/s."""
    return f"incline-{1e6 * viscosity:.0f}"


def incline_shot(viscosity):
    low, high = 0.28, 0.29
    top = SLOPE * 0.5 * (low + high) + 0.01
    fill = f"[{{ box = {{ min = [{low}, 0, -0.005], max = [{high}, {top}, 0.005] }} }}]"
    return f"""# A cubic centimetre on an incline.
[shot]
name = "{incline_name(viscosity)}"
frames = [1, {FRAMES}]
fps = {FPS}

[pipes]
kind = "pipes"
terrain = {{ slope = [{SLOPE}, 0] }}
area = {{ min = [-0.1, -0.05], max = [0.3, 0.05] }}
cell = {CELL}
viscosity = {viscosity}
time-step = {STEP}
opaque-depth = {OPAQUE}
fill = {fill}
save = ["ply"]

[sph]
kind = "sph"
spacing = {CELL}
viscosity = {1000 * viscosity}
friction = 10
planes = [{{ point = [0, 0, 0], normal = [{-SLOPE}, 1, 0] }}]
fill = {fill}
save = ["ply"]
"""


def read_vertices(path):
    """The vertices of a binary PLY file, as a NumPy record array."""
    import numpy

    kinds = {"float": "<f4", "double": "<f8", "int": "<i4", "uint": "<u4", "uchar": "u1"}
    data = path.read_bytes()
    head, body = data.split(b"end_header\n", 1)
    fields, count, is_vertex = [], 0, False
    for line in head.decode().splitlines():
        words = line.split()
        if words[0] == "element":
            is_vertex = words[1] == "vertex"
            count = int(words[2]) if is_vertex else count
        elif words[0] == "property" and is_vertex:
            fields.append((words[2], kinds[words[1]]))
    return numpy.frombuffer(body, dtype=fields, count=count)


def liquid(path):
    """Horizontal positions and volumes of the parts of a frame's liquid, in m and m³."""
    import numpy

    vertices = read_vertices(path)
    if "opacity" in vertices.dtype.names:
        volume = vertices["opacity"] * (OPAQUE * CELL * CELL)
    else:
        volume = numpy.full(len(vertices), 1e-6 / len(vertices))
    return vertices["x"], vertices["z"], volume


def front(path):
    """How far down the slope 99.5 % of the volume has got, from the middle of the cube, in m."""
    import numpy

    x, _, volume = liquid(path)
    edges = numpy.arange(-0.1, 0.3 + CELL, CELL)
    parts, _ = numpy.histogram(x, bins=edges, weights=volume)
    behind = numpy.concatenate([[0], numpy.cumsum(parts)])
    place = numpy.interp(0.005 * behind[-1], behind, edges)
    return (0.285 - place) * (1 + SLOPE * SLOPE) ** 0.5


def incline(arguments):
    folder = Path(arguments.folder)
    folder.mkdir(parents=True, exist_ok=True)
    for viscosity in VISCOSITIES:
        file = folder / f"{incline_name(viscosity)}.toml"
        file.write_text(incline_shot(viscosity))
        run([WHITECAP, "run", file, "--quiet"])

    def path(viscosity, stage, frame):
        return folder / "out" / incline_name(viscosity) / stage / f"{stage}.{frame:04}.ply"

    fronts = {(viscosity, stage): [1e3 * front(path(viscosity, stage, frame))
                                   for frame in range(1, FRAMES + 1)]
              for viscosity in VISCOSITIES for stage in ("pipes", "sph")}
    print("| t, s | " + " | ".join(f"ν = {v:g}: pipes | SPH" for v in VISCOSITIES) + " |")
    print("|---|" + "---|---|" * len(VISCOSITIES))
    for frame in (0, 3, 6, 12, 18, 24, 30):
        cells = [f"{fronts[v, stage][frame]:.1f}" for v in VISCOSITIES for stage in ("pipes", "sph")]
        print(f"| {frame / FPS:.1f} | {' | '.join(cells)} |")
    if arguments.plot:
        plot(arguments.plot, fronts, path)


def spread(_arguments):
    """The edge of the self-similar drop with the second moment of ours, with a short step and with the
    default one, compared with 0.894 (g V³ t / 3ν)^⅛."""
    import numpy

    print("| t, s | " + " | ".join(f"ν = {v:g}: pipes | default step | theory" for v in VISCOSITIES) + " |")
    print("|---|" + "---|---|---|" * len(VISCOSITIES))
    fill = '[{"box": {"min": [-0.005, 0, -0.005], "max": [0.005, 0.01, 0.005]}}]'
    rows = {frame: [] for frame in (3, 6, 12, 24, 60)}
    for viscosity in VISCOSITIES:
        for step in [["--time-step", STEP], []]:
            with tempfile.TemporaryDirectory() as folder:
                run([WHITECAP, "pipes", "--area=-0.04,-0.04,0.04,0.04", "--cell", CELL, "--viscosity", viscosity,
                     "--opaque-depth", OPAQUE, *step, "--fps", FPS, "--frames", 61, "--fill", fill, "--quiet",
                     "-o", f"{folder}/drop.####.ply"])
                for frame, row in rows.items():
                    x, z, volume = liquid(Path(folder) / f"drop.{frame + 1:04}.ply")
                    moment = numpy.average(x * x + z * z, weights=volume)
                    row.append(f"{1e3 * (7 / 3 * moment) ** 0.5:.1f}")
        for frame, row in rows.items():
            theory = 0.894 * (9.81 * 1e-18 * frame / FPS / (3 * viscosity)) ** 0.125
            row.append(f"{1e3 * theory:.1f}")
    for frame, row in rows.items():
        print(f"| {frame / FPS:.1f} | {' | '.join(row)} |")


def plot(target, fronts, path):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as pyplot
    import numpy

    figure = pyplot.figure(figsize=(11, 6.2), constrained_layout=True)
    grid = figure.add_gridspec(len(VISCOSITIES), 3, width_ratios=[1.25, 1, 1])
    axes = figure.add_subplot(grid[:, 0])
    colours = pyplot.colormaps["viridis"](numpy.linspace(0.05, 0.8, len(VISCOSITIES)))
    seconds = numpy.arange(FRAMES) / FPS
    for colour, viscosity in zip(colours, VISCOSITIES):
        name = f"ν = {viscosity:g} m²/s"
        axes.plot(seconds, fronts[viscosity, "pipes"], color=colour, label=f"{name}, pipes")
        axes.plot(seconds, fronts[viscosity, "sph"], "--", color=colour, label=f"{name}, SPH")
    axes.set(xlabel="time [s]", ylabel="way of the front down the slope [mm]", xlim=(0, seconds[-1]))
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False, fontsize=9)
    # Two cells wide, so that every bin holds the same number of columns.
    width = 2e3 * CELL * (1 + SLOPE * SLOPE) ** 0.5
    bins = [width * numpy.arange(-20, 61), numpy.arange(-30, 31, 1.0)]
    extent = (bins[0][0], bins[0][-1], -30, 30)
    for row, viscosity in enumerate(VISCOSITIES):
        for column, stage in enumerate(("pipes", "sph")):
            x, z, volume = liquid(path(viscosity, stage, FRAMES))
            down = 1e3 * (0.285 - x) * (1 + SLOPE * SLOPE) ** 0.5
            depth, _, _ = numpy.histogram2d(down, 1e3 * z, bins=bins, weights=1e9 * volume / width)
            part = figure.add_subplot(grid[row, column + 1])
            depth[depth == 0] = numpy.nan
            image = part.imshow(depth.T, extent=extent, origin="lower", aspect="auto",
                                cmap="viridis", vmin=0, vmax=3)
            part.set(xlim=(-20, 40), ylim=(-22, 22))
            part.set_title(f"{'pipes' if stage == 'pipes' else 'SPH'}, ν = {viscosity:g}, 1 s", fontsize=9)
            if row == len(VISCOSITIES) - 1:
                part.set_xlabel("down the slope [mm]", fontsize=9)
    figure.colorbar(image, ax=figure.axes[1:], label="depth [mm]", shrink=0.6)
    figure.savefig(target, dpi=110)


BLOOD = "{ plastic = { color = [0.3, 0.006, 0.008], roughness = 0.12 } }"
SYRUP = "{ liquid = { color = [0.8, 0.15, 0.12], depth = 0.001 } }"
PAINT = "{ plastic = { color = [0.1, 0.3, 0.55], roughness = 0.05 } }"
WATER = "{ liquid = { color = [0.45, 0.75, 0.9], depth = 0.02 } }"
IVORY = "{ matt = { color = [0.72, 0.64, 0.5] } }"
STONE = "{ matt = { color = [0.62, 0.6, 0.57] } }"
# Picture: shot, terrain, its material, the liquid's, camera, width and height, panels of (stage, frame).
PICTURES = {
    "vertebra": ("pipes-vertebra", IVORY, BLOOD,
                 "position = [0.05, 0.17, -0.11], target = [0, 0.025, -0.004], field-of-view = 33",
                 (640, 520), [("blood", 60), ("blood", 200), ("blood", 400), ("blood", 600)]),
    "platforms": ("pipes-platforms", STONE, WATER,
                  "position = [0.12, 0.12, 0.13], target = [0, 0.012, 0], field-of-view = 33",
                  (640, 480), [("liquid", 60), ("liquid", 150), ("liquid", 300), ("liquid", 600)]),
    "falls": ("pipes-falls", STONE, WATER,
              "position = [0.14, 0.1, 0.125], target = [0.002, 0.014, 0], field-of-view = 31",
              (640, 480), [("pouring", 100), ("pouring", 600)]),
    "passages": ("pipes-passages", STONE, PAINT,
                 "position = [0.05, 0.2, 0.09], target = [0, 0.01, 0], field-of-view = 33",
                 (560, 480), [("liquid", 60), ("liquid", 900), ("blocked", 900)]),
    "incline": ("pipes-incline", STONE, SYRUP,
                "position = [-0.1, 0.13, 0.05], target = [0.05, 0.008, 0.05], field-of-view = 36",
                (480, 420), [("inviscid", 181), ("blood", 181), ("oil", 181), ("tar", 181)]),
    "meniscus": ("pipes-meniscus", IVORY, PAINT,
                 "position = [0.02, 0.03, 0.05], target = [0.0035, 0.008, 0.001], field-of-view = 20",
                 (640, 360), [("flat", 2), ("concave", 2), ("uncapped", 2), ("convex", 2)]),
}
# Terrains that are not named after their shot, and stages whose drops are in the air in a picture.
TERRAINS = {"meniscus": "pipes-dish", "falls": "pipes-platforms"}
DROPS = {"falls": "drops"}
LIGHT = """environment = { sky = { zenith = [0.4, 0.45, 0.52], horizon = [0.62, 0.63, 0.65], ground = [0.2, 0.2, 0.2] } }
lights = [
    { lamp = { position = [-0.35, 0.5, -0.25], target = [0, 0, 0], size = 0.25, radiance = [16, 15, 13.5] } },
    { lamp = { position = [0.4, 0.3, 0.4], target = [0, 0, 0], size = 0.2, radiance = [4, 4.4, 5] } },
]
"""


def render_shot(name, stage, frame, samples):
    shot, terrain, liquid_material, camera, (width, height), _ = PICTURES[name]
    mesh = f"{ROOT}/shots/meshes/{TERRAINS.get(name, shot)}.ply"
    surface = f"out/{shot}/{stage}/{stage}.####.ply"
    source, more = f'content = "mesh"\npath = "{surface}"', ""
    if name in DROPS:
        # Drops are hit directly; the liquid at rest is an object beside them.
        source = f'path = "out/{shot}/{DROPS[name]}/{DROPS[name]}.####.ply"'
        more = f', {{ shape = {{ mesh = {{ path = "{surface}" }} }}, material = {liquid_material} }}'
    return f"""# A picture.
[shot]
name = "{name}-{stage}-{frame}"
frames = [{frame}, {frame}]

[liquid]
kind = "cache"
{source}

[picture]
kind = "render"
surface = "liquid"
liquid = {{ method = "blobs" }}
width = {width}
height = {height}
samples = {samples}
clamp = 6
camera = {{ {camera} }}
material = {liquid_material}
objects = [{{ shape = {{ mesh = {{ path = "{mesh}" }} }}, material = {terrain} }}{more}]
{LIGHT}save = ["png"]
"""


def pictures(arguments):
    from PIL import Image

    folder = Path(arguments.folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for name in [arguments.name] if arguments.name else PICTURES:
        shot, _, _, _, (width, height), panels = PICTURES[name]
        text = (ROOT / "shots" / f"{shot}.toml").read_text()
        file = folder / f"{shot}.toml"
        file.write_text(text.replace('"meshes/', f'"{ROOT}/shots/meshes/'))
        run([WHITECAP, "run", file, "--quiet"])
        columns = 2 if len(panels) == 4 else len(panels)
        rows = -(-len(panels) // columns)
        sheet = Image.new("RGB", (columns * width, rows * height))
        for place, (stage, frame) in enumerate(panels):
            file = folder / f"{name}-{stage}-{frame}.toml"
            file.write_text(render_shot(name, stage, frame, arguments.samples))
            run([WHITECAP, "run", file, "--quiet"])
            picture = folder / "out" / f"{name}-{stage}-{frame}" / "picture" / f"picture.{frame:04}.png"
            with Image.open(picture) as panel:
                sheet.paste(panel.convert("RGB"), (place % columns * width, place // columns * height))
        if sheet.width > 1080:
            sheet = sheet.resize((1080, 1080 * sheet.height // sheet.width), Image.LANCZOS)
        sheet.quantize(256, dither=Image.Dither.NONE).save(
            ROOT / "docs" / "images" / f"pipes-{name}.png", optimize=True)


def fuzz(arguments):
    command = ["cargo", "test", "--release", "-p", "whitecap-pipes", "--test", "random_terrains"]
    environment = dict(os.environ, WHITECAP_PIPES_TERRAINS=str(arguments.terrains))
    sys.exit(subprocess.run(command, cwd=ROOT, env=environment).returncode)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=["published", "growth", "steps", "incline", "spread", "pictures", "fuzz"])
    parser.add_argument("folder", nargs="?", default="frames")
    parser.add_argument("name", nargs="?", choices=list(PICTURES))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--samples", type=int, default=96)
    parser.add_argument("--plot")
    parser.add_argument("--terrains", type=int, default=1000)
    arguments = parser.parse_args()
    work = {"published": published, "growth": growth, "steps": steps, "incline": incline,
            "spread": spread, "pictures": pictures, "fuzz": fuzz}
    work[arguments.what](arguments)


if __name__ == "__main__":
    main()
