"""Renders twenty varied inputs with `whitecap render` as it is, without a flag, and joins them to a sheet.

Usage: python3 bench/default_looks.py WHITECAP FOLDER [--data FOLDER] [--inputs-only] [flags for render]

Inputs are shapes made here, short runs of whitecap itself and, with --data, caches of another solver
(dam20k, doubledam and viscousbunny, of SPlisHSPlasH). The sheet is
FOLDER/default-looks.png; what is already in the folder is not made again.
"""

import math
import random
import subprocess
import sys
from pathlib import Path


def write_ply(path, points, faces):
    with open(path, "w") as file:
        file.write(f"ply\nformat ascii 1.0\nelement vertex {len(points)}\n")
        file.write("property float x\nproperty float y\nproperty float z\n")
        file.write(f"element face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n")
        file.writelines("%.7g %.7g %.7g\n" % tuple(point) for point in points)
        file.writelines("3 %d %d %d\n" % tuple(face) for face in faces)


def write_csv(path, points):
    with open(path, "w") as file:
        file.write("x,y,z\n")
        file.writelines("%.7g,%.7g,%.7g\n" % tuple(point) for point in points)


def tube(path, curve, radius, count=480, around=48):
    """A closed tube along a closed curve."""
    centers = [curve(2 * math.pi * i / count) for i in range(count)]
    points, faces = [], []
    for i, center in enumerate(centers):
        ahead, behind = centers[(i + 1) % count], centers[i - 1]
        along = unit([a - b for a, b in zip(ahead, behind)])
        side = unit(cross(along, (0.31, 0.87, 0.38)))
        other = cross(along, side)
        for j in range(around):
            angle = 2 * math.pi * j / around
            points.append([c + radius * (math.cos(angle) * s + math.sin(angle) * o)
                           for c, s, o in zip(center, side, other)])
    for i in range(count):
        for j in range(around):
            a, b = i * around + j, i * around + (j + 1) % around
            c, d = (a + around) % len(points), (b + around) % len(points)
            faces += [(a, b, d), (a, d, c)]
    write_ply(path, points, faces)


def lathe(path, profile, around=128):
    """A closed surface of revolution; the profile leads from the bottom of the axis to its top."""
    points, faces = [(0, profile[0][1], 0)], []
    inner = profile[1:-1]
    for radius, height in inner:
        for j in range(around):
            angle = 2 * math.pi * j / around
            points.append((radius * math.cos(angle), height, -radius * math.sin(angle)))
    points.append((0, profile[-1][1], 0))
    top = len(points) - 1
    for i in range(len(inner) - 1):
        for j in range(around):
            a, b = 1 + i * around + j, 1 + i * around + (j + 1) % around
            faces += [(a, b, b + around), (a, b + around, a + around)]
    for j in range(around):
        k = (j + 1) % around
        faces += [(0, 1 + k, 1 + j), (top, top - around + j, top - around + k)]
    write_ply(path, points, faces)


def sheet(path, width, height, count=160):
    """An open sheet over a square; `height` gives it at x, z."""
    at = lambda i: width * (i / count - 0.5)
    points = [(at(i), height(at(i), at(j)), at(j)) for j in range(count + 1) for i in range(count + 1)]
    faces = []
    for j in range(count):
        for i in range(count):
            a, c = j * (count + 1) + i, (j + 1) * (count + 1) + i
            faces += [(a, c, c + 1), (a, c + 1, a + 1)]
    write_ply(path, points, faces)


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(v):
    length = math.sqrt(sum(x * x for x in v))
    return tuple(x / length for x in v)


def ball(radius, squash=1.0, count=64):
    steps = [math.pi * i / count for i in range(count + 1)]
    return [(radius * math.sin(a), radius * squash * (1 - math.cos(a))) for a in steps]


def lattice(spacing, size, inside):
    counts = [int(s / spacing) for s in size]
    for i in range(counts[0]):
        for j in range(counts[1]):
            for k in range(counts[2]):
                point = [(n + 0.5) * spacing - 0.5 * s for n, s in zip((i, j, k), size)]
                point[1] += 0.5 * size[1]
                if inside(*point):
                    yield point


def sea(waves):
    def height(x, z):
        return sum(a * math.sin(2 * math.pi * (x * math.cos(d) + z * math.sin(d)) / l + p)
                   for l, a, d, p in waves)
    return height


def swell(lengths, steepness, seed):
    dice = random.Random(seed)
    return sea([(l, steepness * l, dice.gauss(0.5, 0.5), dice.uniform(0, 6.3)) for l in lengths])


def crown(spacing):
    """A splash: a pool, a wall with fingers, drops above it."""
    dice = random.Random(7)
    for point in lattice(spacing, (0.03, 0.003, 0.03), lambda x, y, z: x * x + z * z < 0.015**2):
        yield point
    for n in range(16):
        angle = 2 * math.pi * n / 16 + dice.uniform(-0.1, 0.1)
        reach = dice.uniform(0.004, 0.0075)
        for i in range(int((0.003 + reach) / spacing) + 3):
            y = i * spacing
            wide = 0.5 if y < 0.0045 else 0.16
            radius = 0.006 + 0.35 * y
            for j in range(-6, 7):
                turn = angle + wide * j / 16
                if abs(turn - angle) < 0.5 * wide:
                    yield (radius * math.cos(turn), 0.003 + y, radius * math.sin(turn))
                    yield ((radius + spacing) * math.cos(turn), 0.003 + y, (radius + spacing) * math.sin(turn))


def shapes(folder):
    """Name, what it is, and the file."""
    made = []

    def add(name, caption, file, make):
        path = folder / file
        if not path.exists():
            make(path)
        made.append((name, caption, path))

    add("drop", "drop, 4 mm", "drop.ply", lambda p: lathe(p, ball(0.002, 0.8)))
    add("crown", "splash of 3 cm, CSV", "crown.csv", lambda p: write_csv(p, crown(0.0004)))
    knot = lambda r: lambda t: (r * (2 + math.cos(3 * t)) * math.cos(2 * t) / 3, r * math.sin(3 * t) / 3,
                                r * (2 + math.cos(3 * t)) * math.sin(2 * t) / 3)
    add("knot", "knot, 10 cm", "knot.ply", lambda p: tube(p, knot(0.05), 0.009))
    vase = [(0, 0), *((0.1 + 0.05 * math.sin(9 * t) * (1 - t), 0.4 * t) for t in
                      [i / 80 for i in range(81)]), (0, 0.4)]
    add("vase", "vase, 40 cm", "vase.ply", lambda p: lathe(p, vase))
    add("pond", "pond, 3 m: an open sheet", "pond.ply", lambda p: sheet(
        p, 3, lambda x, z: 0.12 * math.exp(-1.5 * math.hypot(x, z)) * math.cos(14 * math.hypot(x, z))))
    add("pool", "pool, 25 m: an open sheet", "pool.ply",
        lambda p: sheet(p, 25, swell([9, 6, 4, 2.5, 1.6, 1.1], 0.012, 3)))
    add("sea", "sea, 1 km: an open sheet", "sea.ply",
        lambda p: sheet(p, 1000, swell([260, 170, 110, 75, 50, 34], 0.011, 5), 220))
    add("wave", "wave, 2 km", "wave.ply", lambda p: lathe(p, [(0, 0), (1000, 0), *(
        (1000 - 10 * i, 120 + 60 * math.cos(0.02 * (1000 - 10 * i)) * (1 - (1 - i / 100) ** 2))
        for i in range(100)), (0, 180)]))
    add("ring", "ring of particles, 2 m", "ring.csv", lambda p: write_csv(p, lattice(
        0.04, (2, 0.6, 2), lambda x, y, z: (math.hypot(x, z) - 0.75) ** 2 + (y - 0.3) ** 2 < 0.22**2)))
    strays = lambda: [*lattice(0.05, (2, 1, 1), lambda x, y, z: y < 0.7 + 0.3 * math.sin(3 * x)),
                      (300, 40, -20), (-90, 7, 500)]
    add("stray", "block, two particles 500 m away", "stray.csv", lambda p: write_csv(p, strays()))
    add("tower", "tower of water, 300 m", "tower.csv", lambda p: write_csv(p, lattice(
        6, (120, 300, 120), lambda x, y, z: math.hypot(x, z) < 25 + 25 * math.cos(0.03 * y) ** 2)))
    add("bowl", "lens, 1 m", "lens.ply", lambda p: lathe(p, [(0.5 * math.sin(a), 0.12 + 0.12 * (
        -math.cos(a)) * (1.4 if a > math.pi / 2 else 1)) for a in [math.pi * i / 80 for i in range(81)]]))
    add("jet", "jet, 8 m", "jet.ply", lambda p: tube(p, lambda t: (
        4 * math.sin(t), 2.6 + 2.2 * math.cos(2 * t) * math.cos(t), 1.3 * math.sin(2 * t)), 0.35))
    return made


def foreign(data, folder):
    files = [("dam20k", "dam break of SPlisHSPlasH", "dam20k/frame_0020.bgeo"),
             ("doubledam", "two dams of SPlisHSPlasH", "doubledam/frame_0012.bgeo"),
             ("bunny", "viscous toy of SPlisHSPlasH", "viscousbunny/frame_0020.bgeo")]
    return [(n, c, data / f) for n, c, f in files if data and (data / f).exists()]


def runs(whitecap, folder):
    """Results of whitecap's own commands."""
    def command(*arguments):
        subprocess.run([whitecap, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)

    made = []
    flow = folder / "flow.0024.bgeo"
    if not flow.exists():
        command("sph", "--fill-box", "0,0,0,0.8,1,1", "--domain", "0,0,0,2,2,1", "--spacing", "0.05",
                "--frames", "24", "-o", folder / "flow.####.bgeo")
    made.append(("flow", "dam break of whitecap sph", flow))
    for name, caption, file, source in [
        ("mesh", "the same as a mesh", "flow.ply", flow),
        ("ringmesh", "the ring as a mesh", "ring.ply", folder / "ring.csv"),
    ]:
        if not (folder / file).exists():
            command("surface", source, "-o", folder / file)
        made.append((name, caption, folder / file))
    knot = folder / "knot.vdb"
    if not knot.exists():
        command("convert", folder / "knot.ply", knot, "--cell", "0.001")
    made.append(("knotvdb", "the knot as a distance field", knot))
    vtk = folder / "ring.vtk"
    if not vtk.exists():
        command("convert", folder / "ring.csv", vtk)
    made.append(("vtk", "the ring, VTK", vtk))
    rill = folder / "rill.0040.ply"
    if not rill.exists():
        command("pipes", "--terrain-slope", "0.2,0", "--area", "0,0,0.2,0.1", "--cell", "0.001",
                "--frames", "40", "--fill-sphere", "0.15,0.04,0.05,0.015", "-o", folder / "rill.####.ply")
    made.append(("rill", "puddle of whitecap pipes", rill))
    return made


def main():
    arguments = sys.argv[1:]
    data = None
    if "--data" in arguments:
        place = arguments.index("--data")
        data = Path(arguments[place + 1])
        del arguments[place:place + 2]
    inputs_only = "--inputs-only" in arguments
    whitecap, folder, *flags = [a for a in arguments if a != "--inputs-only"]
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    entries = [*shapes(folder), *runs(whitecap, folder), *foreign(data, folder)][:20]
    if inputs_only:
        return
    pictures = []
    for name, _, path in entries:
        picture = folder / f"{name}.png"
        if not picture.exists():
            subprocess.run([whitecap, "render", path, "-o", picture, *flags], check=True)
        pictures.append(picture)
    captions = ",".join(f"{caption}".replace(",", "\\,") for _, caption, _ in entries)
    subprocess.run([whitecap, "sheet", *pictures, "--columns", "4", "--cell-width", "288", "--captions", captions,
                    "-o", folder / "default-looks.png"], check=True)


main()
