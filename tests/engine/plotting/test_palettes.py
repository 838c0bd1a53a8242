"""The colours of clusters, a narrow band of lightness, muted; and those of small counts. Everybody tells them apart."""

from __future__ import annotations

import numpy as np
import pytest

from aggviewer.canvas.colors import entries_of, table
from aggviewer.document.view import ViewModel
from aggviewer.names import BACKGROUNDS
from aggviewer.session.coloring import Coloring
from engine.plotting.colors import (
    COUNTS_ON_DARK,
    COUNTS_ON_LIGHT,
    COUNTS_TO_PROJECT,
    PALETTE_ON_DARK,
    PALETTE_ON_LIGHT,
    PALETTE_TO_PROJECT,
)
from tests.builders.color_vision import MACHADO, MATRICES, cielab, contrast, differences, rgb_of

BY_CLUSTER = Coloring("cluster", "Cluster", "", (0.0, 24.0), categorical=True)
FAMILIES = {"dark": PALETTE_ON_DARK, "light": PALETTE_ON_LIGHT}


def lightness_chroma_hue(palette: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    lightness, a, b = cielab(rgb_of(palette), MATRICES["normal"]).T
    return lightness, np.hypot(a, b), np.degrees(np.arctan2(b, a))


@pytest.mark.parametrize(("ground", "low", "high"), [("dark", 62.0, 80.0), ("light", 38.0, 58.0)])
def test_the_family_is_muted_and_in_its_band_of_lightness(ground: str, low: float, high: float) -> None:
    lightness, chroma, _ = lightness_chroma_hue(FAMILIES[ground])
    assert low <= lightness.min()
    assert lightness.max() <= high
    assert chroma.min() > 18.0  # a lone disc is nearly grey
    assert chroma.max() < 60.0


@pytest.mark.parametrize(("family", "grounds"), [("dark", ("dark", "black")), ("light", ("light", "white"))])
def test_every_colour_stands_out_from_the_ground(family: str, grounds: tuple[str, ...]) -> None:
    for ground in grounds:
        assert min(contrast(color, BACKGROUNDS[ground]) for color in FAMILIES[family]) >= 3.0


@pytest.mark.parametrize("ground", FAMILIES)
def test_everybody_tells_two_colours_apart(ground: str) -> None:
    palette = FAMILIES[ground]
    assert len(palette) >= 10
    pairs = np.triu_indices(len(palette), 1)
    colors = rgb_of(palette)
    assert differences(colors, ("normal",))[pairs].min() > 17.0
    assert differences(colors, MACHADO)[pairs].min() > 9.0
    assert differences(colors)[pairs].min() > 6.0  # a just noticeable difference is about 2


def test_on_a_projector_discs_are_darker_and_told_apart_at_least_as_well() -> None:
    assert min(contrast(color, BACKGROUNDS["white"]) for color in PALETTE_TO_PROJECT) >= 4.5
    pairs = np.triu_indices(len(PALETTE_TO_PROJECT), 1)
    projected, usual = (differences(rgb_of(each))[pairs].min() for each in (PALETTE_TO_PROJECT, PALETTE_ON_LIGHT))
    assert projected > usual
    bold = ViewModel(ground="white")
    assert (table(BY_CLUSTER, bold)[: len(PALETTE_TO_PROJECT), :3] == rgb_of(PALETTE_TO_PROJECT)).all()
    figure = ViewModel(ground="white", background="white")
    assert (table(BY_CLUSTER, figure)[: len(PALETTE_ON_LIGHT), :3] == rgb_of(PALETTE_ON_LIGHT)).all()


def test_the_same_index_has_the_same_hue_on_both_grounds() -> None:
    dark, light = (lightness_chroma_hue(palette)[2] for palette in FAMILIES.values())
    assert np.abs((dark - light + 180.0) % 360.0 - 180.0).max() < 5.0


COUNTS = {"dark": COUNTS_ON_DARK, "light": COUNTS_ON_LIGHT, "white": COUNTS_TO_PROJECT}


@pytest.mark.parametrize("ground", COUNTS)
def test_everybody_tells_numbers_of_contacts_apart_also_below_the_forces(ground: str) -> None:
    by_contacts, view = Coloring("contacts", "Contacts", "", (0.0, 8.0), whole=True), ViewModel(ground=ground)
    assert min(contrast(color, BACKGROUNDS[ground]) for color in COUNTS[ground]) >= (4.5 if ground == "white" else 3.0)
    for dimmed, least in ((False, (20.0, 13.0)), (True, (13.0, 8.0))):
        shown = table(by_contacts, view, dimmed=dimmed)[entries_of(np.arange(9, dtype=np.float32), by_contacts), :3]
        assert dimmed or (shown == rgb_of(COUNTS[ground][:9])).all()
        for vision, apart in zip((("normal",), MACHADO), least, strict=True):
            assert differences(shown.astype(float), vision)[np.triu_indices(9, 1)].min() > apart


def test_a_number_of_contacts_keeps_its_colour_whatever_the_numbers_beside_it() -> None:
    four = set()
    for low, high in ((0.0, 8.0), (0.0, 12.0), (3.0, 6.0), (4.0, 5.0)):
        scale = Coloring("contacts", "Contacts", "", (low, high), whole=True)
        (entry,) = entries_of(np.full(1, 4, np.float32), scale)
        four.add(tuple(table(scale, ViewModel(ground="dark"))[entry].tolist()))
    assert len(four) == 1
