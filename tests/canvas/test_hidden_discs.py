"""Discs that are hidden: no layer draws anything of them, in pictures, vectors, films and windows alike."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pytestqt.qtbot import QtBot

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.layers import layer as layers
from aggviewer.canvas.layers import registry
from aggviewer.canvas.layers.forces import ContactLayer
from aggviewer.canvas.layers.grids import DensityLayer
from aggviewer.canvas.layers.layer import LayerInput
from aggviewer.canvas.layers.marks import discs_of_scene
from aggviewer.canvas.layers.paths import TrackMemory
from aggviewer.canvas.scene import Scene
from aggviewer.document.run import Anchor, Mark, RunMarks
from aggviewer.document.view import ViewModel
from aggviewer.export.sources import FilmColors, show_state
from aggviewer.extensions.stepping.mode import marks_of
from aggviewer.extensions.stepping.story import VelocityVectors
from engine.analysis.fluctuations import density_map
from engine.analysis.voronoi import voronoi
from engine.frame import Frame, Impacts, Network, Remark, StressPatch
from engine.selection import Selection

from .conftest import PLAIN, MakeCanvas

BOX = np.array([12.0, 8.0])
RADII = np.array([0.5, 0.5, 0.5, 0.5, 0.5, 0.5])
POSITIONS = np.array([[2.0, 2.0], [3.0, 2.0], [3.0, 3.0], [8.0, 4.0], [11.7, 6.0], [0.7, 6.0]])
CLUSTERS = (0, 0, 0, 3, 4, 4)  # the last two touch across the edge
CAMERA = Camera.fitting((12.0, 8.0), (720.0, 480.0))


def mask(*discs: int) -> np.ndarray:
    found = np.zeros(6, bool)
    found[list(discs)] = True
    return found


def a_frame(time: float = 1.0) -> Frame:
    """Everything that any layer draws: contacts, forces, clusters that move, impacts and a remark."""
    made = Frame.empty(6)
    made.time, made.clusters = time, 3
    made.positions[:] = POSITIONS
    made.velocities[:] = np.array([[1.0, 0.0]] * 3 + [[0.0, 2.0]] + [[0.5, 0.0]] * 2)
    made.fields["cluster"] = np.array(CLUSTERS, np.int32)
    pairs = np.array([[0, 1], [1, 2], [4, 5], [3, -1]], np.int32)
    vectors = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, -1.0]])
    loose, patch = mask(0, 3), StressPatch(np.array([1, 2]), np.array([1, 2, 4, 5]), 1, 0)
    made.network = Network(pairs, np.array([1.0, 2.0, 3.0, 2.0]), vectors, loose, (patch,))
    made.impacts = Impacts(np.full(3, time), np.array([[0, 1], [1, 2], [3, -1]], np.int32))
    made.remark = Remark("two of them", np.array([2, 3], np.int32))
    return made


def scene_of(
    view: ViewModel, *hidden: int, memories: dict[str, Any] | None = None, frame: Frame | None = None
) -> Scene:
    frame = frame or a_frame()
    scene = Scene()
    scene.replace_discs(RADII, BOX, True)
    scene.hide(mask(*hidden))
    given = registry.in_scene(LayerInput(frame, RADII, BOX, True, 0.0), scene)
    taken = registry.of_frame(given, view, memories=memories)
    scene.set_frame(frame.positions, np.zeros(6, np.float32), PLAIN, frame.time, layers=taken)
    return scene


def moved(view: ViewModel, *hidden: int) -> Scene:
    """After the discs have gone a little, so that there are tracks."""
    memories: dict[str, Any] = {}
    before = a_frame(0.5)
    before.positions[:, 0] -= 0.3
    scene_of(view, *hidden, memories=memories, frame=before)
    return scene_of(view, *hidden, memories=memories)


PIECES: dict[str, tuple[Callable[[Any], int], list[int]]] = {
    # what is counted of a layer's data, and how many there are with no disc hidden, with disc 2, and with 0, 1, 2
    "contacts": (len, [3, 2, 1]),
    "hulls": (lambda data: len(data.hulls.label), [2, 2, 1]),
    "tracks": (lambda data: len(data.segments), [6, 5, 3]),
    "velocities": (lambda data: len(data.feet), [3, 3, 2]),
    "forces": (lambda data: len(data.segments) + len(data.rattlers), [6, 5, 3]),
    "flashes": (lambda data: len(data.points), [3, 2, 1]),
    "remark": (lambda data: len(data.points), [2, 1, 1]),
}


@pytest.mark.parametrize("name", PIECES)
def test_a_layer_has_nothing_of_a_hidden_disc(name: str) -> None:
    count, expected = PIECES[name]
    view = ViewModel(layers=(name,))
    view.flash_contacts = name == "flashes"
    assert [count(moved(view, *hidden).data(name)) for hidden in ((), (2,), (0, 1, 2))] == expected


def test_cells_are_those_of_all_discs_and_drawn_around_the_visible_ones() -> None:
    view = ViewModel(layers=("voronoi",))
    every = voronoi(POSITIONS, RADII, BOX, periodic=True)
    drawn = moved(view, 2).data("voronoi")
    assert len(moved(view).data("voronoi")) == len(every.segments)
    assert len(drawn) == len(every.segments), "each edge of disc 2 is one of a neighbour, too"
    few = moved(view, 0, 1, 2, 4, 5).data("voronoi")
    own = every.segments[(every.pairs == 3).any(axis=1)]
    lengths = [np.sort(np.hypot(*(segments[:, 1] - segments[:, 0]).T)) for segments in (few, own)]
    assert_allclose(*lengths)
    assert 0 < len(few) < len(drawn)
    assert len(moved(view, 0, 1, 2, 3, 4, 5).data("voronoi")) == 0


def test_the_hull_of_what_is_seen_is_smaller_and_goes_over_the_edge_as_before() -> None:
    view = ViewModel(layers=("hulls",))
    whole, part = (moved(view, *hidden).data("hulls") for hidden in ((), (2,)))
    assert_allclose(whole.sizes[0], [2.0, 2.0], atol=0.02)
    assert_allclose(part.sizes[0], [2.0, 1.0], atol=0.02)
    assert_allclose(part.sizes[1], whole.sizes[1])
    none = scene_of(view, 0, 1, 5)
    style = layers.Style(none, CAMERA, view)
    layer = next(one for one in registry.layers() if one.name == "hulls")
    assert layer.says(none.data("hulls"), style) == "no cluster has two visible discs"


def test_density_is_of_the_visible_discs_and_says_so() -> None:
    view = ViewModel(layers=("density",))
    all_of_it, part = moved(view).data("density"), moved(view, 2, 3).data("density")
    assert part.width == all_of_it.width == 2.0
    assert part.values.mean() / all_of_it.values.mean() == pytest.approx(4.0 / 6.0, rel=1e-6)
    seen = ~mask(2, 3)
    expected = density_map(POSITIONS[seen], RADII[seen], BOX, periodic=True, width=2.0)
    assert_allclose(part.values, expected.values)
    assert moved(view, *range(6)).data("density") is None
    layer = DensityLayer()
    unequal = np.array([0.5, 0.5, 1.0, 0.5, 0.5, 0.5])
    moments = [LayerInput(a_frame(), unequal, BOX, True, hidden=hidden) for hidden in (None, mask(2))]
    widths = [layer.take(given).width for given in moments]  # type: ignore[union-attr]
    assert widths[0] == widths[1], "smoothed as widely as before"


def test_hiding_discs_does_not_rescale_forces_and_arrows() -> None:
    view = ViewModel(layers=("forces", "velocities"))
    scenes = [moved(view, *hidden) for hidden in ((), (3, 4))]
    forces = [scene.data("forces") for scene in scenes]
    assert_allclose(forces[1].strength, forces[0].strength[:2])
    assert forces[0].extra.tolist() == [1, 2]
    assert forces[1].extra.tolist() == [1]
    assert forces[1].rattlers.tolist() == [0]
    arrows = [scene.data("velocities") for scene in scenes]
    assert arrows[1].usual == arrows[0].usual
    assert_allclose(arrows[1].feet, [POSITIONS[:3].mean(axis=0), POSITIONS[5]], atol=0.02)  # a mean on the circle
    assert moved(view, *range(6)).data("velocities") is None


def test_tracks_stay_when_other_discs_are_hidden_and_are_of_a_sample_of_the_visible_ones() -> None:
    memory = TrackMemory()

    def step(time: float, hidden: np.ndarray | None = None, chosen: tuple[int, ...] = ()) -> list[int]:
        frame = a_frame(time)
        frame.positions[:, 0] += time
        frame.positions -= BOX * np.floor(frame.positions / BOX)
        memory.follow(LayerInput(frame, RADII, BOX, True, chosen=np.array(chosen, np.int64), hidden=hidden))
        return memory.discs.tolist()

    def lengths() -> list[int]:
        return np.isfinite(np.stack(memory.places)[:, :, 0]).sum(axis=0).tolist()

    assert step(1.0) == step(2.0) == [0, 1, 2, 3, 4, 5]
    assert step(3.0, mask(2, 3)) == [0, 1, 4, 5]
    assert lengths() == [3, 3, 3, 3], "also where it crossed the edge"
    assert step(4.0) == [0, 1, 2, 3, 4, 5]
    assert lengths() == [4, 4, 1, 1, 4, 4], "what was hidden begins again"
    assert np.nanmax(np.abs(np.diff(np.stack(memory.places), axis=0))) <= 1.0 + 1e-9
    assert step(5.0, mask(2), (2, 3)) == [3], "of those that are chosen the visible ones"
    assert step(6.0, mask(2, 3), (2, 3)) == [0, 1, 4, 5], "else a sample of what is seen"
    assert step(7.0, mask(*range(6))) == []
    many = TrackMemory()
    count = 2000
    hidden = np.ones(count, bool)
    hidden[-20:] = False
    frame = Frame.empty(count)
    many.follow(LayerInput(frame, np.ones(count), BOX, True, hidden=hidden))
    assert many.discs.tolist() == list(range(1980, 2000))


def test_films_and_pictures_of_a_session_hide_the_same_discs() -> None:
    class Source:
        system, lacks, frames, periodic, radii, box = "aggregation", frozenset(), 0, True, RADII, BOX
        masses, count = np.ones(6), 6

        def samples(self) -> list[Frame]:
            return [a_frame()]

    source: Any = Source()
    view = ViewModel(layers=("contacts",))
    mark = Mark(kind="rectangle", anchors=(Anchor(x=1.0, y=1.0), Anchor(x=5.0, y=5.0)))
    scene = Scene()
    run_marks = RunMarks(Selection.none(6), Selection.discs([2], 6), (mark,))
    show_state(scene, source, a_frame(), FilmColors(source, "cluster"), view, run_marks, {})
    assert len(scene.data("contacts")) == 2
    discs = discs_of_scene(scene)
    assert mark.measure(discs)[0].value == 2
    assert mark.words(discs).startswith("2 visible discs, n = 0.125")
    same = scene.hidden
    show_state(scene, source, a_frame(2.0), FilmColors(source, "cluster"), view, run_marks, {})
    assert scene.hidden is same


@pytest.mark.parametrize("kind", ["opengl", "painter"])
def test_a_window_computes_anew_what_is_computed_beside_when_discs_are_hidden(
    make_canvas: MakeCanvas, qtbot: QtBot, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ContactLayer, "apart_from", 1)
    monkeypatch.setattr("aggviewer.canvas.layers.layer.DUTY", 1.0)  # what is due is begun at once
    taken: list[int] = []  # discs that are hidden, each time that the layer is computed
    take = ContactLayer.take

    def watched(self: ContactLayer, given: LayerInput) -> Any:
        taken.append(0 if given.hidden is None else int(given.hidden.sum()))
        return take(self, given)

    monkeypatch.setattr(ContactLayer, "take", watched)
    canvas = make_canvas(kind)
    canvas.replace_discs(RADII, BOX, True)
    canvas.view.layers = ("contacts",)

    def show() -> None:
        frame = a_frame()
        drawn = canvas.layers_of(LayerInput(frame, RADII, BOX, True))
        canvas.show_frame(frame.positions, np.zeros(6, np.float32), PLAIN, frame.time, layers=drawn)

    def lines() -> int:
        data = canvas.scene.data("contacts")
        return -1 if data is None else len(data)

    show()
    qtbot.waitUntil(lambda: lines() == 3)
    canvas.hide_discs(mask(2))
    show()
    qtbot.waitUntil(lambda: lines() == 2)
    hidden = canvas.scene.hidden
    canvas.hide_discs(mask(2).copy())
    assert canvas.scene.hidden is hidden
    assert taken == [0, 1]
    show()
    qtbot.waitUntil(lambda: "aggviewer-layers" not in {thread.name for thread in threading.enumerate()})
    assert taken == [0, 1], "nothing is to be done for the same discs"
    canvas.hide_discs(mask())
    assert canvas.scene.hidden is None


def test_inside_a_step_hidden_discs_have_no_links_overlaps_and_arrows() -> None:
    pairs = np.array([[0, 1], [1, 2], [4, 5]], np.int32)

    class Picture:
        positions, links, new_links, overlapping, strength = POSITIONS, pairs, pairs[:2], pairs[1:], 1.0
        arrows = (VelocityVectors("velocity", np.array([2, 3]), POSITIONS[2:4], np.ones((2, 2))),)
        chapter = type("Chapter", (), {"kind": "flight"})

    class Story:
        box, periodic = BOX, True

    frame, story = Picture(), Story()
    for hidden, numbers in ((None, [3, 2, 2, 2]), (mask(2), [2, 1, 1, 1])):
        found = marks_of(frame, story, hidden)  # type: ignore[arg-type]
        assert found.overlaps is not None
        counts = [len(lines.segments) for lines in found.lines]
        assert [*counts, len(found.overlaps.pairs), len(found.arrows[0].segments)] == numbers
