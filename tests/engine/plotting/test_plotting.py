"""`engine.plot`, and the pictures with which simulations and frames show themselves."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.collections import EllipseCollection, LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.testing import assert_allclose

import engine
from engine.analysis.rims import LOOKS
from engine.boundary import Periodic
from engine.fields import fields_in
from engine.files import FileFrame, read, write
from engine.frame import Frame
from engine.plotting import colors, discs, light
from engine.plotting.circles import DiscCollection
from engine.plotting.colors import ALONE, PALETTE_SIZE, DiscColors
from engine.plotting.discs import images
from engine.plotting.projection import EYE, flat_view
from engine.scenario import Scenario

SVG = "{http://www.w3.org/2000/svg}"
JAMMING = {
    "system": "jamming", "box.boundary": "periodic", "discs.count": 32, "discs.arrangement": "random",
    "discs.volume_fraction": 0.7, "discs.radii": "bidisperse", "discs.spread": 1.4,
}  # fmt: skip


@pytest.fixture(autouse=True)
def without_windows(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Figures stay in memory, and are gone after each test."""
    before = pyplot.get_backend()
    pyplot.switch_backend("Agg")
    yield
    pyplot.close("all")
    pyplot.switch_backend(before)


@pytest.fixture(scope="module")
def sticking() -> Any:
    """100 discs, some of which have stuck."""
    simulation = engine.create(Scenario().with_values({"discs.count": 100}))
    simulation.advance(until_clusters=40)
    return simulation


@pytest.fixture(scope="module")
def gas() -> Any:
    """50 discs in a periodic box."""
    values = {"system": "hard-discs", "discs.count": 50, "box.boundary": "periodic", "discs.volume_fraction": 0.4}
    simulation = engine.create(Scenario().with_values(values))
    simulation.advance(max_events=300)
    return simulation


def circles(ax: Any) -> EllipseCollection:
    """The discs in axes."""
    (found,) = (one for one in ax.collections if isinstance(one, EllipseCollection))
    return found


def pixels(png: bytes) -> np.ndarray:
    """A picture as an array."""
    return pyplot.imread(io.BytesIO(png))


def test_discs_are_circles_in_the_units_of_the_scenario(sticking: Any) -> None:
    ax = engine.plot(sticking)
    frame = sticking.frame()
    drawn = circles(ax)
    assert np.array_equal(drawn.get_offsets(), frame.positions)
    assert np.array_equal(drawn.get_widths(), 2.0 * sticking.radii)
    assert ax.get_aspect() == 1.0
    assert ax.get_title() == f"t = {frame.time:.4g}, 40 clusters"
    (box,) = (patch for patch in ax.patches if isinstance(patch, Rectangle))
    assert (box.get_width(), box.get_height()) == tuple(sticking.box)


def test_a_disc_is_as_large_on_the_paper_as_the_axes_say() -> None:
    disc = FileFrame(np.array([[5.0, 5.0]]), radii=np.array([2.0]), box=np.array([10.0, 10.0]))
    ax = engine.plot(disc)
    circles(ax).set(facecolor="#ff0000", linewidth=0.0)
    for _ in range(2):
        ax.figure.canvas.draw()
        picture = np.asarray(ax.figure.canvas.buffer_rgba())
        red = ((picture[:, :, 0] > 200) & (picture[:, :, 1] < 128)).sum()
        (left, _), (right, _) = ax.transData.transform([(0.0, 0.0), (1.0, 0.0)])
        assert red == pytest.approx(np.pi * (2.0 * (right - left)) ** 2, rel=0.02)
        ax.set_xlim(2.0, 8.0)  # and when one has looked closer
        ax.set_ylim(2.0, 8.0)


def test_clusters_have_one_colour_each_and_single_discs_are_grey(sticking: Any) -> None:
    faces, cluster = circles(engine.plot(sticking)).get_facecolors(), sticking.frame().cluster
    sizes = np.bincount(cluster)
    grey = np.array([int(ALONE[k : k + 2], 16) / 255.0 for k in (1, 3, 5)])
    for label in np.flatnonzero(sizes):
        of = faces[cluster == label]
        assert (of == of[0]).all()
        assert np.allclose(of[0, :3], grey) == (sizes[label] == 1)
    assert 5 < len(np.unique(faces[sizes[cluster] > 1], axis=0)) <= LOOKS * PALETTE_SIZE


def test_every_field_of_every_system_has_a_bar_or_names_with_label_and_unit(sticking: Any, gas: Any) -> None:
    jammed = engine.create(Scenario().with_values(JAMMING))
    jammed.run()
    seen = set()
    for simulation in (sticking, gas, jammed):
        for field in fields_in(engine.system.system(simulation.system).fields, 2):
            if field.name == "self_stress":  # nothing of it in so few discs
                assert circles(engine.plot(simulation, color_by="self_stress")) is not None
                continue
            pyplot.close("all")
            ax = engine.plot(simulation, color_by=field.name)
            beside = [other for other in ax.figure.axes if other is not ax]
            if field.classes:
                legend = ax.get_legend()
                assert legend.get_title().get_text() == field.label
                assert [text.get_text() for text in legend.get_texts()] == list(field.classes)
                assert not beside
            elif field.groups:
                assert not beside
                assert ax.get_legend() is None
            else:
                (bar,) = beside
                assert bar.get_ylabel().startswith(field.label)
                assert field.unit in bar.get_ylabel()
            seen.add(field.name)
    assert {"cluster", "size", "speed", "contacts", "collisions", "since_contact", "radius", "rattlers"} <= seen


def test_the_faces_follow_the_values(gas: Any) -> None:
    ax = engine.plot(gas, color_by="speed", colormap="cividis")
    speeds = np.hypot(*gas.frame().velocities.T)
    bar = ax.figure.axes[1]
    low, high = bar.get_ylim()
    from cmap import Colormap

    wanted = Colormap("cividis").to_mpl()(np.clip((speeds - low) / (high - low), 0.0, 1.0))
    drawn = circles(ax)
    assert np.allclose(drawn.get_facecolors()[: len(speeds)], wanted, atol=1 / 255)


def test_discs_at_the_edge_of_a_periodic_box_are_seen_at_both_sides() -> None:
    positions = np.array([[5.0, 5.0], [0.2, 5.0], [9.9, 9.9], [5.0, 9.0]])
    radii = np.array([0.5, 0.5, 0.5, 0.5])
    places, which = images(positions, radii, np.array([10.0, 10.0]), True)
    assert which.tolist()[:4] == [0, 1, 2, 3]
    assert sorted(which.tolist()[4:]) == [1, 2, 2, 2]
    found = {tuple(np.round(place, 9)) for place, disc in zip(places, which, strict=True) if disc == 2}
    assert found == {(9.9, 9.9), (-0.1, 9.9), (9.9, -0.1), (-0.1, -0.1)}
    assert (10.2, 5.0) in {tuple(np.round(place, 9)) for place in places}
    across, which = images(positions, radii, np.array([10.0, 10.0]), Periodic((False, True)))
    assert which.tolist() == [0, 1, 2, 3, 2]
    assert_allclose(across[4], (9.9, -0.1))
    alone, same = images(positions, radii, np.array([10.0, 10.0]), False)
    assert alone is positions
    assert same.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("axis", [0, 1])
def test_the_periodic_sides_of_a_box_are_dashed_and_cut_its_discs(axis: int) -> None:
    periodic = Periodic((axis == 0, axis == 1))
    frame = FileFrame(np.array([[0.2, 0.2]]), radii=np.array([0.5]), box=np.array([10.0, 8.0]), periodic=periodic)
    ax = engine.plot(frame)
    (edges,) = (one for one in ax.collections if isinstance(one, LineCollection))
    dashes = dict(zip([tuple(np.ptp(one, axis=0)) for one in edges.get_segments()], edges.get_linestyle(), strict=True))
    assert len(edges.get_segments()) == 4
    assert [dashes[side][1] is not None for side in ((0.0, 8.0), (10.0, 0.0))] == list(periodic)
    assert len(circles(ax).get_offsets()) == 2
    low, high = (
        circles(ax)
        .get_clip_path()
        .get_fully_transformed_path()
        .get_extents()
        .transformed(ax.transData.inverted())
        .get_points()
    )
    assert ((low < -1.0) & (high > 10.0)).tolist() == [not one for one in periodic]
    assert_allclose(high[axis], (10.0, 8.0)[axis])


def test_an_edge_in_space_is_dashed_where_two_periodic_faces_meet() -> None:
    box = np.array([4.0, 5.0, 6.0])
    frame = FileFrame(np.ones((1, 3)), radii=np.full(1, 0.5), box=box, periodic=Periodic((True, True, False)))
    ax = engine.plot(frame, picture="drawn")
    found = [one for one in ax.collections if isinstance(one, LineCollection)]
    styles = [style[1] is not None for one in found for style in one.get_linestyle()]
    assert (len(styles), sum(styles)) == (12, 4)
    view = flat_view(frame.positions, frame.radii, box, periodic=frame.periodic)
    dashed = np.concatenate(view.dashed)
    upright = np.abs(np.diff(np.concatenate(view.edges), axis=1)[:, 0]).argmax(axis=1)
    assert len(set(upright[dashed].tolist())) == 1


def test_axes_that_are_given_are_used_and_keep_their_title(sticking: Any) -> None:
    figure = Figure()
    left, right = figure.subplots(1, 2)
    left.set_title("mine")
    assert engine.plot(sticking, ax=left) is left
    engine.plot(sticking.frame(), right, "speed")
    assert left.get_title() == "mine"
    assert len(figure.axes) == 3  # with the colour bar
    assert not pyplot.get_fignums()


def test_a_frame_is_drawn_as_its_simulation_and_as_the_file_that_holds_it(gas: Any, tmp_path: Path) -> None:
    write(tmp_path / "gas.gsd", gas)
    drawn = [
        circles(engine.plot(one, color_by="collisions")) for one in (gas, gas.frame(), read(tmp_path / "gas.gsd")[0])
    ]
    for other in drawn[1:]:
        assert np.array_equal(other.get_offsets(), drawn[0].get_offsets())
        assert np.array_equal(other.get_widths(), drawn[0].get_widths())
        assert np.array_equal(other.get_facecolors(), drawn[0].get_facecolors())


@pytest.mark.parametrize(
    ("shown", "how", "words"),
    [
        (
            "simulation",
            {"color_by": "heat"},
            "color_by must be cluster, size, speed, .* for aggregation, not 'heat'",
        ),
        ("simulation", {"colormap": "no such map"}, None),
        ("simulation", {"color_by": "speed", "colormap": "no such map"}, "there is no colour map 'no such map'"),
        ("bare frame", {}, "this frame does not know which discs it belongs to"),
        ("no radii", {}, "this frame has no radii"),
        ("a string", {}, "a simulation or one of its frames can be drawn, not str"),
        ("file without collisions", {"color_by": "collisions"}, "color_by='collisions' needs collisions of each disc"),
    ],
)
def test_an_object_that_cannot_be_drawn_is_refused_in_a_sentence(
    sticking: Any, shown: str, how: Any, words: str | None
) -> None:
    spots = np.array([[1.0, 1.0]])
    things: dict[str, Any] = {
        "simulation": sticking,
        "bare frame": Frame.empty(3),
        "no radii": FileFrame(spots),
        "a string": "lattice",
        "file without collisions": FileFrame(spots, radii=np.array([0.5])),
    }
    if words is None:  # a map that is not used is not looked for
        engine.plot(things[shown], **how)
        return
    with pytest.raises(engine.InputError, match=words.replace("(", r"\(")):
        engine.plot(things[shown], **how)


def test_simulations_frames_and_files_show_themselves(sticking: Any, tmp_path: Path) -> None:
    write(tmp_path / "x.csv", sticking)
    (held,) = read(tmp_path / "x.csv")
    for shown in (sticking, sticking.frame(), held):
        picture = pixels(shown._repr_png_())
        assert 250 < picture.shape[1] < 700
        assert len(np.unique(picture.reshape(-1, picture.shape[2]), axis=0)) > 20
    assert not pyplot.get_fignums()  # nothing to be closed
    assert repr(sticking) == f"<aggregation, event-driven: 100 discs at time {sticking.time:g}>"
    assert repr(sticking.frame()) == f"<frame at time {sticking.time:g}: 100 discs, 40 clusters>"


def test_a_frame_that_does_not_know_its_discs_shows_its_text() -> None:
    assert Frame.empty(3)._repr_png_() is None


def test_without_matplotlib_there_is_the_text(sticking: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discs, "find_spec", lambda name: None)
    assert sticking._repr_png_() is None
    with pytest.raises(engine.InputError, match=r"engine\.plot needs matplotlib: pip install matplotlib"):
        engine.plot(sticking)


def test_very_many_discs_are_shown_as_an_image_with_the_same_colours() -> None:
    count, rng = 20_000, np.random.default_rng(1)
    positions = rng.random((count, 2)) * [40.0, 20.0]
    left = (positions[:, 0] < 20.0).astype(np.int32)
    frame = FileFrame(positions, radii=np.full(count, 0.11), box=np.array([40.0, 20.0]), cluster=left)
    picture = pixels(frame._repr_png_())
    rows = picture.shape[0]
    middle = picture[rows // 2 - 20 : rows // 2 + 20]
    width = middle.shape[1]
    first, second = (middle[:, int(width * at)].mean(axis=0)[:3] for at in (0.3, 0.8))
    assert np.abs(first - second).max() > 0.1
    from engine.plotting.colors import colors_of, seen
    from engine.plotting.discs import _as_image

    state = seen(frame)
    view = flat_view(state.frame.positions, state.radii, state.discs.box)
    image = _as_image(state, colors_of(state, state.field("cluster"), None), view)
    covered = image[:, :, 3].sum() / image[:, :, 3].size
    assert 0.5 < covered < count * np.pi * 0.11**2 / 800.0  # where discs lie over each other they are counted once


def test_small_counts_have_a_colour_for_each_number(sticking: Any) -> None:
    ax = engine.plot(sticking, color_by="contacts")
    counts = engine.fields.CONTACTS.measure(sticking.frame(), sticking)
    faces = circles(ax).get_facecolors()
    assert len(np.unique(faces, axis=0)) == len(np.unique(counts))
    bar = ax.figure.axes[1]
    assert [float(tick) for tick in bar.get_yticks()] == list(range(9))


@pytest.fixture
def many_discs() -> Figure:
    """200 discs of two radii and three colours."""
    rng = np.random.default_rng(2)
    figure = Figure((4.0, 4.0))
    ax = figure.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(0.0, 10.0), ylim=(0.0, 10.0))
    radii = np.where(np.arange(200) % 4 == 0, 0.2, 0.1)
    faces = np.array([(0.8, 0.0, 0.0, 1.0), (0.0, 0.6, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)])[rng.integers(0, 3, 200)]
    DiscCollection(ax, rng.uniform(0.0, 10.0, (200, 2)), radii, faces, "black", 0.5)
    return figure


def test_discs_are_circles_in_a_file_those_that_look_alike_together(many_discs: Figure) -> None:
    file = io.BytesIO()
    many_discs.savefig(file, format="svg")
    text = file.getvalue().decode()
    assert text.count("<circle") == 200
    assert text.count('<g fill="#') == 3
    assert {float(r) for r in re.findall(r' r="([0-9.]+)"', text)} == {2.88, 5.76}  # points
    assert set(re.findall(r'stroke-width="([0-9.]+)"', text)) == {"0.5"}


def spheres_in(ax: Any, number: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places and radii of the spheres in an SVG of some axes, in their units and from back to front, and their colours
    at the outline (N, 3)."""
    file = io.BytesIO()
    ax.figure.savefig(file, format="svg")
    root = ElementTree.fromstring(file.getvalue())
    edges = {one.attrib["id"]: one[-1].attrib["stop-color"] for one in root.iter(f"{SVG}radialGradient")}
    found = list(root.iter(f"{SVG}circle"))
    x, y, r = (np.array([float(one.attrib[key]) for one in found]) for key in ("cx", "cy", "r"))
    high = ax.figure.get_figheight() * 72.0
    ax.figure.set_dpi(72.0)
    ax.figure.draw_without_rendering()
    places = ax.transData.inverted().transform(np.column_stack([x, high - y]))
    names = [edges[one.attrib["fill"][5:-1]] for one in found]
    colors = np.array([[int(name[k : k + 2], 16) for k in (1, 3, 5)] for name in names], float)
    return places, r / ax.transData.get_matrix()[0, 0], colors


def test_spheres_are_circles_in_perspective_those_in_front_drawn_last_and_paler_behind(tmp_path: Path) -> None:
    values = {"system": "hard-discs", "dimensions": 3, "discs.count": 64, "discs.volume_fraction": 0.2}
    simulation = engine.create(Scenario().with_values(values))
    simulation.advance(max_events=200)
    ax = engine.plot(simulation, color_by="radius", picture="drawn")
    places, radii, edges = spheres_in(ax)
    assert ax.get_title().endswith("64 spheres")
    assert len(radii) == 64
    assert radii.max() / radii.min() > 1.2, "near ones are larger"
    assert np.corrcoef(np.arange(64), radii)[0, 1] > 0.8, "and are drawn last"
    assert np.corrcoef(edges.min(axis=1), radii)[0, 1] < -0.8, "all have one radius, and so one colour"
    low, high = np.array([ax.get_xlim(), ax.get_ylim()]).T
    assert (places > low).all()
    assert (places < high).all()
    write(tmp_path / "spheres.gsd", simulation)
    again = engine.plot(read(tmp_path / "spheres.gsd")[0], color_by="radius", picture="drawn")
    assert spheres_in(again)[1] == pytest.approx(radii, rel=1e-3)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_discs_are_vectors_or_an_image_of_the_resolution_of_the_figure(dimensions: int) -> None:
    values = {"system": "hard-discs", "dimensions": dimensions, "discs.count": 64, "discs.volume_fraction": 0.2}
    simulation = engine.create(Scenario().with_values(values))
    for picture, image in (("drawn", False), ("rendered", True), ("auto", dimensions == 3)):
        figure = Figure((85.0 / 25.4, 3.0))
        engine.plot(simulation, figure.add_axes((0.0, 0.1, 1.0, 0.8)), picture=picture)
        written = {name: io.BytesIO() for name in ("svg", "pdf")}
        for name, file in written.items():
            figure.savefig(file, format=name, dpi=200)
        root = ElementTree.fromstring(written["svg"].getvalue())
        assert len(list(root.iter(f"{SVG}circle"))) == (0 if image else 64), picture
        sizes = [int(size) for size in re.findall(rb"/Width (\d+)", written["pdf"].getvalue())]
        across = [size for size in sizes if size > 300.0]  # else the colour scale
        assert bool(across) == image, picture
        assert all(size <= 200.0 * 85.0 / 25.4 + 1.0 for size in across)
    with pytest.raises(engine.InputError, match="picture must be auto, rendered or drawn, not 'fine'"):
        engine.plot(simulation, picture="fine")


def test_gradients_are_those_of_the_painter() -> None:
    """The colours at the stops, over the whole sphere, as the light gives them."""
    y, x = np.mgrid[-0.99:0.99:120j, -0.99:0.99:120j]
    inside = np.hypot(x, y) < 0.98
    up = np.sqrt(np.maximum(1.0 - x * x - y * y, 0.0))
    bright = light.AMBIENT + light.DIFFUSE * np.maximum(np.tensordot(light.LIGHT, [x, y, up], 1), 0.0)
    bright *= np.minimum(1.0 - light.RIM + 2.0 * light.RIM * up, 1.0)
    shine = light.GLOSS * np.maximum(np.tensordot(light.HALFWAY, [x, y, up], 1), 0.0) ** 24
    expected = 150.0 * bright + 255.0 * shine
    looks, which = light.gradients(np.full((1, 3), 150.0), np.ones(1), np.zeros(1), np.zeros(3))
    fx, fy = light.FOCUS
    along, square = x * fx + y * fy - fx * fx - fy * fy, (x - fx) ** 2 + (y - fy) ** 2
    rest = 1.0 - fx * fx - fy * fy
    at = (along + np.sqrt(along**2 + rest * square)) / rest  # the circle of the gradient on which a point is
    found = np.interp(at, light.STOPS, looks[which[0], :, 0])
    assert np.abs(found - expected)[inside].mean() < 18.0
    assert looks[0, 0, 0] > 1.8 * looks[0, -1, 0]


def test_a_slab_of_spheres_is_seen_from_where_one_says() -> None:
    box, radii = np.array([10.0, 10.0, 10.0]), np.full(5, 1.0)
    heights = np.array([0.9, 1.6, 4.0, 5.6, 6.1])  # seen against z, between 2 and 5: the first and the last lie outside
    positions = np.column_stack([np.full(5, 5.0), np.full(5, 5.0), heights])
    frame = FileFrame(positions, radii=radii, box=box)
    state = colors.seen(frame)
    view = replace(state, turn=(2.0, 0.0, 0.0, 0.0), slab=(0.2, 0.5)).view
    assert view.which.tolist() == [1, 2, 3]
    eye = EYE * np.sqrt(300.0) / 2.0
    cut, depth = np.array([np.sqrt(1.0 - 0.4**2), 1.0, np.sqrt(1.0 - 0.6**2)]), np.array([2.0, 4.0, 5.0])
    assert view.radii == pytest.approx(cut / (1.0 - (depth - 5.0) / eye))
    aside = replace(state, turn=(0.5, -0.5, -0.5, -0.5)).view  # against x: heights are what one sees
    assert aside.size[0] == pytest.approx(aside.size[1])
    up = aside.places[np.argsort(aside.which), 1]
    assert np.diff(up) == pytest.approx(np.diff(heights))
    with pytest.raises(engine.InputError, match="a slab must be two shares of the depth"):
        engine.plot(frame, slab=(0.5, 0.5))
    with pytest.raises(engine.InputError, match="a turn must be four finite numbers that are not all 0"):
        engine.plot(frame, turn=(0.0, 0.0, 0.0, 0.0))
    with pytest.raises(engine.InputError, match="slab must be two numbers, not 3"):
        engine.plot(frame, slab=3)  # type: ignore[arg-type]


@pytest.mark.slow
def test_very_many_spheres_are_shown_as_an_image_of_those_in_front() -> None:
    values = {"system": "hard-discs", "dimensions": 3, "discs.count": 8000, "discs.volume_fraction": 0.5}
    simulation = engine.create(Scenario().with_values(values))
    state = colors.seen(simulation)
    view = flat_view(state.frame.positions, state.radii, state.discs.box)
    front = view.near[np.argsort(view.which)] > 0.5
    faces = np.where(front[:, None], (1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0))
    ax = Figure(figsize=(3, 3)).add_subplot()
    discs.draw(ax, state, DiscColors(faces, "front"), quick=True)
    assert [len(one.get_paths()) for one in ax.collections if isinstance(one, EllipseCollection)] == []
    red, _, blue, seen = np.moveaxis(np.asarray(ax.images[0].get_array()), -1, 0)
    middle = (slice(200, 280), slice(200, 280))
    assert seen[middle].all()
    assert (red > blue)[middle].all()
    assert front.mean() == pytest.approx(0.5, abs=0.1), "the others are behind these"
    assert discs.png(simulation) is not None
