"""A plug-in with a system of its own: points that bounce off the walls and do not see each other.

No line of the program knows it. docs/extending.md explains it part by part.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import inf
from typing import Annotated, Any, ClassVar

import numpy as np

from engine.arrays import Arrays, Longs
from engine.errors import InputError
from engine.fields import SPEED, Field, said
from engine.frame import Frame
from engine.indicators import Indicator
from engine.plugins import PlugPoints
from engine.scales import Steps
from engine.scenario import Scenario, tunable
from engine.scenario.section import Section, about
from engine.simulation import Checkpoint, Column, History, Progress, Stride, further
from engine.slices import Advancing, HeldSignals, Limits
from engine.state import InitialState
from engine.system import Clock, System

PLUG_POINTS = 1


class Points(Section):
    """The table ``[points]`` of a scenario."""

    heat: float = about(
        "Heat",
        "Every speed is that of the start times this factor.",
        1.0,
        symbol="h",
        unit="",
        gt=0.0,
        le=1e3,
        restart=False,
    )


@dataclass(frozen=True)
class PointsHistory(History):
    """A row at the start and after as many impacts as there are points."""

    impacts: Annotated[Longs, Column("Impacts", "n")]


class PointGas(Advancing):
    """Simulation (see `engine.simulation.Simulation`) of points that bounce off the walls.

    Each point has a place and a time of its own, those of its last impact; where it is now follows from them, so that
    no rounding piles up and a cut anywhere changes nothing.
    """

    system, method = "points", "free-flight"
    tunable = tunable("points", Points)

    def __init__(self, scenario: Scenario, state: InitialState) -> None:
        self.scenario = scenario
        self._adopt(state.radii, state.masses, state.box, state.periodic)
        self._place = state.positions.copy()
        self._velocity = state.velocities * scenario.section(Points).heat
        self._since = np.zeros(self.count)
        self._hits = np.zeros(self.count, np.int32)
        self._time = 0.0
        self._rows = [self._row()]

    @property
    def time(self) -> float:
        """Simulation time reached."""
        return self._time

    def _advance(self, limits: Limits, signals: HeldSignals) -> Progress:
        events = 0
        while True:
            signals.deliver()
            point, axis, at = self._next()
            if at == inf and limits.until_time == inf:
                return self._progress(reached=True, stop_reason="all points are at rest")
            if at > limits.until_time or (limits.max_events is not None and events >= limits.max_events):
                if limits.max_events is None or events < limits.max_events:
                    self._time = max(self._time, limits.until_time)
                return self._progress(reached=True)
            self._bounce(point, axis, at)
            events += 1
            if events % 100 == 0 and limits.budget < inf:
                return self._progress(reached=False)

    def _next(self) -> tuple[int, int, float]:
        """The next impact: which point, along which axis, when."""
        edge = np.where(self._velocity > 0.0, self.box - self.radii[:, None], self.radii[:, None])
        with np.errstate(divide="ignore", invalid="ignore"):
            left = np.where(self._velocity == 0.0, inf, (edge - self._place) / self._velocity)
        at = self._since[:, None] + left
        point, axis = divmod(int(np.argmin(at)), 2)
        return point, axis, max(float(at[point, axis]), self._time)

    def _bounce(self, point: int, axis: int, at: float) -> None:
        self._place[point] += self._velocity[point] * (at - self._since[point])
        self._velocity[point, axis] *= -1.0
        self._since[point] = self._time = at
        self._hits[point] += 1
        if int(self._hits.sum()) % self.count == 0:
            self._rows.append(self._row())

    def _row(self) -> tuple[float, int, float, int]:
        energy = 0.5 * float((self.masses[:, None] * self._velocity**2).sum())
        return self._time, self.count, energy, int(self._hits.sum())

    def _progress(self, *, reached: bool, stop_reason: str = "") -> Progress:
        events = {"wall": int(self._hits.sum())}
        return Progress(self._time, self.count, events, {}, bool(stop_reason), reached, stop_reason)

    def stride(self, frames: float = 1.0) -> Stride:
        """See `Simulation.stride`."""
        return Stride(events=further(int(self._hits.sum()), self.count, frames))

    def frame(self, out: Frame | None = None) -> Frame:
        """See `Simulation.frame`."""
        out = Frame.empty(self.count) if out is None else out
        out.discs = self.discs
        out.time, out.clusters, out.kinetic_energy = self._time, self.count, self._row()[2]
        out.positions[:] = self._place + self._velocity * (self._time - self._since)[:, None]
        out.velocities[:] = self._velocity
        out.lay_out({"hits": np.dtype(np.int32)})
        out.fields["hits"][:] = self._hits
        return out

    def settled(self) -> Frame:
        """See `Simulation.settled`."""
        return self.frame()

    def history(self) -> PointsHistory:
        """See `Simulation.history`."""
        time, count, energy, impacts = zip(*self._rows, strict=True)
        whole = (np.array(count, np.int64), np.array(impacts, np.int64))
        return PointsHistory(np.array(time), whole[0], np.array(energy), whole[1])

    def state(self) -> InitialState:
        """See `Simulation.state`."""
        frame, each = self.frame(), np.arange(self.count, dtype=np.int32)
        return InitialState(frame.positions, frame.velocities, self.radii, self.masses, each, self.box, False)

    def invariants(self) -> dict[str, float]:
        """See `Simulation.invariants`: walls take the momentum, and points do not overlap."""
        return {"momentum_error": 0.0, "max_overlap": 0.0}

    def set(self, key: str, value: Any) -> None:
        """See `Simulation.set`."""
        if key not in self.tunable:
            raise InputError(f"{key} cannot change while points fly", key)
        scenario = self.scenario.with_values({key: value})
        self._place[:] = self.frame().positions
        self._since[:] = self._time
        self._velocity *= scenario.section(Points).heat / self.scenario.section(Points).heat
        self.scenario = scenario

    def checkpoint(self) -> Checkpoint:
        """See `Simulation.checkpoint`."""
        arrays: Arrays = {"box": self.box, "radii": self.radii, "masses": self.masses, "place": self._place}
        arrays |= {"velocity": self._velocity, "since": self._since, "hits": self._hits}
        arrays |= {"rows": np.array(self._rows), "clock": np.array([self._time])}
        copies = {name: array.copy() for name, array in arrays.items()}
        return Checkpoint(self.system, self.method, self.scenario.to_toml(), copies)

    @classmethod
    def from_checkpoint(cls, checkpoint: Checkpoint) -> PointGas:
        """The simulation that `checkpoint` was taken of."""
        new = cls.__new__(cls)
        a = {name: array.copy() for name, array in checkpoint.arrays.items()}
        new.scenario = Scenario.from_toml(checkpoint.scenario)
        new._adopt(a["radii"], a["masses"], a["box"], False)
        new._place, new._velocity, new._since, new._hits = a["place"], a["velocity"], a["since"], a["hits"]
        new._rows = [(float(t), int(m), float(e), int(n)) for t, m, e, n in a["rows"]]
        new._time = float(a["clock"][0])
        return new


HITS = Field("hits", "Impacts with walls", said("hits"), symbol="h", kind="integer", scale=Steps)


class PointSystem(System):
    """Points that bounce off the walls."""

    name, title, table, section = "points", "Free points", "points", Points
    clock = Clock("t", "time", "", False, "Single event", "Pause, and go on to the next impact")
    fields = (HITS, SPEED)
    history = PointsHistory
    methods = ("free-flight",)
    overlaps = True
    endless = "points fly forever"

    def check(self, scenario: Scenario) -> None:
        """See `System.check`."""
        if scenario.periodic.any:
            raise InputError('points need something to bounce off: set box.boundary to "walls"', "box.boundary")

    def rehearsals(self, kernels: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """See `System.rehearsals`: there are no kernels, so the shortest one is enough."""
        yield "lattice", {"system": self.name, "discs.count": 4}

    def create(self, scenario: Scenario, state: InitialState) -> PointGas:
        """See `System.create`."""
        return PointGas(scenario, state)

    def restore(self, checkpoint: Checkpoint) -> PointGas:
        """See `System.restore`."""
        return PointGas.from_checkpoint(checkpoint)

    def check_checkpoint(self, arrays: Arrays, scenario: Scenario) -> None:
        """See `System.check_checkpoint`: shapes, types and numbers that are finite."""
        count = len(arrays.get("radii", ()))
        shapes = {"box": (2,), "radii": (count,), "masses": (count,), "place": (count, 2), "velocity": (count, 2)}
        shapes |= {"since": (count,), "hits": (count,), "clock": (1,), "rows": (len(arrays.get("rows", ())), 4)}
        for name, shape in shapes.items():
            array = arrays.get(name)
            wanted = np.int32 if name == "hits" else np.float64
            if array is None or array.shape != shape or array.dtype != wanted or not np.isfinite(array).all():
                raise InputError(f"the saved state is damaged: {name} is wrong")
        if count == 0 or len(arrays["rows"]) == 0 or (arrays["radii"] <= 0.0).any():
            raise InputError("the saved state is damaged: there are no points")


def view() -> Any:
    """How the application shows points: with a plot of their impacts."""
    from aggviewer.systems.base import SystemView

    class PointsView(SystemView):
        def plots(self) -> tuple[Any, ...]:
            return (impacts_plot(),)

    return PointsView("points")


@cache
def impacts_plot() -> Any:
    """The plot of impacts over time."""
    from aggviewer.plots.drawing import TIME, Axes, PlotDrawing, PlotQuantity, PlotSeries, drawing
    from aggviewer.plots.plot import Plot

    class ImpactsPlot(Plot):
        title = "Impacts"
        definition = "<p><b>n</b>: impacts with the walls since the start.</p>"
        empty_text = "Impacts with the walls. Run to see them add up."
        axes = Axes("time t", "n")
        indicators = frozenset()  # it reads the history alone
        columns: ClassVar = {"curve": (TIME, PlotQuantity("n"))}

        def prepare(self, analysis: Any, choices: Any, fit_range: Any) -> PlotDrawing | None:
            data = analysis.history
            if not isinstance(data, PointsHistory):
                return None
            time, n = data.time, np.asarray(data.impacts, np.float64)
            curve = PlotSeries("curve", time, n, words=lambda k: f"t = {time[k]:.4g}: n = {n[k]:.0f}")
            bounds = (0.0, max(float(time[-1]), 1.0), 0.0, max(float(n[-1]), 1.0))
            return drawing([curve], bounds, {"n": f"{n[-1]:.0f}"})

    return ImpactsPlot()


def heat_up(session: Any) -> Any:
    """A command that makes points twice as fast as they were at the start."""
    from aggviewer.widgets.command import Command, Place

    return Command(
        "points.heat_up",
        "Heat up",
        lambda: session.set_parameter("points.heat", 2.0),
        ("Ctrl+Shift+H",),
        "Let all points fly twice as fast as at the start",
        menu=Place("Run", 9, 1),
        available=lambda: session.status().system == "points",
    )


def mean_height(sample: Any) -> float:
    """Mean y of the points."""
    return float(sample.positions[:, 1].mean())


def register(points: PlugPoints) -> None:
    """What this plug-in adds."""
    points.system(PointSystem())
    points.indicator(Indicator("mean_height", "mean height", mean_height, "⟨y⟩", "length", dimensions=(2, 3)))
    points.view("points", view)
    points.command("points.heat_up", heat_up)
