"""Recordings whose radii, masses or box change: each frame is shown and measured with its own."""

from __future__ import annotations

from collections.abc import Iterator
from math import pi
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import engine
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from aggviewer.export.sources import FilmColors, recording, show_state
from aggviewer.extensions.inspector.tables import TableSource
from aggviewer.session import Session, Shown
from aggviewer.session.commands.beginning import StartFromShown
from aggviewer.systems.registry import view_of
from aggviewer.window.status_bar import describe
from engine.analysis import Sample
from engine.boundary import Periodic
from engine.files import FileFrame, TrajectoryWriter, write
from engine.scenario import Scenario
from engine.state_file import read_frame
from tests.session.driving import analysis, real_session, settle, until

BOXES = (np.array([10.0, 10.0]), np.array([6.0, 6.0]), np.array([6.0, 12.0]))
RADII = (np.array([0.5, 1.5, 1.0]), np.array([1.5, 0.5, 0.9]), np.array([1.5, 0.5, 0.9]))
PLACES = (
    np.array([[2.0, 5.0], [7.0, 5.0], [4.5, 1.2]]),
    np.array([[1.6, 3.0], [3.6, 3.0], [5.05, 3.0]]),  # a row that touches
    np.array([[1.6, 3.0], [3.6, 3.0], [4.0, 9.0]]),
)
MASSES = (np.array([1.0, 2.0, 3.0]), np.array([3.0, 2.0, 1.0]), np.array([3.0, 2.0, 1.0]))
PERIODIC = (Periodic.of(True, 2), Periodic((True, False)), Periodic.of(False, 2))


def state(number: int) -> FileFrame:
    return FileFrame(
        PLACES[number],
        velocities=np.ones((3, 2)),
        radii=RADII[number],
        masses=MASSES[number],
        cluster=np.arange(3, dtype=np.int32),
        box=BOXES[number],
        periodic=PERIODIC[number],
        time=float(number),
    )


@pytest.fixture(params=["gsd", "xyz", "lammpstrj"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    made = tmp_path / f"changing.{request.param}"
    write(made, [state(number) for number in range(3)])
    return made


@pytest.fixture
def session(path: Path) -> Iterator[Session]:
    with real_session(measuring_view_of=view_of) as made:
        made.open(path, run=False)
        settle(made)
        yield made


def shown_at(session: Session, time: float) -> Shown:
    session.look_at(time)
    settle(session)
    found: list[Shown] = []

    def came() -> bool:
        one = session.publishers.latest_frame()
        found.extend([] if one is None else [one])
        return bool(found) and found[-1].frame.time == time

    until(came)
    return found[-1]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0, 1)])
def test_each_frame_is_shown_with_its_own_radii_masses_box_and_boundary(
    session: Session, path: Path, order: tuple[int, ...]
) -> None:
    for number in order:
        shown = shown_at(session, float(number))
        discs, frame = shown.discs, shown.frame
        assert_allclose(discs.radii * frame.radius_factor, RADII[number])
        assert_allclose(discs.box, BOXES[number])
        assert discs.periodic == PERIODIC[number]
        if path.suffix != ".lammpstrj":  # which leaves out masses
            assert_allclose(discs.masses, MASSES[number])
        assert f"R = {RADII[number][0]:.3g}" in describe(shown, 0)
        columns = TableSource(frame, shown.disc_set).columns("discs")
        assert_allclose(columns["radius"], RADII[number])


def test_each_frame_is_measured_with_its_own_radii_and_box(session: Session) -> None:
    for number in (1, 0, 1):
        shown_at(session, float(number))
        found = analysis(session, lambda found, time=float(number): found.time == time)
        assert found.mean_radius == pytest.approx(RADII[number].mean())
        discs = Sample(
            PLACES[number],
            RADII[number],
            BOXES[number],
            periodic=PERIODIC[number],
            cluster=np.arange(3, dtype=np.int32),
        )
        assert found.indicators.contacts_relative == pytest.approx(discs.contacts.relative)


def test_a_new_start_takes_over_what_is_shown(session: Session, tmp_path: Path) -> None:
    shown_at(session, 1.0)
    session.give(StartFromShown(tmp_path / "start.gsd"))
    settle(session)
    until(lambda: session.status().timeline is not None and not session.status().timeline.replay)  # type: ignore[union-attr]
    kept = read_frame(tmp_path / "start.gsd")
    assert kept.radii is not None
    assert kept.box is not None
    assert_allclose(kept.radii, RADII[1])
    assert_allclose(kept.box, BOXES[1])
    until(lambda: (shown := session.publishers.latest_frame()) is not None and shown.frame.time == 0.0)
    scenario = session.scenario
    assert scenario.box_size() == (6.0, 6.0)
    assert scenario.periodic == PERIODIC[1]
    assert scenario.discs.volume_fraction == pytest.approx(pi * np.square(RADII[1]).sum() / 36.0)


def test_films_and_pictures_have_the_box_and_the_sizes_of_each_frame(path: Path) -> None:
    with recording(path) as source:
        colors, scene = FilmColors(source, "radius"), Scene()
        for number in (0, 1, 2, 0):
            show_state(scene, source, source.frame(number), colors, ViewModel())
            assert_allclose(scene.radii, RADII[number])
            assert_allclose(scene.box, BOXES[number])
            assert scene.periodic == PERIODIC[number]
            assert_allclose(scene.scalar, RADII[number] / RADII[number].mean(), rtol=1e-6)


def test_a_recording_of_growing_discs_has_the_radii_of_each_moment(tmp_path: Path) -> None:
    scenario = Scenario.from_values(
        {
            "system": "hard-discs",
            "seed": 2,
            "discs": {"count": 16, "volume_fraction": 0.2},
            "box": {"boundary": "periodic"},
            "hard_discs": {"growth_rate": 0.05},
        }
    )
    simulation, expected = engine.create(scenario), []
    path = tmp_path / "growing.gsd"
    with TrajectoryWriter(path, scenario.to_toml()) as writer:
        for time in (0.0, 0.5, 1.0):
            simulation.advance(time)
            frame = simulation.frame()
            expected.append(simulation.radii * frame.radius_factor)
            writer.append(FileFrame.of(frame, simulation))
    assert expected[2][0] > 1.01 * expected[0][0]
    with real_session() as session:
        session.open(path, run=False)
        settle(session)
        for number, time in ((0, 0.0), (2, 1.0), (1, 0.5)):
            shown = shown_at(session, time)
            assert_allclose(shown.discs.radii * shown.frame.radius_factor, expected[number])


def test_spheres_without_masses_have_those_of_their_volumes(tmp_path: Path) -> None:
    path = tmp_path / "spheres.xyz"
    box = 'Lattice="4 0 0 0 4 0 0 0 4" Properties=species:S:1:pos:R:3:radius:R:1'
    path.write_text("".join(f"2\n{box} Time={time}\nA 1 1 1 0.5\nA 3 3 {3 - time} 1.0\n" for time in (0, 1)))
    with recording(path) as source:
        small, large = source.masses
    assert large == pytest.approx(8.0 * small)
