"""Checks whitecap-io's files against independent readers: meshio, trimesh, NumPy.

Usage: python3 bench/judges/io_formats.py PARTICLES.bgeo MESH.ply

Needs `pip install meshio trimesh numpy`, and `vtk` for what only VTK itself can judge. Converts both files to every format with the crate's two
examples, reads each result with another program, and compares bit for bit. Then the other way: files
written by those programs are converted by Whitecap and compared.
"""

import gzip
import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import meshio
import numpy as np
import trimesh

try:
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
except ImportError:
    vtk = None

CARGO = ["cargo", "run", "--release", "--quiet", "-p", "whitecap-io", "--example"]
failures = []


def convert(example, *arguments):
    subprocess.run([*CARGO, example, "--", *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def check(what, condition):
    print(("ok   " if condition else "FAIL ") + what)
    if not condition:
        failures.append(what)


def same(a, b):
    a, b = np.asarray(a), np.asarray(b)
    return a.shape == b.shape and bool(np.array_equal(a, b))


def read_classic_bgeo(path):
    """The layout partio documents, written down here a second time on purpose."""
    data = Path(path).read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    assert data[:5] == b"BgeoV"
    header = struct.unpack(">9I", data[5:41])
    assert header[0] == 5
    points, attributes = header[1], header[5]
    offset, fields = 41, [("P", ">f4", 4)]
    for _ in range(attributes):
        (length,) = struct.unpack_from(">H", data, offset)
        name = data[offset + 2 : offset + 2 + length].decode()
        size, kind = struct.unpack_from(">HI", data, offset + 2 + length)
        offset += 8 + length + 4 * size
        fields.append((name, ">i4" if kind == 1 else ">f4", size))
    record = np.dtype([(name, kind, (size,)) for name, kind, size in fields])
    return np.frombuffer(data, record, points, offset)


def read_with_vtk(path):
    """Points, triangles (flat) and point data as VTK's own readers see them."""
    kind = vtk.vtkXMLUnstructuredGridReader if path.suffix == ".vtu" else vtk.vtkDataSetReader
    reader = kind()
    reader.SetFileName(str(path))
    reader.Update()
    grid = reader.GetOutput()
    cells = grid.GetPolys() if path.suffix == ".vtk" and grid.IsA("vtkPolyData") else grid.GetCells()
    data = grid.GetPointData()
    arrays = {data.GetArrayName(i): vtk_to_numpy(data.GetArray(i)) for i in range(data.GetNumberOfArrays())}
    return vtk_to_numpy(grid.GetPoints().GetData()), vtk_to_numpy(cells.GetConnectivityArray()), arrays


def particles(source, folder):
    truth = read_classic_bgeo(source)
    position, velocity, identity = truth["P"][:, :3], truth["velocity"], truth["id"][:, 0]

    for target in ["p.bgeo", "p.bgeo.gz"]:
        convert("0a_convert_particles", source, folder / target)
        again = read_classic_bgeo(folder / target)
        check(f"{target}: classic layout", same(again["P"], truth["P"]) and same(again["velocity"], velocity) and same(again["id"], truth["id"]))

    for target in ["p.vtk", "p.vtu", "p.ply"]:
        convert("0a_convert_particles", source, folder / target)
        read = meshio.read(folder / target)
        check(f"{target}: meshio positions", same(read.points, position))
        if target != "p.ply":
            check(f"{target}: meshio velocity", same(read.point_data["velocity"], velocity))
        else:
            axes = [read.point_data[axis] for axis in ("vx", "vy", "vz")]
            check(f"{target}: meshio velocity", same(np.stack(axes, axis=1), velocity))
        check(f"{target}: meshio id", same(np.ravel(read.point_data["id"]), identity))
        if vtk and target != "p.ply":
            points, _, arrays = read_with_vtk(folder / target)
            check(f"{target}: VTK", same(points, position) and same(arrays["velocity"], velocity) and same(arrays["id"], identity))

    convert("0a_convert_particles", source, folder / "p.npz")
    arrays = np.load(folder / "p.npz")
    check("p.npz: numpy", all(same(arrays[name], value) for name, value in [("position", position), ("velocity", velocity), ("id", identity)]))

    convert("0a_convert_particles", source, folder / "p.csv")
    table = np.genfromtxt(folder / "p.csv", delimiter=",", names=True, dtype=None)
    columns = np.stack([table[axis] for axis in ("x", "y", "z")], axis=1).astype(np.float32)
    check("p.csv: numpy", same(columns, position) and same(table["id"], identity))
    convert("0a_convert_particles", source, folder / "p.xyz")
    check("p.xyz: numpy", same(np.loadtxt(folder / "p.xyz")[:, :3].astype(np.float32), position))

    convert("0a_convert_particles", source, folder / "p.geo")
    root = json.loads((folder / "p.geo").read_text())
    geometry = dict(zip(root[::2], root[1::2]))
    points = dict(zip(geometry["attributes"][::2], geometry["attributes"][1::2]))["pointattributes"]
    definition, data = points[0]
    values = data[data.index("values") + 1]
    raw = np.array(values[values.index("rawpagedata") + 1], np.float32).reshape(-1, 3)
    check("p.geo: json", definition[definition.index("name") + 1] == "P" and same(raw, position))
    convert("0a_convert_particles", source, folder / "j.bgeo", "bgeo-json")

    # Whitecap as the reader: everything must lead back to the same classic file.
    meshio.write(folder / "m.vtu", meshio.Mesh(position.astype("f4"), [("vertex", np.arange(len(position))[:, None])], {"velocity": velocity.astype("f4"), "id": identity.astype("i4")}))
    meshio.write(folder / "m.vtk", meshio.read(folder / "m.vtu"))
    np.savez_compressed(folder / "m.npz", position=position, velocity=velocity, id=identity)
    for origin in ["p.vtk", "p.vtu", "p.ply", "p.npz", "p.csv", "p.xyz", "p.geo", "j.bgeo", "m.vtu", "m.vtk", "m.npz"]:
        convert("0a_convert_particles", folder / origin, folder / "back.bgeo")
        back = read_classic_bgeo(folder / "back.bgeo")
        check(f"{origin} -> bgeo", all(same(back[name], truth[name]) for name in ("P", "velocity", "id")))


def meshes(source, folder):
    truth = trimesh.load(source, process=False)
    corners = lambda mesh: np.asarray(mesh.vertices, np.float32)[np.asarray(mesh.faces)]
    for target in ["m.ply", "m.obj", "m.stl", "m.glb", "m.gltf"]:
        convert("0b_convert_mesh", source, folder / target)
        read = trimesh.load(folder / target, process=False, force="mesh")
        check(f"{target}: trimesh", same(corners(read), corners(truth)))
    for target in ["m.vtk", "m.vtu", "m.ply", "m.obj", "m.stl"]:
        convert("0b_convert_mesh", source, folder / target)
        if target != "m.vtk":  # meshio reads no POLYDATA
            read = meshio.read(folder / target)
            triangles = np.asarray(read.points, np.float32)[read.cells_dict["triangle"]]
            check(f"{target}: meshio", same(triangles, corners(truth)))
        if vtk and target in ("m.vtk", "m.vtu"):
            points, vertices, _ = read_with_vtk(folder / target)
            check(f"{target}: VTK", same(points[vertices.reshape(-1, 3)], corners(truth)))
        convert("0b_convert_mesh", folder / target, folder / "back.ply")
        back = trimesh.load(folder / "back.ply", process=False)
        check(f"{target} -> ply", same(corners(back), corners(truth)))
    binary_ply = meshio.Mesh(truth.vertices.astype("f4"), [("triangle", truth.faces)])
    for name, options in [("a.ply", {"binary": False}), ("b.vtk", {"binary": False}), ("c.stl", {"binary": False}), ("d.vtu", {"binary": False}), ("e.vtu", {"compression": None}), ("f.vtu", {"compression": "zlib"}), ("g.obj", {})]:
        meshio.write(folder / name, binary_ply, **options)
        convert("0b_convert_mesh", folder / name, folder / "back.ply")
        back = trimesh.load(folder / "back.ply", process=False)
        exact = same(corners(back), corners(truth))
        close = back.faces.shape == truth.faces.shape and np.allclose(corners(back), corners(truth), rtol=1e-5, atol=1e-6)
        check(f"meshio {name} {options} -> ply" + ("" if exact else " (to the digits written)"), exact or close)


with tempfile.TemporaryDirectory() as scratch:
    particles(sys.argv[1], Path(scratch))
    meshes(sys.argv[2], Path(scratch))
print(f"{len(failures)} failures")
sys.exit(bool(failures))
