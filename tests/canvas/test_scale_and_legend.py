"""What scale bar, legends and arrows say is what they measure: texts, and places in a vector picture."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from math import pi
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PyQt6.QtGui import QFontMetricsF

from aggviewer.canvas import colors
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.layers.forces import forces_of
from aggviewer.canvas.layers.primitives import Lines, Text
from aggviewer.canvas.legend import Entry, cards
from aggviewer.canvas.overlays import ramp_numbers, scale_text
from aggviewer.canvas.picture import Painter
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from aggviewer.session.coloring import Coloring
from engine.frame import Network

from .drawing import Noted

SPEED = Coloring("speed", "Speed", "length / time", (0.0, 4.0))
WIDTH, HEIGHT, SCALE = 600, 400, 40.0


@dataclass
class Drawn:
    """Texts with the place of their beginning, all of them, and lines as (x, y) of their ends, in pixels."""

    texts: dict[str, tuple[float, float]]
    drawn_texts: list[str]
    lines: list[tuple[float, float, float, float]]


def drawn(view: ViewModel, coloring: Coloring = SPEED, **data: Any) -> Drawn:
    """What lies over two discs of radius 0.5 in a box of 15 by 10, 40 pixels for a unit of length."""
    scene, camera, noted = Scene(), Camera(7.5, 5.0, SCALE, WIDTH, HEIGHT), Noted()
    scene.replace_discs(np.full(2, 0.5), np.array([15.0, 10.0]), False)
    scene.set_frame(np.array([[4.0, 5.0], [6.0, 5.0]]), np.ones(2, np.float32), coloring, 2.0, layers=data)
    Painter(view).overlays.draw(noted, scene, camera)
    texts = {flat.text: (flat.x, flat.y) for flat in noted.flats if isinstance(flat, Text)}
    lines = [flat.segments.reshape(-1, 4) for flat in noted.flats if isinstance(flat, Lines)]
    every = [flat.text for flat in noted.flats if isinstance(flat, Text)]
    return Drawn(texts, every, [tuple(line) for each in lines for line in each.tolist()])


@pytest.fixture
def over(view: ViewModel, qapp: object) -> Any:
    """Draw what these fields of the view ask for."""

    def draw(coloring: Coloring = SPEED, data: dict[str, Any] | None = None, **shown: Any) -> Drawn:
        for field, value in shown.items():
            setattr(view, field, value)
        return drawn(view, coloring, **(data or {}))

    return draw


def test_the_scale_bar_is_as_long_as_it_says(over: Any) -> None:
    found = over(show_scale_bar=True)
    (text,) = found.texts
    told = re.fullmatch(r"([\d.]+) diameters?", text)
    assert told is not None
    length = float(told.group(1))
    bar = max(abs(x1 - x0) for x0, y0, x1, y1 in found.lines if y0 == y1)
    assert bar == pytest.approx(length * SCALE, abs=0.5)
    ends = sorted(x0 for x0, _, x1, _ in found.lines if x0 == x1)
    assert ends[1] - ends[0] == pytest.approx(bar - 1.0, abs=0.5), "ticks at both ends"


@pytest.mark.parametrize(
    ("length", "diameter", "text"),
    [(5.0, 0.5, "5 units (10 diameters)"), (0.2, 2.0, "0.2 units (0.1 diameters)"), (0.1, 2.0, "0.1 units"),
     (2.0, 0.0, "2 units"), (1.0, 0.0105, "1 unit (95 diameters)"), (50.0, 0.02, "50 units (2\u2009500 diameters)"),
     (2.0, 1.0, "2 diameters"), (1.0, 1.0, "1 diameter"), (2.0, 1.006, "2 units (1.99 diameters)")],
)  # fmt: skip
def test_the_length_of_the_scale_bar_in_diameters(length: float, diameter: float, text: str) -> None:
    assert scale_text(length, diameter) == text


@pytest.mark.parametrize(
    ("more", "texts"),
    [
        ({"limits": (0.0, 4.0)}, ("0", "2", "4")),
        ({"limits": (1.0, 10_000.0), "log": True}, ("1", "100", "10\u2009000")),
        ({"limits": (2.0, 5.0), "whole": True}, ("2", "3", "4", "5")),
        ({"limits": (-pi, pi), "cyclic": True}, ("−π", "0", "π")),
        ({"limits": (0.0, 4.0), "open_top": True}, ("0", "2", "≥ 4")),
        ({"limits": (1.0, 4.0), "open_bottom": True}, ("≤ 1", "2.5", "4")),
        ({"limits": (0.0, 3.0), "whole": True, "open_top": True}, ("0", "1", "2", "≥ 3")),
    ],
)
def test_the_numbers_below_a_scale(more: dict[str, Any], texts: tuple[str, ...]) -> None:
    assert ramp_numbers(Coloring("x", "X", "", **more)) == texts


def test_numbers_of_discs_that_are_hollow_are_not_in_the_legend(over: Any) -> None:
    """Rattlers have no contacts, and no other disc has one or two."""
    net = Network(np.array([[0, -1]], np.int32), np.ones(1), np.array([[-1.0, 0.0]]), np.array([False, True]))
    forces = forces_of(net, np.array([[4.0, 5.0], [6.0, 5.0]]), np.full(2, 0.5), np.array([15.0, 10.0]), False)
    contacts = Coloring("contacts", "Contacts", "", (0.0, 2.0), whole=True)
    assert {"0", "1", "2"} <= set(over(contacts, {"forces": forces}, show_legend=True, layers=()).texts)
    found = over(contacts, {"forces": forces}, layers=("forces",)).texts  # each disc has the value 1
    assert "0" not in found
    assert {"1", "2"} <= set(found)


@pytest.mark.parametrize("limits", [(0.0, 3e-4), (0.0, 12345.0), (0.0, 4.0)])
def test_numbers_below_a_scale_do_not_touch(over: Any, limits: tuple[float, float]) -> None:
    coloring = Coloring("speed", "Speed", "length / time", limits, open_top=True)
    found = over(coloring, show_legend=True, layers=())
    metrics = QFontMetricsF(Painter(ViewModel()).overlays.font)
    numbers = [(found.texts[text], text) for text in ramp_numbers(coloring) if text in found.texts]
    ends = [(x, x + metrics.horizontalAdvance(text)) for (x, _), text in numbers]
    assert len(ends) >= 2, "the ends are always there"
    assert all(after[0] - before[1] >= 4.0 for before, after in pairwise(ends))


@pytest.mark.parametrize("theme", ["#15181d", "#ffffff"])
def test_classes_keep_their_contrast_below_a_force_network_and_are_named_once(over: Any, theme: str) -> None:
    net = Network(np.array([[0, -1]], np.int32), np.ones(1), np.array([[-1.0, 0.0]]), np.array([False, True]))
    forces = forces_of(net, np.array([[4.0, 5.0], [6.0, 5.0]]), np.full(2, 0.5), np.array([15.0, 10.0]), False)
    kinds = Coloring("rattlers", "Rattlers", "", (0.0, 1.0), classes=("held", "rattler"))
    found = over(kinds, {"forces": forces}, show_legend=True, layers=("forces",))
    assert found.drawn_texts.count("rattler") == 1
    dimmed = colors.table(kinds, ViewModel(background=theme), dimmed=True)[[0, 255], :3]
    ground = np.array([int(theme[at : at + 2], 16) for at in (1, 3, 5)])
    assert (contrasts(dimmed, ground) >= 2.99).all()


def contrasts(shown: NDArray[np.uint8], ground: NDArray[np.int64]) -> NDArray[np.float64]:
    """The contrasts of colours (n, 3) to a background (3,), by WCAG."""
    both = np.vstack([ground, shown]) / 255.0
    linear = np.where(both <= 0.04045, both / 12.92, ((both + 0.055) / 1.055) ** 2.4)
    light = linear @ np.array([0.2126, 0.7152, 0.0722]) + 0.05
    found: NDArray[np.float64] = np.maximum(light[1:] / light[0], light[0] / light[1:])
    return found


def test_the_parts_of_a_tall_legend_share_the_strip_below_the_box_with_the_scale_bar() -> None:
    # as in *Stuck*, presented at 1280 × 720
    sizes = [(242.0, 31.0, False, 0.0), (237.0, 51.0, True, 0.0), (218.0, 62.0, True, 102.0)]
    entries = [Entry(width, height, lambda _: (), right, least) for width, height, right, least in sizes]
    legend, bar = cards(entries, 672.0, 672.0, low=89.0)
    assert legend.rect.top() >= 672.0 - 89.0, "it does not cover the box"
    assert not legend.rect.intersects(bar.rect)
    (force, force_rect), (_scale, scale_rect) = legend.entries
    assert force_rect.width() == force.width == 237.0, "lines of samples cannot be narrower"
    assert 102.0 <= scale_rect.width() < 218.0
    assert force_rect.right() < scale_rect.left()
    assert cards(entries, 672.0, 672.0)[0].rect.height() > 89.0, "where there is no strip, one is above the other"


def test_classes_come_in_one_line_where_two_would_cover_the_box() -> None:
    line = Entry(300.0, 25.0, lambda _: (), True)
    classes = Entry(266.0, 51.0, lambda _: (), True, low=line)  # with the box counts of *How full is a fractal?*
    entries = [Entry(236.0, 31.0, lambda _: ()), Entry(295.0, 25.0, lambda _: (), True), classes]
    legend = cards(entries, 672.0, 672.0, low=89.0)[0]
    assert legend.rect.top() >= 672.0 - 89.0
    assert [entry for entry, _ in legend.entries] == [entries[1], line]
    assert [entry for entry, _ in cards(entries, 672.0, 672.0)[0].entries] == [entries[1], classes]
