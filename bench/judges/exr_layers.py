"""Checks whitecap-io's OpenEXR layers against independent readers: OpenEXR itself and Blender.

Usage: python3 bench/judges/exr_layers.py

Needs `pip install OpenEXR numpy`, and `pip install bpy` for Blender. Writes a file with every pass by the
crate's example, compares every value that OpenEXR reads
with the formula of the example, and looks for every pass in Blender's compositor.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import OpenEXR

try:
    import bpy
except ImportError:
    bpy = None

PASSES = {
    "Combined": "RGBA", "Diffuse": "RGB", "Reflection": "RGB", "Refraction": "RGB", "Volume": "RGB",
    "Emission": "RGB",
    "Depth": "Z", "Position": "XYZ", "Normal": "XYZ", "Velocity": "XYZ", "Vector": "XYZW",
    "Object": "X", "Material": "X", "Particle": "X", "FilmThickness": "X",
}
WHOLE = ("Object", "Material", "Particle")
HALF = ("Combined", "Diffuse", "Reflection", "Refraction", "Volume", "Emission", "Normal")
WIDTH, HEIGHT = 64, 48
failures = []


def check(what, condition):
    print(("ok   " if condition else "FAIL ") + what)
    if not condition:
        failures.append(what)


def expected(number, name, component):
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    if name in WHOLE:
        return (1000 * number + 64 * y + x).astype(np.uint32)
    values = (number + 10 * component + x / 64 + y / 4096).astype(np.float32)
    return values.astype(np.float16) if name in HALF else values


def judge_openexr(path):
    with OpenEXR.File(str(path), separate_channels=True) as file:
        channels = file.channels()
        check("OpenEXR finds every channel", len(channels) == sum(map(len, PASSES.values())))
        for number, (name, letters) in enumerate(PASSES.items()):
            for component, letter in enumerate(letters):
                found = channels[f"ViewLayer.{name}.{letter}"].pixels
                wanted = expected(number, name, component)
                same = found.dtype == wanted.dtype and np.array_equal(found, wanted)
                check(f"OpenEXR {name}.{letter} ({wanted.dtype})", same)


def judge_blender(path):
    """Blender's image node in the compositor has one output for each pass."""
    image = bpy.data.images.load(str(path))
    scene = bpy.context.scene
    tree = compositor_of(scene)
    node = tree.nodes.new("CompositorNodeImage")
    node.image = image
    outputs = {socket.name for socket in node.outputs if socket.enabled}
    check(f"Blender takes the file as multilayer ({image.type})", image.type == "MULTILAYER")
    for name in PASSES:
        check(f"Blender's compositor has an output {name}", name in outputs)
    layers = getattr(node, "layer", None)
    check(f"Blender's layer is called {layers}", layers == "ViewLayer")


def compositor_of(scene):
    # Since version 5 a compositor is a node group of its own.
    if hasattr(scene, "compositing_node_group"):
        scene.compositing_node_group = bpy.data.node_groups.new("judge", "CompositorNodeTree")
        return scene.compositing_node_group
    scene.use_nodes = True
    return scene.node_tree


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "layers.exr"
        command = "cargo run --release --quiet -p whitecap-io --example 0d_write_layers --"
        subprocess.run([*command.split(), str(path)], check=True)
        judge_openexr(path)
        if bpy is None:
            print("skip Blender: bpy is not installed")
        else:
            judge_blender(path)
    print(f"{len(failures)} failures")
    sys.exit(bool(failures))


main()
