"""A layer of the picture that a plug-in adds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Call

RINGS = """
PLUG_POINTS = 1


def rings():
    import numpy as np
    from aggviewer.canvas.layers.layer import Layer
    from aggviewer.canvas.layers.primitives import Circles, Look, Stroke

    class Rings(Layer):
        name, label, tip = "rings", "Rings", "A ring around every disc"

        def take(self, given):
            return given.frame.positions.copy(), given.radii * given.frame.radius_factor

        def marks(self, data, style):
            radii = data[1] * style.camera.scale
            look = Look((Stroke(style.ink("#ffb000", "#a34700"), 3.0),))
            yield Circles(data[0], radii, float(radii.max()), (look,))

    return Rings()


def register(points):
    points.layer("rings", rings)
"""


def test_a_layer_is_switched_on_by_its_name(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rings.py"
    path.write_text(RINGS, encoding="utf-8")
    (tmp_path / "two.csv").write_text("# box = 6 6 walls\nx,y,radius\n1,1.5,0.5\n4,3,0.5\n", encoding="utf-8")
    pictures = []
    for options in ((), ("--layer", "rings")):
        done = call("render", tmp_path / "two.csv", "--out", tmp_path / "a.svg", "--plugin", path, *options)
        assert (done.status, done.err) == (0, "")
        pictures.append((tmp_path / "a.svg").read_text(encoding="utf-8").lower())
    assert "#ffb000" not in pictures[0]
    assert "#ffb000" in pictures[1]
    assert "rings" in call("render", tmp_path / "two.csv", "--out", tmp_path / "a.svg", "--layer", "squares").err
