"""Each field of each system is found wherever discs are coloured, described, drawn or written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import gsd.hoomd
import numpy as np
import pytest

import engine
from aggviewer.canvas import colors
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.scene import Scene
from aggviewer.cli.render import Wishes, _view
from aggviewer.document.view import ViewModel, fields_of
from aggviewer.export.pictures import write_picture
from aggviewer.export.sources import FilmColors, SimulationSource, recording, show_state
from aggviewer.session.coloring import Coloring, Colorist
from aggviewer.session.data import DiscSet
from aggviewer.session.past.recording import as_frame
from aggviewer.session.publisher import Shown
from aggviewer.window import status_bar
from engine.errors import InputError
from engine.fields import CONTACTS, Field, fields_in
from engine.files import FileFrame, read, write
from engine.files.quantities import IMAGES
from engine.frame import Frame
from engine.plugins import PlugIn
from engine.scenario import Scenario
from engine.simulation import Simulation
from engine.system import known_fields
from engine.system import system as system_called
from tests.cli.conftest import Call

SYSTEMS = ("aggregation", "hard-discs", "jamming", "points")
COUNT = 30
SIZE = (900, 700)


@pytest.fixture(autouse=True)
def fonts(qapp: object) -> None:
    """Text in pictures needs Qt's application."""


@cache
def simulated(system: str) -> Simulation:
    """A simulation in which something has happened."""
    values = {"discs.count": COUNT, "discs.arrangement": "random", "seed": 4, "system": system}
    simulation = engine.create(Scenario().with_values(values))
    simulation.advance(max_events=60 if system == "jamming" else 12)  # so many iterations jam them
    return simulation


def shown(simulation: Simulation, scalar: np.ndarray, coloring: Coloring) -> Shown:
    """What the window would have."""
    parts = (simulation.radii, simulation.masses, simulation.box, simulation.periodic, simulation.count)
    return Shown(DiscSet(simulation.scenario, *parts), simulation.frame(), scalar, coloring)


def expected(field: Field, frame: Frame, simulation: Simulation) -> np.ndarray:
    """The values of a field; those of `measure` where only that knows them."""
    values = field.values(frame, simulation)
    if values is None and field.measure is not None:
        values = field.measure(frame, simulation)
    return np.zeros(COUNT) if values is None else values


def text_of(path: Path) -> str:
    """All words of an SVG picture."""
    return " ".join(ElementTree.parse(path).getroot().itertext())


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_field_colours_explains_itself_and_is_said_of_a_disc(system: str, points: PlugIn, tmp_path: Path) -> None:
    simulation = simulated(system)
    frame, offered = simulation.frame(), fields_in(fields_of(system), 2)
    drawn: list[object] = []
    assert len({field.name for field in offered}) == len(offered) >= 2
    for field in offered:
        assert field in known_fields() or field.name in {other.name for other in known_fields()}
        view = _view(Wishes(color_by=field.name))
        assert view.color_by == field.name
        scalar, coloring = Colorist(offered, simulation).color(
            frame, view.color_by, lambda field: None if field.measure is None else field.measure(frame, simulation)
        )
        values = expected(field, frame, simulation)
        assert (coloring.by, coloring.label, coloring.classes) == (field.name, field.label, field.classes)
        assert (scalar.shape, scalar.dtype) == ((COUNT,), np.float32)
        if not field.groups:
            np.testing.assert_array_equal(scalar, values.astype(np.float32))
            low, high = coloring.limits
            assert low <= values.min(), field.name
            assert values.max() <= high or coloring.open_top, field.name

        disc = int(values.argmax())
        line = status_bar.describe(shown(simulation, scalar, coloring), disc)
        said = field.of_disc(frame, simulation, disc)
        if said is not None or field.measure is not None:
            assert status_bar.in_words(field, values[disc]) in line, field.name
            assert line.startswith(f"disc {disc}, ")
            assert f", R = {simulation.radii[disc] * frame.radius_factor:.3g}" in line
        if said is not None:
            assert said == values[disc], field.name

        look = (field.kind, field.classes, field.groups)
        if look in drawn:  # a legend of the same kind
            continue
        drawn.append(look)
        source, scene = SimulationSource(engine.restore(simulation.checkpoint())), Scene()
        show_state(scene, source, source.frame_at(0.0), FilmColors(source, field.name), view)
        camera = Camera.fitting((float(source.box[0]), float(source.box[1])), SIZE)
        write_picture(tmp_path / "a.svg", scene, camera, view, SIZE)
        legend = " ".join(text_of(tmp_path / "a.svg").split())  # a long title has two lines
        for words in field.classes or (f"{field.label.lower()}s (12 colours)" if field.groups else field.label,):
            assert words in legend, field.name


@pytest.mark.parametrize("system", SYSTEMS)
def test_fields_of_a_frame_are_the_same_after_writing_and_reading_a_file(
    system: str, points: PlugIn, tmp_path: Path
) -> None:
    simulation = simulated(system)
    frame = simulation.frame()
    write(tmp_path / "a.gsd", [FileFrame.of(frame, simulation)] * 2)
    (again, _) = read(tmp_path / "a.gsd")
    found = as_frame(again, frame.time)
    for name, values in frame.fields.items():
        assert found.fields[name].dtype == values.dtype, name
        np.testing.assert_array_equal(found.fields[name], values)
    for field in fields_of(system):
        wanted, got = field.values(frame, simulation), field.values(found, simulation)
        if field.needs == "self-stresses":  # which no file holds
            assert got is None
        elif wanted is not None:
            np.testing.assert_array_equal(got, wanted, err_msg=field.name)
    log = gsd.hoomd.read_log(tmp_path / "a.gsd")
    for name, values in frame.fields.items():
        if name != IMAGES:  # which HOOMD's schema has by itself
            np.testing.assert_array_equal(log[f"log/particles/{name}"], np.stack([values, values]))

    write(tmp_path / "a.csv", [FileFrame.of(frame, simulation)])
    header, *_ = (tmp_path / "a.csv").read_text().splitlines()
    assert header == "x,y,vx,vy,radius,cluster"  # as people's scripts read it
    (table,) = read(tmp_path / "a.csv")
    np.testing.assert_array_equal(table.positions, frame.positions)
    np.testing.assert_array_equal(table.cluster, frame.cluster)
    assert table.fields == {}


def test_a_film_of_a_recording_has_colours_by_what_it_holds(points: PlugIn, tmp_path: Path) -> None:
    simulation = simulated("hard-discs")
    frame = simulation.frame()
    write(tmp_path / "a.gsd", [FileFrame.of(frame, simulation)])
    with recording(tmp_path / "a.gsd") as source:
        scalar, coloring = FilmColors(source, "collisions").color(source.frame(0))
        np.testing.assert_array_equal(scalar, frame.fields["collisions"])
        assert coloring.label == "Collisions"
    frame.fields.clear()  # as versions before 0.2 wrote them
    write(tmp_path / "b.gsd", [FileFrame.of(frame, simulation)])
    for name in ("collisions", "since_contact"):
        with recording(tmp_path / "b.gsd") as source, pytest.raises(InputError, match=r"the file has no .* needs"):
            FilmColors(source, name)


def _direction(frame: Frame, discs: object) -> np.ndarray:
    return np.arctan2(frame.velocities[:, 1], frame.velocities[:, 0])


NEW = (
    Field("heading", "Heading", _direction, symbol="φ", kind="angle", needs="velocities"),
    Field("quarter", "Quarter", lambda frame, discs: (_direction(frame, discs) // (np.pi / 2) + 2) % 4, kind="category",
          classes=("left below", "right below", "right above", "left above")),
    Field("side", "Side", lambda frame, discs: (frame.positions[:, 0] > discs.box[0] / 2).astype(np.int64),
          kind="category"),
    Field("heat", "Heat", lambda frame, discs: discs.masses * _direction(frame, discs), unit="energy"),
)  # fmt: skip
"""Fields of every kind, that no line of the program knows."""


@pytest.fixture(params=NEW, ids=lambda field: field.name)
def added(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Field]:
    """A field that has been added in one place: to the list of a system."""
    kind = type(system_called("hard-discs"))
    monkeypatch.setattr(kind, "fields", (*kind.fields, request.param))
    return request.param


def test_a_field_added_in_one_place_is_found_everywhere(added: Field, call: Call, tmp_path: Path) -> None:
    assert ViewModel(color_by=added.name).color_by == added.name
    simulation = simulated("hard-discs")
    frame = simulation.frame()
    scalar, coloring = Colorist(fields_of("hard-discs"), simulation).color(frame, added.name)
    assert coloring.by == added.name
    assert status_bar.in_words(added, added.of_disc(frame, simulation, 3)) in status_bar.describe(
        shown(simulation, scalar, coloring), 3
    )
    table = colors.table(coloring, ViewModel())
    if added.kind == "angle":
        assert coloring.limits == (-np.pi, np.pi)
        np.testing.assert_allclose(table[0], table[-1], atol=3)  # the same direction, the same colour
    run = ("render", "gas-10000", "--set", f"discs.count={COUNT}", "--until-time", "0.1", "--out", tmp_path / "a.svg")
    assert call(*run, "--color-by", added.name).status == 0
    legend = text_of(tmp_path / "a.svg")
    for words in added.classes or (f"{added.label.lower()}s (12 colours)" if added.groups else added.label,):
        assert words in legend
    refused = call(*run, "--color-by", "taste")
    assert refused.status == 2
    assert f"{added.name}" in refused.err


def test_a_field_that_takes_long_is_measured_only_where_it_is_shown() -> None:
    asked: list[str] = []

    def slow(frame: Frame, discs: object) -> np.ndarray:
        asked.append("slow")
        return np.zeros(COUNT)

    simulation = simulated("aggregation")
    offered = (*fields_of("aggregation"), replace(CONTACTS, name="slow", measure=slow))
    colorist, frame = Colorist(offered, simulation), simulation.frame()
    for field in offered[:-1]:
        colorist.color(frame, field.name)
    assert colorist.color(frame, "slow")[1].by == "slow"
    assert asked == []


def test_values_that_are_no_numbers_do_not_spoil_the_scale() -> None:
    values = np.array([1.0, np.nan, 2.5, np.inf])
    simulation = simulated("aggregation")
    heat = Field("heat", "Heat", lambda frame, discs: np.resize(values, COUNT))
    coloring = Colorist((heat,), simulation).color(simulation.frame(), "heat")[1]
    assert coloring.limits == (0.0, 3.0)
    pairs = Field("pairs", "Pairs", lambda frame, discs: np.zeros((COUNT, 2)), absent=1.0)
    assert set(Colorist((pairs,), simulation).color(simulation.frame(), "pairs")[0]) == {1.0}


def test_a_system_of_the_plane_is_refused_in_space(points: PlugIn) -> None:
    with pytest.raises(InputError, match=r'must be 2 when system = "points"; only .* runs in') as caught:
        Scenario().with_values({"system": "points", "dimensions": 3})
    assert caught.value.key == "dimensions"
