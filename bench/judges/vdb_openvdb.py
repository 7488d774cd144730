"""Judges Whitecap's OpenVDB files with OpenVDB itself.

Every file of a folder is read and written again by `0c_copy_volume`; OpenVDB's Python module then reads
both and compares every value, background, transform, class and name, and checks which voxels are
active in the copy.

    g++ -O1 -std=c++17 bench/judges/vdb_samples.cc -lopenvdb -ltbb -lImath -o vdb_samples
    mkdir samples && ./vdb_samples samples
    cargo build --release -p whitecap-io --example 0c_copy_volume
    python3 bench/judges/vdb_openvdb.py target/release/examples/0c_copy_volume samples

The module is `pyopenvdb` (Debian's python3-openvdb, OpenVDB 10; it does not know doubles) or
`openvdb` (OpenVDB 12, inside the `bpy` package: put `bpy/*/python/lib/python*/site-packages` on
PYTHONPATH).
"""

import pathlib
import struct
import subprocess
import sys
import tempfile

try:
    import openvdb
except ImportError:
    import pyopenvdb as openvdb


def single(value):
    """The value rounded to single precision, as bits."""
    numbers = value if isinstance(value, tuple) else (value,)
    return struct.pack(f"<{len(numbers)}f", *numbers)


def is_active(value, background, grid_class):
    if grid_class == "level set":
        return abs(value) < background
    return single(value) != single(background)


def differences(original, copy):
    """Yields what differs between a grid and its copy."""
    for what in ("name", "gridClass"):
        if getattr(original, what) != getattr(copy, what):
            yield f"{what}: {getattr(original, what)} became {getattr(copy, what)}"
    if single(original.background) != single(copy.background):
        yield f"background: {original.background} became {copy.background}"
    for index in ((0, 0, 0), (1, 0, 0), (-7, 100, 3)):
        before = original.transform.indexToWorld(index)
        after = copy.transform.indexToWorld(index)
        if any(abs(a - b) > 1e-6 * (1 + abs(a)) for a, b in zip(before, after)):
            yield f"transform: {index} at {before} moved to {after}"
    for source, target in ((original, copy), (copy, original)):
        accessor = target.getConstAccessor()
        for item in source.citerAllValues():
            for corner in (item.min, item.max):
                if single(accessor.getValue(corner)) != single(item.value):
                    yield f"{corner}: {item.value} against {accessor.getValue(corner)}"
                    return
    active = 0
    for item in copy.citerAllValues():
        size = 1
        for low, high in zip(item.min, item.max):
            size *= high - low + 1
        active += size * item.active
        if item.active != is_active(item.value, copy.background, copy.gridClass):
            yield f"{item.min}: {item.value} should{' not' * item.active} be active"
            return
    if (active, copy["file_voxel_count"]) != (copy.activeVoxelCount(),) * 2:
        yield f"{copy.activeVoxelCount()} active voxels, but metadata says {copy['file_voxel_count']}"
    box = (copy["file_bbox_min"], copy["file_bbox_max"])
    if active and box != copy.evalActiveVoxelBoundingBox():
        yield f"active box {copy.evalActiveVoxelBoundingBox()}, but metadata says {box}"


def known_grids(path):
    known = ("float", "double", "vec3s", "vec3d")
    grids = [grid for grid in openvdb.readAll(str(path))[0] if grid.valueTypeName in known]
    return sorted(grids, key=lambda grid: grid.name)


def main():
    copier, folder = sys.argv[1:3]
    failures = 0
    for path in sorted(pathlib.Path(folder).glob("*.vdb")):
        with tempfile.TemporaryDirectory() as scratch:
            copy = pathlib.Path(scratch) / path.name
            subprocess.run([copier, path, copy], check=True, stdout=subprocess.DEVNULL)
            try:
                pairs = list(zip(known_grids(path), known_grids(copy), strict=True))
            except Exception as error:
                print(f"{path.name}: not judged, {error}")
                continue
        found = [f"{a.name}: {text}" for a, b in pairs for text in differences(a, b)]
        failures += len(found)
        voxels = sum(copy.activeVoxelCount() for _, copy in pairs)
        print(f"{path.name}: {len(pairs)} grids, {voxels} active voxels, {found or 'all equal'}")
    print(f"OpenVDB {openvdb.LIBRARY_VERSION}: {failures} differences")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
