"""What is said of discs that bounce, from a simulation of the protocol that is plain arithmetic."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from aggviewer.document.view import ViewModel
from aggviewer.session.analyst import Analyst, MeasuredState, StateCopy
from aggviewer.session.data import DiscSet
from aggviewer.session.notices import Notice
from aggviewer.session.publisher import FrameMailbox, Publisher, Shown
from aggviewer.systems.hard_discs.analysis import GasAnalysis
from aggviewer.systems.registry import plots_of, view_of
from engine.frame import Frame, Impacts
from engine.hard_discs.fields import GasHistory
from engine.hard_discs.pressure import Stretch
from engine.scenario import Scenario
from engine.simulation import History
from tests.session.driving import real_session, settle

COUNT = 200
BOX = np.array([10.0, 8.0])
SCENARIO = Scenario().with_values({"system": "hard-discs", "box.boundary": "periodic"})


class FlyingDiscs:
    """Discs that fly straight through a periodic box while they grow; as far as others see, a HardDiscGas."""

    system = "hard-discs"
    method = "event-driven"
    tunable = frozenset({"hard_discs.restitution"})

    def __init__(self) -> None:
        rng = np.random.default_rng(1)
        self.scenario = SCENARIO
        self.count = COUNT
        self.box = BOX
        self.periodic = True
        self.radii = np.full(COUNT, 0.05)
        self.masses = np.ones(COUNT)
        self.start = rng.random((COUNT, 2)) * BOX
        self.velocities = rng.normal(size=(COUNT, 2))
        self.time = 0.0
        self.count_impacts = False

    def frame(self, out: Frame | None = None) -> Frame:
        out = Frame.empty(COUNT) if out is None else out
        flown = self.start + self.velocities * self.time
        out.fields["images"] = np.floor(flown / BOX).astype(np.int32)
        out.positions[:] = flown - out.fields["images"] * BOX
        out.velocities[:] = self.velocities
        out.fields["collisions"] = np.full(COUNT, 3, np.int32)
        out.fields["last_contact"] = np.full(COUNT, self.time - 0.25)
        out.impacts = Impacts(np.array([self.time]), np.array([[0, 1]], np.int32))
        out.time, out.clusters, out.kinetic_energy = self.time, COUNT, 1.0
        out.radius_factor = 1.0 + self.time
        return out

    def history(self) -> GasHistory:
        t = np.linspace(0.0, self.time, 5)
        n = np.arange(5)
        return GasHistory(t, np.full(5, COUNT), np.ones(5), n, n.astype(float), np.full(5, 0.1), np.ones(5), t)

    def measures(self) -> SimpleNamespace:
        return SimpleNamespace(compressibility=1.5, compressibility_error=None, energy_drift=0.0, volume_fraction=0.1)

    def stretches(self) -> tuple[Stretch, ...]:
        return (Stretch(0.0, 1.0, 1.0, 2.0),)

    def flowing_discs(self) -> None:
        return None

    def impact_histogram(self) -> tuple[np.ndarray, np.ndarray]:
        return np.arange(4) - 1.5, np.array([1, 2, 1]) if self.count_impacts else np.zeros(3, int)


@pytest.fixture
def errors():
    found: list[Exception] = []
    yield found
    assert not found


@pytest.fixture
def analyst(errors):
    made = Analyst(errors.append)
    yield made
    assert made.close(60.0)


def published(analyst, view=None):
    """A publisher of flying discs, its mailbox and its simulation."""
    simulation = FlyingDiscs()
    mailbox: FrameMailbox[Shown] = FrameMailbox()
    publisher = Publisher(mailbox, analyst, view or ViewModel(), lambda system: GasAnalysis())
    system = DiscSet(SCENARIO, simulation.radii, simulation.masses, BOX, True, COUNT)
    publisher.adopt(simulation, system)
    return publisher, mailbox, simulation


def next_result(analyst, publisher, simulation, time):
    """What is said of the state at `time`."""
    from tests.session.driving import until

    simulation.time = time
    analyst.hurry()
    until(lambda: analyst.ready)
    analyst.take()
    publisher.publish({})
    found = []
    until(lambda: found.append(analyst.take()) or found[-1] is not None)
    return found[-1]


def test_everything_reaches_those_who_look(analyst):
    publisher, _, simulation = published(analyst)
    assert simulation.count_impacts  # for the histogram
    next_result(analyst, publisher, simulation, 0.0)
    found = next_result(analyst, publisher, simulation, 3.0)
    gas, grown = found.data, 0.05 * 4.0
    assert found.indicators.volume_fraction == pytest.approx(COUNT * np.pi * grown**2 / 80.0)
    assert gas.measures.compressibility == 1.5
    assert gas.impacts[1].sum() == 4
    assert isinstance(found.history, GasHistory)
    assert gas.scenario.system == "hard-discs"
    assert gas.stretches == (Stretch(0.0, 1.0, 1.0, 2.0),)


def test_displacements_are_remembered_and_go_through_the_edge(analyst):
    publisher, _, simulation = published(analyst)
    squared = np.square(simulation.velocities - simulation.velocities.mean(axis=0)).sum() / COUNT
    for time in (0.0, 1.0, 50.0, 100.0):
        gas = next_result(analyst, publisher, simulation, time).data
    assert gas.displacement[0] == pytest.approx([0.0, 1.0, 50.0, 100.0])
    assert gas.displacement[1] == pytest.approx(squared * gas.displacement[0] ** 2)
    assert gas.start_speed_squared == pytest.approx(squared)


def test_looking_back_shows_what_was_known_then(analyst):
    from tests.session.driving import until

    publisher, mailbox, simulation = published(analyst)
    for time in (0.0, 1.0, 2.0, 3.0):
        next_result(analyst, publisher, simulation, time)
    before = simulation.frame()
    before.time = 1.5
    analyst.hurry()
    until(lambda: analyst.ready)
    publisher.show_past(before)
    found = []
    until(lambda: found.append(analyst.take()) or found[-1] is not None)
    gas = found[-1].data
    assert gas.measures is None
    assert gas.impacts is None
    assert len(gas.stretches) == 1  # Haff's law is drawn for the past too
    assert found[-1].history.time[-1] <= 1.5
    assert len(found[-1].history.virial) == len(found[-1].history.time)
    assert gas.displacement[0] == pytest.approx([0.0, 1.0])
    shown = mailbox.take()
    assert shown.frame.radius_factor == 4.0
    assert shown.frame.fields["collisions"] is not before.fields["collisions"]
    # and nothing is forgotten by it
    assert next_result(analyst, publisher, simulation, 4.0).data.displacement[0] == pytest.approx([0, 1, 2, 3, 4])


def sample(system, time):
    simulation = FlyingDiscs()
    simulation.time = time
    frame = simulation.frame()
    observed = GasAnalysis().observe(simulation, frame, MeasuredState())
    return StateCopy(system, time, frame.positions, frame.radius_factor, simulation.history(), observed)


def test_a_run_that_goes_on_from_before_replaces_what_came_after():
    simulation = FlyingDiscs()
    system = DiscSet(SCENARIO, simulation.radii, simulation.masses, BOX, True, COUNT)
    measured = GasAnalysis()
    for time in (0.0, 1.0, 2.0, 3.0, 1.5):
        found = measured.measure(sample(system, time))
    assert found.data.displacement[0] == pytest.approx([0.0, 1.0, 1.5])
    other = DiscSet(SCENARIO, simulation.radii, simulation.masses, BOX, True, COUNT)
    found = measured.measure(sample(other, 7.0))  # resumed: from there on
    assert found.data.displacement[0] == pytest.approx([0.0])
    assert found.data.displacement[1] == pytest.approx([0.0])
    found = measured.measure(sample(other, 9.5))
    relative = simulation.velocities - simulation.velocities.mean(axis=0)  # to the centre of mass
    flown = float(np.square(2.5 * relative).sum(axis=1).mean())  # each axis with its own crossings
    assert found.data.displacement[1] == pytest.approx([0.0, flown])


def test_displacements_do_not_grow_without_bound(monkeypatch):
    values = {"mean_square_displacement": 1.0, "velocity_autocorrelation": 0.5}
    one_each = SimpleNamespace(**values, measure=lambda names: names)
    monkeypatch.setattr("aggviewer.systems.hard_discs.analysis.indicators_of", lambda *given: one_each)
    simulation = FlyingDiscs()
    system = DiscSet(SCENARIO, simulation.radii, simulation.masses, BOX, True, COUNT)
    measured = GasAnalysis()
    one = sample(system, 0.0)
    for time in range(5000):
        one.time = float(time)
        found = measured.measure(one)
    times = found.data.displacement[0]
    assert len(times) <= 2049
    assert times[0] == 0.0
    assert times[-1] == 4999.0
    assert (np.diff(times) > 0).all()
    assert len(found.data.autocorrelation[1]) == len(times)


def test_a_recording_is_measured_without_what_only_a_simulation_knows(analyst):
    publisher, _, simulation = published(analyst)

    class Recorded:
        """What a replay has of the same discs."""

        system, method = "hard-discs", "recording"
        scenario = SCENARIO

        def frame(self, out):
            simulation.frame(out)
            out.fields, out.impacts = {}, None
            return out

        def history(self):
            return History(np.zeros(1), np.array([COUNT]), np.ones(1))

    system = DiscSet(SCENARIO, simulation.radii, simulation.masses, BOX, True, COUNT)
    publisher.adopt(Recorded(), system)
    found = next_result(analyst, publisher, simulation, 2.0)
    gas = found.data
    assert gas.measures is None
    assert found.indicators.speeds is not None
    assert len(gas.displacement[0]) == 0
    drawn = [plot.prepare(found, {}, None) for plot in plots_of("hard-discs")]
    assert drawn[1] is not None
    assert drawn[2] is None


def test_a_value_that_does_not_go_with_another_one_is_refused_at_its_own_key() -> None:
    grows = Scenario().with_values(
        {"system": "hard-discs", "discs.count": 20, "box.boundary": "periodic", "hard_discs.growth_rate": 0.01}
    )
    told: list[Notice] = []
    with real_session(measuring_view_of=view_of) as session:
        session.notices.sent.connect(told.append)
        session.load(grows, run=False)
        settle(session)
        session.set_parameter("shear.rate", 0.5)
        settle(session)
        assert [notice.key for notice in told] == ["shear.rate"]
        assert "growth_rate must be 0" in told[0].title
        assert session.scenario == grows
