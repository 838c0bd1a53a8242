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
from aggviewer.canvas.layers import registry
from aggviewer.canvas.layers.forces import ContactLayer, forces_of
from aggviewer.canvas.layers.grids import DensityLayer
from aggviewer.canvas.layers.layer import DUTY, BackgroundLayers, Layer, LayerInput, Style
from aggviewer.canvas.layers.paths import KEPT, SAMPLE, TrackLayer, TrackMemory, time_in_words
from aggviewer.canvas.layers.regions import HullLayer, VoronoiLayer
from aggviewer.canvas.picture import Painter
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from aggviewer.style.numbers import TIME
from engine.analysis import contact_vectors
from engine.frame import Frame, Network
from engine.jamming.system import JammingSystem
from engine.system import Clock
from tests.builders.points import LATTICES, lattice

from .conftest import PLAIN, MakeCanvas, grabbed
from .drawing import Noted

BOX = np.array([12.0, 8.0])
RADII = np.full(6, 0.5)
POSITIONS = np.array([[2.0, 2.0], [3.0, 2.0], [3.0, 3.0], [8.0, 4.0], [11.7, 6.0], [0.7, 6.0]])
CLUSTERS = (0, 0, 0, 3, 4, 4)  # the last two touch across the edge of a periodic box
NEW = ("density", "hulls", "voronoi", "contacts", "tracks")


def a_frame(time: float = 1.0) -> Frame:
    made = Frame.empty(6)
    made.time, made.clusters = time, 3
    made.positions[:] = POSITIONS
    made.velocities[:, 0] = 1.0
    made.fields["cluster"] = np.array(CLUSTERS, np.int32)
    return made


def filled(view: ViewModel, frame: Frame, periodic: bool = True, memories: dict[str, object] | None = None) -> Scene:
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
    given = LayerInput(frame, radii, box, True)
    if of_packing:
        pairs, steps = contact_vectors(positions, radii, box, periodic=True)
        frame.network = Network(pairs, np.ones(len(pairs)), steps / 1.7, np.zeros(count, bool))
        assert_allclose(frame.network.steps(positions, radii, box), steps, atol=1e-12)
        drawn = forces_of(frame.network, positions, radii, box, True).segments
        assert_allclose(drawn, ContactLayer().take(given))  # type: ignore[arg-type]
    found = ContactLayer().take(given)
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


@pytest.mark.parametrize("periodic", [True, False])
@pytest.mark.parametrize("place", [(6.0, 4.0, 1.0), (4.7, 2.9, 6.0), (0.1, 7.9, 3.0)])
def test_the_map_lies_where_the_density_is(periodic: bool, place: tuple[float, float, float]) -> None:
    nothing = {"show_box": False, "show_legend": False, "show_time": False, "show_scale_bar": False}
    view = ViewModel(layers=("density",), background="white", opacities={"density": 1.0}, **nothing)
    x, y, zoom = place
    frame = Frame.empty(1)
    frame.positions[:] = 5.0, 3.0
    scene = Scene()
    scene.replace_discs(np.full(1, 0.3), BOX, periodic)
    given = LayerInput(frame, np.full(1, 0.3), BOX, periodic)
    scene.set_frame(frame.positions, np.zeros(1, np.float32), PLAIN, 1.0, layers=registry.of_frame(given, view))
    camera = Camera(x, y, 40.0 * zoom, 600.0, 400.0)
    picture = Painter(view).paint(scene, camera)[:, :, :3].sum(axis=2).astype(int)
    data = scene.data("density")
    rng = np.random.default_rng(3)
    left, bottom, width, height = camera.rect
    checked = 0
    for point in rng.random((400, 2)) * (width, height) + (left, bottom):
        column, row = (int(pixel) for pixel in camera.to_pixel(*point))
        if not (0.2 < point[0] < 11.8 and 0.2 < point[1] < 7.8 and 0 <= row < 400 and 0 <= column < 600):
            continue
        background = point - (5.0, 3.0)
        background -= periodic * BOX * np.rint(background / BOX)
        expected = np.exp(-0.5 * float(background @ background) / data.width**2)
        if expected > 0.9:
            assert picture[row, column] < 345, point
            checked += 1
        elif expected < 0.02:
            assert picture[row, column] > 600, point
            checked += 1
    assert checked


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


@pytest.mark.parametrize(
    ("clock", "span", "words"),
    [(TIME, 1501.8, "Δt = 1500"), (TIME, 0.0123, "Δt = 0.012"), (JammingSystem.clock, 12.0, "12 iterations")],
)
def test_the_legend_says_how_long_tracks_are(clock: Clock, span: float, words: str) -> None:
    assert time_in_words(clock, span) == words


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


def test_tracks_of_spheres_cross_each_edge_as_often_as_its_own_image_says() -> None:
    memory, radii, box = TrackMemory(), np.full(2, 0.1), np.array([4.0, 3.0, 5.0])
    frame = Frame.empty(2, 3)
    frame.fields["images"] = np.zeros((2, 3), np.int32)
    memory.follow(LayerInput(frame, radii, box, True))
    frame.time = 1.0
    frame.fields["images"][:] = [[1, 2, 3], [-4, 5, 0]]
    memory.follow(LayerInput(frame, radii, box, True))
    assert_allclose(memory.places[1] - memory.places[0], [[4.0, 6.0, 15.0], [-16.0, 15.0, 0.0]])


@pytest.mark.parametrize(("layer", "words"), [
    (ContactLayer(), "no discs touch"),
    (HullLayer(), "no discs have joined"),
    (TrackLayer(), "nothing has moved yet"),
])  # fmt: skip
def test_a_layer_without_anything_to_draw_says_so_in_the_legend(layer: Layer, words: str) -> None:
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


def told(view: ViewModel, scene: Scene, camera: Camera) -> str:
    """All text beside the discs."""
    noted = Noted()
    Painter(view).overlays.draw(noted, scene, camera)
    return "\n".join(noted.texts)


def test_in_space_nothing_is_said_of_layers_that_have_a_meaning_in_the_plane_only() -> None:
    """They stay switched on for the next discs in the plane."""
    switches = registry.switches()
    view, box = ViewModel(layers=tuple(layer.name for layer in switches)), np.full(3, 9.0)
    frame, radii = Frame.empty(2, 3), np.full(2, 0.5)
    frame.positions[:] = [[2.0, 2.0, 2.0], [6.0, 6.0, 6.0]]
    scene = Scene()
    scene.replace_discs(radii, box, True)
    layers = registry.of_frame(LayerInput(frame, radii, box, True), view)
    scene.set_frame(frame.positions, np.zeros(2, np.float32), PLAIN, 1.0, layers=layers)
    words = told(view, scene, Camera.fitting(scene.sides, (720.0, 560.0)))
    assert "no spheres touch" in words
    for title in ("Voronoi cell", "Local density", "Cluster hulls", "Counting grid"):
        assert title not in words


@pytest.mark.parametrize("layer", [ContactLayer(), VoronoiLayer(), HullLayer()])
def test_from_afar_a_layer_asks_to_zoom_in(layer: Layer) -> None:
    view = ViewModel(layers=(layer.name,))
    scene = filled(view, a_frame())
    near = Camera.fitting((12.0, 8.0), (720.0, 560.0))
    small = Camera(near.x, near.y, near.scale / 100.0, 720.0, 560.0)
    assert "zoom in" not in told(view, scene, near)
    assert f"{layer.label}: zoom in" in told(view, scene, small)
    assert list(layer.marks(scene.data(layer.name), Style(scene, small, view))) == []


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


@pytest.mark.parametrize("kind", ["opengl", "painter"])
def test_a_window_shows_what_was_computed_beside_when_it_is_there(
    make_canvas: MakeCanvas, qtbot: QtBot, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for layer in (ContactLayer, VoronoiLayer, HullLayer, DensityLayer):
        monkeypatch.setattr(layer, "apart_from", 1)
    canvas: DiscCanvas = make_canvas(kind)
    canvas.replace_discs(RADII, BOX, True)
    names = ("contacts", "voronoi", "hulls", "density")
    canvas.view.layers = names

    def show(time: float) -> None:
        frame = a_frame(time)
        layers = canvas.layers_of(LayerInput(frame, RADII, BOX, True))
        canvas.show_frame(frame.positions, np.zeros(6, np.float32), PLAIN, time, layers=layers)

    canvas.view.layers = ()
    show(0.5)
    plain = grabbed(qtbot, canvas).astype(int)
    canvas.view.layers = names
    show(1.0)
    qtbot.waitUntil(lambda: set(names) <= set(canvas.scene.of_frame))
    over = grabbed(qtbot, canvas).astype(int)
    assert (np.abs(over - plain).sum(axis=2) > 30).mean() > 0.1
    canvas.view.layers = ("tracks",)
    canvas.scene.pinned["selection"] = np.array([3])
    for time in (1.0, 1.5):
        moved = a_frame(time)
        moved.positions[3, 0] += time
        tracks = canvas.layers_of(LayerInput(moved, RADII, BOX, True)).get("tracks")
    assert tracks is not None
    assert_allclose(tracks.segments[..., 1], 4.0, err_msg="of the disc that is selected alone")
    canvas.view.layers = ()
    show(2.0)
    assert not set(names) & set(canvas.scene.of_frame)


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
