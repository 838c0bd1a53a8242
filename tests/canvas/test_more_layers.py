"""Contacts, Voronoi cells, hulls, density and tracks: what they draw, in pixels and vectors, and what they say."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pytestqt.qtbot import QtBot

from aggviewer.canvas import DiscCanvas
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.in_view import cut_in_space
from aggviewer.canvas.layers import registry
from aggviewer.canvas.layers.forces import ContactLayer, forces_of
from aggviewer.canvas.layers.grids import DensityLayer
from aggviewer.canvas.layers.layer import DUTY, BackgroundLayers, Layer, LayerInput, Style
from aggviewer.canvas.layers.paths import KEPT, SAMPLE, TrackLayer, TrackMemory
from aggviewer.canvas.layers.regions import HullLayer
from aggviewer.canvas.picture import Painter
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from engine.analysis import contact_vectors
from engine.boundary import Periodic
from engine.frame import Frame, Network
from tests.builders.points import LATTICES, lattice

from .conftest import PLAIN, MakeCanvas
from .drawing import Noted

BOX = np.array([12.0, 8.0])
RADII = np.full(6, 0.5)
POSITIONS = np.array([[2.0, 2.0], [3.0, 2.0], [3.0, 3.0], [8.0, 4.0], [11.7, 6.0], [0.7, 6.0]])
CLUSTERS = (0, 0, 0, 3, 4, 4)  # the last two touch across the edge of a periodic box


def a_frame(time: float = 1.0) -> Frame:
    made = Frame.empty(6)
    made.time, made.clusters = time, 3
    made.positions[:] = POSITIONS
    made.velocities[:, 0] = 1.0
    made.fields["cluster"] = np.array(CLUSTERS, np.int32)
    return made


def filled(
    view: ViewModel, frame: Frame, periodic: Periodic | bool = True, memories: dict[str, object] | None = None
) -> Scene:
    scene = Scene()
    scene.replace_discs(RADII, BOX, periodic)
    layers = registry.of_frame(LayerInput(frame, RADII, BOX, periodic), view, memories=memories)
    scene.set_frame(frame.positions, np.zeros(6, np.float32), PLAIN, frame.time, layers=layers)
    return scene


def moving(view: ViewModel) -> Scene:
    """The same discs after they have moved a little, so that all layers have something to draw."""
    memories: dict[str, object] = {}
    before = a_frame(0.5)
    before.positions[:, 0] -= 0.3
    filled(view, before, memories=memories)
    return filled(view, a_frame(), memories=memories)


def test_contacts_are_those_of_the_packing_or_of_what_is_near() -> None:
    frame = a_frame()
    layer = ContactLayer()
    found = layer.take(LayerInput(frame, RADII, BOX, True))
    assert found is not None
    lengths = np.hypot(*(found[:, 1] - found[:, 0]).T)
    assert_allclose(lengths, 1.0, atol=1e-9)
    assert len(found) == 3
    assert len(layer.take(LayerInput(frame, RADII, BOX, False))) == 2  # type: ignore[arg-type]
    frame.radius_factor = 0.5
    assert layer.take(LayerInput(frame, RADII, BOX, True)) is None, "the radii of the frame count"
    pairs = np.array([[0, 3], [1, -1]], np.int32)
    frame.network = Network(pairs, np.ones(2), np.zeros((2, 2)), np.zeros(6, bool))
    packing = layer.take(LayerInput(frame, RADII, BOX, True))
    assert packing is not None
    assert packing.tolist() == [[[2.0, 2.0], [8.0, 4.0]]]


@pytest.mark.parametrize("of_packing", [True, False])
@pytest.mark.parametrize("name", LATTICES)
def test_a_contact_is_drawn_to_the_image_that_is_touched(name: str, of_packing: bool) -> None:
    """In space as two halves, each at its disc, where it leaves the box; in the plane lines go on across the edge."""
    positions, radii, box, contacts = lattice(name)
    count = len(radii)
    frame = Frame(0.0, positions, np.zeros_like(positions), {"cluster": np.zeros(count, np.int32)}, 1, 0.0)
    moment = LayerInput(frame, radii, box, True)
    if of_packing:
        pairs, steps = contact_vectors(positions, radii, box, periodic=True)
        frame.network = Network(pairs, np.ones(len(pairs)), steps / 1.7, np.zeros(count, bool))
        assert_allclose(frame.network.steps(positions, radii, box), steps, atol=1e-12)
        drawn = forces_of(frame.network, positions, radii, box, True).segments
        assert_allclose(drawn, ContactLayer().take(moment))  # type: ignore[arg-type]
    found = ContactLayer().take(moment)
    assert found is not None
    ways = found[:, 1] - found[:, 0]
    lengths = np.linalg.norm(ways, axis=1)
    assert lengths.sum() == pytest.approx(1.7 * contacts * count / 2)
    assert set(np.round(lengths / 1.7, 6)) <= ({1.0} if len(box) == 2 else {1.0, 0.5})
    # from each end, to the middle: as many directions as contacts
    ends = np.concatenate([ways, -ways]) / np.concatenate([lengths, lengths])[:, None]
    starts = np.concatenate([found[:, 0], found[:, 1]]) % box
    for place in positions:
        here = np.linalg.norm((starts - place + 0.5 * box) % box - 0.5 * box, axis=1) < 1e-6
        assert len(np.unique(np.round(ends[here], 6), axis=0)) == contacts


def test_in_space_a_contact_is_cut_into_halves_at_periodic_faces_only() -> None:
    segments = np.array([[[3.5, 1.0, 1.0], [4.5, 1.0, 1.0]], [[1.0, 1.0, 3.8], [1.0, 1.0, 4.0]]])  # the last at a wall
    found, which = cut_in_space(segments, np.full(3, 4.0), Periodic((True, True, False)))
    assert which.tolist() == [0, 1, 0]
    assert found[1].tolist() == segments[1].tolist()
    assert found[[0, 2], :, 0].tolist() == [[3.5, 4.0], [0.5, 0.0]]


@pytest.mark.parametrize("periodic", [Periodic((True, False)), Periodic((False, True))])
def test_tails_go_on_across_a_periodic_edge_and_end_at_walls(periodic: Periodic) -> None:
    view, way = ViewModel(layers=("tracks",)), np.array([0.9, 2.2])
    memories: dict[str, object] = {}
    for step in (0.0, 1.0):
        frame = a_frame(step)
        frame.positions[:] = (POSITIONS + step * way) % BOX
        scene = filled(view, frame, periodic, memories)
    found = scene.data("tracks").segments
    step = found[:, 1] - found[:, 0]
    crossed = POSITIONS + way >= BOX
    assert crossed.any(axis=0).all()
    expected = way - np.where(crossed & ~np.array(periodic), BOX, 0.0)
    assert_allclose(step, expected, atol=1e-12)


def test_a_hull_is_that_of_a_cluster_with_the_number_of_one_of_its_discs() -> None:
    frame = a_frame()
    data = HullLayer().take(LayerInput(frame, RADII, BOX, True))
    assert data is not None
    assert data.hulls.label.tolist() == [0, 4]
    assert data.discs.tolist() == [0, 4]
    frame.fields["cluster"], frame.clusters = np.arange(6, dtype=np.int32), 6
    assert HullLayer().take(LayerInput(frame, RADII, BOX, True)) is None


def test_the_density_is_that_of_the_radii_now_with_a_round_scale() -> None:
    layer, frame = DensityLayer(), a_frame()
    one = layer.take(LayerInput(frame, RADII, BOX, True))
    frame.radius_factor = 2.0
    two = layer.take(LayerInput(frame, 0.5 * RADII, BOX, True))
    assert one is not None
    assert two is not None
    assert one.values.mean() == pytest.approx(6 * np.pi / 4 / 96.0)
    assert_allclose(one.values, two.values)


def test_tracks_follow_discs_across_edges_and_forget_what_lies_ahead() -> None:
    layer = TrackLayer()
    memory = layer.new_memory()
    assert isinstance(memory, TrackMemory)

    def seen(time: float, chosen: np.ndarray | None = None) -> object:
        frame = a_frame(time)
        frame.positions[:, 0] = (POSITIONS[:, 0] + time) % 12.0
        return layer.take(LayerInput(frame, RADII, BOX, True, chosen=chosen, memory=memory))

    assert seen(0.0) is None
    tracks = seen(0.4)
    assert tracks is not None
    steps = tracks.segments[:, 1] - tracks.segments[:, 0]  # type: ignore[attr-defined]
    assert_allclose(steps, [[0.4, 0.0]] * 6, atol=1e-12)
    assert (tracks.segments[:, 0] >= 0.0).all()  # type: ignore[attr-defined]
    for k in range(1, 400):
        tracks = seen(0.4 + 0.4 * k)
    assert len(memory.times) == KEPT
    assert tracks.span == pytest.approx(0.4 * (KEPT - 1))  # type: ignore[attr-defined]
    assert memory.places[-1][0, 0] == pytest.approx(2.0 + 160.0), "as far as it has come"
    seen(158.9)
    assert memory.times[-1] == 158.9
    assert max(memory.times) == 158.9, "what comes later is forgotten"
    seen(159.0)
    kept = len(memory.times)
    seen(159.01)
    assert len(memory.times) == kept, "places are kept where something has moved"
    chosen = seen(160.0, np.array([3]))
    assert memory.discs.tolist() == [3]
    assert_allclose(chosen.segments[:, 0, 1], [4.0] * len(memory.times[1:]), err_msg="its own way alone")  # type: ignore[attr-defined]


def test_few_of_many_discs_leave_tracks_and_images_say_how_far_they_are() -> None:
    memory, radii = TrackMemory(), np.full(5000, 0.1)
    frame = Frame.empty(5000)
    frame.fields["images"] = np.zeros((5000, 2), np.int32)
    memory.follow(LayerInput(frame, radii, BOX, True))
    frame.time = 1.0
    frame.fields["images"][:, 1] = 3
    memory.follow(LayerInput(frame, radii.copy(), BOX, True))
    assert len(memory.discs) == SAMPLE
    assert len(memory.times) == 2
    assert_allclose(memory.places[1] - memory.places[0], [[0.0, 24.0]] * SAMPLE)
    memory.follow(LayerInput(Frame.empty(7), np.ones(7), BOX, True))
    assert (len(memory.times), len(memory.discs)) == (1, 7)


def told(view: ViewModel, scene: Scene, camera: Camera, *, in_window: bool = True) -> str:
    """All text beside the discs."""
    noted, overlays = Noted(), Painter(view).overlays
    overlays.in_window = in_window
    overlays.draw(noted, scene, camera)
    return "\n".join(noted.texts)


@pytest.mark.parametrize(("layer", "words"), [
    (ContactLayer(), "no discs touch"),
    (HullLayer(), "no discs have joined"),
    (TrackLayer(), "nothing has moved yet"),
])  # fmt: skip
def test_a_layer_without_anything_to_draw_says_so_in_the_legend_of_a_window(layer: Layer, words: str) -> None:
    view = ViewModel(layers=(layer.name,))
    frame = a_frame()
    frame.positions[:] = np.arange(12.0).reshape(6, 2) * 0.6 + (0.0, 0.6)
    frame.fields["cluster"], frame.clusters = np.arange(6, dtype=np.int32), 6
    scene = Scene()
    scene.replace_discs(RADII * 0.2, BOX, True)
    layers = registry.of_frame(LayerInput(frame, RADII * 0.2, BOX, True), view)
    scene.set_frame(frame.positions, np.zeros(6, np.float32), PLAIN, 1.0, layers=layers)
    far = Camera.fitting((12.0, 8.0), (720.0, 560.0))
    style = Style(scene, far, view)
    assert layer.says(scene.data(layer.name), style) == words
    assert f"{layer.label}: {words}" in told(view, scene, far)
    assert words not in told(view, scene, far, in_window=False), "a picture for a file has no remarks of the screen"


# on another thread


class Slow(ContactLayer):
    """Waits until it may go on, and fails where it is told to."""

    apart_from = 3

    def __init__(self) -> None:
        self.go, self.begun, self.taken = threading.Semaphore(0), threading.Event(), []
        self.fails = False

    def take(self, given: LayerInput) -> float:  # type: ignore[override]
        self.begun.set()
        assert self.go.acquire(timeout=30)
        if self.fails:
            raise ValueError("no")
        self.taken.append((threading.current_thread().name, given.frame.positions.copy()))
        return given.frame.time


def test_a_slow_layer_is_computed_on_another_thread_from_a_copy() -> None:
    done = threading.Semaphore(0)
    now = [0.0]
    background = BackgroundLayers(done.release, clock=lambda: now[0])
    layer, radii = Slow(), RADII.copy()
    first = a_frame(1.0)
    try:
        assert background.take(layer, LayerInput(first, radii, BOX, True)) is None
        first.positions[:] = 0.0  # the buffer belongs to somebody else again
        second = LayerInput(a_frame(2.0), radii, BOX, True)
        assert background.take(layer, second) is None
        assert layer.begun.wait(30)
        now[0] = 1.0
        layer.go.release()
        assert done.acquire(timeout=30)
        assert layer.taken[0][0] == "aggviewer-layers"
        assert_allclose(layer.taken[0][1], POSITIONS)
        layer.begun.clear()
        assert background.take(layer, second) == 1.0, "that of the older frame, until the newer one is done"
        assert layer.begun.wait(30), "no rest after the first piece, which loads code"
        now[0] = 2.0
        layer.go.release()
        assert done.acquire(timeout=30)
        third = LayerInput(a_frame(3.0), radii, BOX, True)
        assert background.take(layer, third) == 2.0
        assert background.seconds_to_next() == pytest.approx(1.0 / DUTY - 1.0), "it rests"
        assert len(layer.taken) == 2
        now[0] = 1.0 + 1.0 / DUTY
        assert background.take(layer, third) == 2.0
        layer.go.release()
        assert done.acquire(timeout=30)
        assert background.known() == {"contacts": 3.0}
        assert background.take(layer, third) == 3.0
        assert background.seconds_to_next() is None
        others = LayerInput(a_frame(2.0), RADII.copy(), BOX, True)
        layer.fails = True
        assert background.take(layer, others) is None, "nothing of other discs"
        assert background.known() == {}
        layer.go.release()
        assert done.acquire(timeout=30)
        with pytest.raises(ValueError, match="no"):
            background.take(layer, others)
        background.forget(set())
        assert background.seconds_to_next() is None
    finally:
        layer.go.release(10)
        background.close()
    assert "aggviewer-layers" not in [thread.name for thread in threading.enumerate()]


def test_a_layer_computed_for_other_discs_is_not_shown(
    make_canvas: MakeCanvas, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many discs are followed by few, whose contacts are not computed beside."""
    slow, take = Slow(), ContactLayer.take

    def taken(self: ContactLayer, given: LayerInput) -> Any:
        if len(given.radii) == 6:
            slow.take(given)  # until it may go on
        return take(self, given)

    monkeypatch.setattr(ContactLayer, "apart_from", 6)
    monkeypatch.setattr(ContactLayer, "take", taken)
    canvas: DiscCanvas = make_canvas("painter")
    canvas.view.layers = ("contacts",)
    canvas.replace_discs(RADII, BOX, True)
    canvas.layers_of(LayerInput(a_frame(1.0), RADII, BOX, True))
    assert slow.begun.wait(30)
    few = Frame(0.0, np.array([[2.0, 2.0], [3.0, 2.0]]), np.zeros((2, 2)), {}, 2, 0.0)
    radii = np.full(2, 0.5)
    canvas.replace_discs(radii, BOX, True)
    layers = canvas.layers_of(LayerInput(few, radii, BOX, True))
    canvas.show_frame(few.positions, np.zeros(2, np.float32), PLAIN, 0.0, layers=layers)
    with qtbot.waitSignal(canvas._layer_taken):
        slow.go.release()
    found = canvas.scene.data("contacts")
    assert found is not None
    assert len(found) == 1
