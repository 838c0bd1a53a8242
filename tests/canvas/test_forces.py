"""The force network in the picture: lines as wide as forces, cut at the edge, rattlers hollow, discs dimmed."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from PyQt6.QtGui import QColor
from pytestqt.qtbot import QtBot

from aggviewer.canvas import colors
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.in_view import DiscsInView
from aggviewer.canvas.layers.forces import LINE, STRONGEST, WIDEST, ForceNetwork, Forces, forces_of, half_widths
from aggviewer.canvas.layers.layer import LayerInput, Style
from aggviewer.canvas.layers.registry import of_frame
from aggviewer.canvas.picture import Painter
from aggviewer.canvas.qt_drawing import from_qimage, qcolor
from aggviewer.canvas.scene import Scene
from aggviewer.canvas.turning import ALONG
from aggviewer.document.view import ViewModel
from aggviewer.export.sources import FilmColors, show_state
from engine.errors import InputError
from engine.frame import Frame, Network
from engine.jamming.system import JammingSystem
from tests.builders.colorists import colorist_of

from .conftest import PLAIN, MakeCanvas, grabbed
from .drawing import Noted, overlays_of

ITERATIONS = JammingSystem.clock
BOX = np.array([8.0, 8.0])
RADII = np.ones(4)
POSITIONS = np.array([[1.0, 2.0], [3.0, 2.0], [7.0, 2.0], [4.0, 6.0]])


def network(forces: tuple[float, float] = (1.0, 3.0)) -> Network:
    """Disc 0 touches disc 1, and across the left edge disc 2; disc 3 is a rattler."""
    pairs = np.array([[0, 1], [0, 2]], np.int32)
    vectors = np.array([[1.0, 0.0], [-1.0, 0.0]])
    return Network(pairs, np.array(forces), vectors, np.array([False, False, False, True]))


def layers(net: Network, periodic: bool = True) -> dict[str, Forces]:
    """What the layer takes of it."""
    return {"forces": forces_of(net, POSITIONS, RADII, BOX, periodic)}


def ink_of(view: ViewModel, both: tuple[str, str] = LINE) -> QColor:
    """The one of two colours that is for the background of `view`."""
    return qcolor(Style(Scene(), Camera(), view).ink(*both))


def scene(periodic: bool = True, net: Network | None = None) -> Scene:
    made = Scene()
    made.replace_discs(RADII, BOX, periodic, clock=ITERATIONS, has_forces=True)
    made.set_frame(POSITIONS, np.ones(4, np.float32), PLAIN, 12.0, layers=layers(net or network(), periodic))
    return made


def camera(scale: float = 40.0) -> Camera:
    return Camera(4.0, 4.0, scale, 8.0 * scale, 8.0 * scale)


@pytest.mark.parametrize("depth", [2.0, 6.0])
def test_in_space_lines_are_cylinders_between_small_spheres_that_hide_them(depth: float) -> None:
    """Sphere 3 lies before or behind the contact of spheres 0 and 1; that of 0 and 2 goes across the left face."""
    box, radii = np.full(3, 8.0), np.ones(4)
    places = np.array([[1.0, 4.0, 4.0], [3.0, 4.0, 4.0], [7.0, 4.0, 4.0], [2.0, 4.0, depth]])
    net = replace(network(), vectors=np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]), rattlers=np.zeros(4, bool))
    found = forces_of(net, places, radii, box, True)
    assert found.segments[:, :, 0].tolist() == [[1.0, 3.0], [1.0, 0.0], [7.0, 8.0]]
    assert_allclose(found.segments[:, :, 1:], 4.0)
    assert_allclose(found.strength, [0.5, 1.5, 1.5])

    made = Scene()
    made.replace_discs(radii, box, True, clock=ITERATIONS, has_forces=True)
    made.set_frame(places, np.ones(4, np.float32), PLAIN, 12.0, layers={"forces": found})
    hidden = dict.fromkeys(("show_box", "show_legend", "show_scale_bar", "show_time"), False)
    view = ViewModel(perspective=False, turn=ALONG["z"], **hidden)
    seen = Camera.fitting((8.0, 8.0, 8.0), (300.0, 300.0), view=view)
    drawn = overlays_of(view, made, seen)[..., 3] > 128

    def covered(x: float) -> bool:
        column, row = np.floor(seen.seen(np.array([x, 4.0, 4.0]))[0]).astype(int)
        return bool(drawn[row, column])

    assert [covered(x) for x in (0.3, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 7.0, 7.7)] == [
        *(True, False, True, depth < 4.0, True, False, False, False, True)
    ]
    assert DiscsInView().find(made, seen, share=made.drawn_share(view.layers)) == 4
    assert made.drawn_share(("tracks",)) == 1.0
    assert WIDEST < made.drawn_share(("forces",)) < 0.5, "the widest line does not hide its spheres"
    x, y = seen.seen(places[0])[0].tolist()
    beside = 0.6 * seen.scale  # inside the sphere, but not where it is drawn
    picked = [DiscsInView().at(made, seen, x, y + beside, 0.0, share) for share in (1.0, made.drawn_share(view.layers))]
    assert picked == [0, None]

    words = {}
    for shown in (("forces",), ()):
        noted = Noted()
        Painter(ViewModel(layers=shown)).overlays.draw(noted, made, seen.resized(700.0, 500.0))
        words[shown] = [text for text in noted.texts if "%" in text]
    assert words == {("forces",): ["spheres at 36 % size"], (): []}, "or they would seem not to touch"


def test_lines_go_to_the_image_that_touches_and_to_the_wall() -> None:
    found = forces_of(network(), POSITIONS, RADII, BOX, True)
    assert_allclose(found.segments, [[[1.0, 2.0], [3.0, 2.0]], [[1.0, 2.0], [-1.0, 2.0]]])
    assert_allclose(found.strength, [0.5, 1.5])
    assert found.rattlers.tolist() == [3]
    wall = Network(
        np.array([[0, -1]], np.int32), np.array([2.0]), np.array([[-1.0, 0.0]]), np.array([False, True, True, True])
    )
    assert_allclose(forces_of(wall, POSITIONS, RADII, BOX, False).segments, [[[1.0, 2.0], [0.0, 2.0]]])


def test_in_a_box_of_two_discs_both_contacts_across_it_are_drawn() -> None:
    box, positions = np.array([4.0, 4.0]), np.array([[1.0, 1.0], [3.0, 1.0]])
    twice = Network(
        np.array([[0, 1], [0, 1]], np.int32),
        np.ones(2),
        np.array([[1.0, 0.0], [-1.0, 0.0]]),
        np.zeros(2, bool),
    )
    found = forces_of(twice, positions, np.ones(2), box, True)
    assert_allclose(found.segments[:, 1], [[3.0, 1.0], [-1.0, 1.0]])


def test_before_any_contact_no_disc_is_marked() -> None:
    made = Frame.empty(4)
    made.network = Network(np.zeros((0, 2), np.int32), np.zeros(0), np.zeros((0, 2)), np.ones(4, bool))
    assert ForceNetwork().take(LayerInput(made, RADII, BOX, True)) is None


def test_spheres_are_whole_and_bright_until_there_is_a_force(view: ViewModel) -> None:
    """In the plane discs are dimmed from the start; in space nothing else would be seen."""
    box, bright = np.full(3, 8.0), colors.table(PLAIN, view)
    frame, made = Frame.empty(4, 3), Scene()
    frame.positions[:, 0] = [1.0, 3.0, 7.0, 4.0]
    made.replace_discs(RADII, box, True, clock=ITERATIONS, has_forces=True)
    for pairs in (0, 1):
        vectors = np.array([[1.0, 0.0, 0.0]])[:pairs]
        frame.network = Network(np.array([[0, 1]], np.int32)[:pairs], np.ones(pairs), vectors, np.ones(4, bool))
        taken = of_frame(LayerInput(frame, RADII, box, True), view)
        made.set_frame(frame.positions, np.ones(4, np.float32), PLAIN, 1.0, layers=taken)
        assert (made.drawn_share(view.layers) < 1.0) == bool(pairs)
        assert (colors.scene_table(made, view) is bright) == (not pairs)


def test_width_is_proportional_to_force_up_to_the_strongest() -> None:
    assert_allclose(half_widths(np.array([1.0, 2.0]), 10.0), np.array([1.0, 2.0]) / STRONGEST * WIDEST * 10.0)
    assert half_widths(np.array([2.0 * STRONGEST]), 10.0)[0] == pytest.approx(WIDEST * 10.0)


def test_forces_are_not_drawn_on_small_discs_or_when_turned_off(view: ViewModel) -> None:
    assert not overlays_of(view, scene(), camera(1.5)).any()
    view.layers = ()
    assert not overlays_of(view, scene(), camera()).any()


def test_discs_are_dimmed_below_the_network_from_the_start(view: ViewModel) -> None:
    bright = colors.table(PLAIN, view)
    made = scene()
    assert (colors.scene_table(made, view)[255, :3] < bright[255, :3]).any()
    made.set_frame(POSITIONS, np.ones(4, np.float32), PLAIN, 0.0)  # no program has been solved yet
    assert (colors.scene_table(made, view)[255, :3] < bright[255, :3]).any()
    view.layers = ()
    assert colors.scene_table(made, view) is bright
    view.layers = ("forces",)
    made.replace_discs(RADII, BOX, True)
    assert colors.scene_table(made, view) is bright


def test_a_new_network_in_the_same_place_is_painted(make_canvas: MakeCanvas, qtbot: QtBot) -> None:
    canvas = make_canvas("painter", 320, 320)
    canvas.replace_discs(RADII, BOX, True, clock=ITERATIONS, has_forces=True)
    canvas.show_frame(POSITIONS, np.ones(4, np.float32), PLAIN, 1.0, 1.0, layers(network((3.0, 1.0))))
    canvas.set_view_rect(0.0, 0.0, 8.0, 8.0)
    before = grabbed(qtbot, canvas)
    canvas.show_frame(POSITIONS, np.ones(4, np.float32), PLAIN, 1.0, 1.0, layers(network((1.0, 3.0))))
    frames = canvas.frames_drawn
    qtbot.waitUntil(lambda: canvas.frames_drawn > frames)
    assert (from_qimage(canvas.grab().toImage())[..., :3] != before).any()


def test_films_and_pictures_of_files_show_it(view: ViewModel) -> None:
    made = frame()
    made.positions[:] = POSITIONS
    made.time = 7.0
    source = SimpleNamespace(
        system="jamming",
        radii=RADII,
        masses=RADII,
        box=BOX,
        periodic=True,
        lacks=frozenset({"velocities"}),
        samples=lambda: iter([made]),
    )
    target = Scene()
    show_state(target, source, made, FilmColors(source, "cluster"), view)
    assert target.data("forces") is not None
    assert target.clock == ITERATIONS
    assert target.coloring.by == "contacts"
    image = Painter(view).paint(target, camera())
    color = ink_of(view)
    assert image[240, 300, :3].tolist() == pytest.approx([color.red(), color.green(), color.blue()], abs=2)
    source.system = ""  # a file
    assert FilmColors(source, "rattlers").color(made)[0].tolist() == [0.0, 0.0, 0.0, 1.0]
    made.network = None
    with pytest.raises(InputError, match="contacts"):
        FilmColors(source, "rattlers")


# colours


def frame() -> Frame:
    made = Frame.empty(4)
    made.network = network()
    return made


def test_discs_that_jam_are_coloured_by_contacts_rattlers_or_radius() -> None:
    colorist = colorist_of("jamming", [1.0, 1.0, 1.0, 2.0])
    assert colorist.color(frame(), "cluster")[1].by == "contacts"
    scalar, coloring = colorist.color(frame(), "contacts")
    assert scalar.tolist() == [2.0, 1.0, 1.0, 0.0]
    assert coloring.limits == (0.0, 8.0)
    scalar, coloring = colorist.color(frame(), "rattlers")
    assert scalar.tolist() == [0.0, 0.0, 0.0, 1.0]
    assert coloring.classes == ("held", "rattler")
    scalar, coloring = colorist.color(frame(), "radius")
    assert scalar.tolist() == pytest.approx([0.8, 0.8, 0.8, 1.6])
    assert coloring.limits == pytest.approx((0.8, 1.6))
    _, coloring = colorist_of("jamming", np.ones(4)).color(frame(), "radius")
    assert coloring.limits[0] < 1.0 < coloring.limits[1]
