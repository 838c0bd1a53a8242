"""Jamming as a simulation: its clock counts iterations.

For the linear program of an iteration see `linear_program`, for its replacement while discs move far
`interior_point.solver`, for the chain of iterations `run`.
"""

from __future__ import annotations

import threading
import time
from functools import reduce
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.frame import Frame, Network, self_stresses_in_words
from engine.geometry.neighbours import DenseState, widest_growth
from engine.hard_discs.simulation import HardDiscGas
from engine.jamming.checks import growing_discs, growing_scenario, grows
from engine.jamming.fields import JammingHistory, of_forces
from engine.jamming.packing import PUSHED, Packing, StableNetwork, isostatic_count
from engine.jamming.run import JammingRun
from engine.jamming.saved import GROWN, arrays_of, bytes_of, new_run, parted, restored, text_of
from engine.jamming.section import Jamming
from engine.scenario import Scenario, tunable
from engine.simulation import Checkpoint, Progress, Stride
from engine.slices import Advancing, HeldSignals, Limits
from engine.state import InitialState
from engine.words import body_names


class JammingPacking(Advancing):
    """Simulation (see `engine.simulation.Simulation`) of discs that jam.

    `time` is the number of iterations done; between two of them the clock may show a fraction, so that a number of
    iterations per second can be kept. With ``jamming.start = "grown"`` the discs bounce and grow first, at time 0.
    """

    system = "jamming"
    method = "linear-programs"
    tunable: frozenset[str] = tunable("jamming", Jamming)

    def __init__(self, scenario: Scenario, state: InitialState) -> None:
        """Start from `state`. InputError for one that cannot be jammed."""
        self._adopt(state.radii, state.masses, state.box, state.periodic)
        self._begin_with(
            scenario, new_run(state.positions, state.radii, state.box, state.periodic, scenario.section(Jamming))
        )
        self._growing: HardDiscGas | None = growing_discs(scenario, state) if grows(scenario, state) else None
        self._clock = 0.0
        self._start = self._present()

    def _begin_with(self, scenario: Scenario, run: JammingRun) -> None:
        """Set everything to its value at the start of a run."""
        self.scenario = scenario
        self._stop = threading.Event()
        self._collisions = 0  # while discs grow
        self._take_run(run)

    def _take_run(self, run: JammingRun) -> None:
        """Continue with another run, that of the discs that have grown."""
        run._stop = self._stop  # one flag for all interruptible work
        self._run = run
        self._packed: Packing | None = None
        self._failed = ""
        self._network: Network | None = None
        self._network_of = -1  # the iteration that it was made of

    def _present(self) -> tuple[float, float]:
        """Volume fraction and least gap, in mean diameters, now."""
        return self._run.volume_fraction, self._run.min_gap

    @property
    def time(self) -> float:
        """The number of iterations done, plus the fraction shown by the clock."""
        return self._clock

    def interrupt(self) -> None:
        """Interrupt the running `advance`, else the next one, within 0.2 s. An interrupted linear program is not
        counted and will be solved again. From any thread."""
        self._stop.set()

    def _cut(self) -> threading.Event | None:
        """The event that ends long work early when it is set."""
        return self._stop

    def _advance(self, limits: Limits, signals: HeldSignals) -> Progress:
        """Advance by whole iterations, one at least where one is due. Events are iterations."""
        began = time.perf_counter()
        until_time = limits.until_time
        goal = inf if limits.max_events is None else len(self._run.history) + limits.max_events
        worked = reached = False
        while not self._stop.is_set():
            solved = len(self._run.history)
            if self._reason or solved >= goal:
                reached = True
                break
            if self._growing is None and solved + 1 > until_time:
                self._clock = max(self._clock, until_time)
                reached = True
                break
            left = limits.budget - (time.perf_counter() - began)
            if worked and left <= 0.0:
                break
            self._work(max(left, 0.0))
            worked = True
            if signals.waiting:  # the linear program was interrupted: the signal handling decides whether to continue
                signals.deliver()
                break
        else:
            self._stop.clear()
        return self._progress(reached)

    def _work(self, budget: float) -> None:
        """Let the discs grow for a while, or do one iteration."""
        if self._growing is not None:
            self._grow(min(budget, 0.05))
            return
        self._failed = ""
        entry = self._run.step()
        if entry.status.startswith("interrupted"):
            self._stop.set()  # the solver has cleared the flag
            self._forget()
        elif entry.status.startswith("failed"):
            self._failed = entry.status
            self._forget()
        else:
            self._clock = float(len(self._run.history))
            self._seal()

    def _forget(self) -> None:
        """Discard the last iteration, which has changed nothing and does not count."""
        self._run.history.pop()
        self._run.reason, self._run.jammed = "", False

    def _grow(self, budget: float) -> None:
        """Let the discs bounce and grow for a while; when growth has ended, start jamming them."""
        gas = self._growing
        assert gas is not None
        progress = gas.advance(budget=budget)
        self._collisions = progress.events["collision"]
        if progress.finished:
            frame = gas.frame()
            radii = self.radii * frame.radius_factor
            self._take_run(new_run(frame.positions, radii, self.box, self.periodic, self.scenario.section(Jamming)))
            self._growing = None
            self._start = self._present()

    def _seal(self) -> None:
        """Balance the forces at the end; if that is interrupted, `packing` does it."""
        self._packed = None
        if self._run.jammed and not self._stop.is_set():
            packed = self._run.packing()
            self._packed = None if self._stop.is_set() else packed

    @property
    def _reason(self) -> str:
        return self._failed or self._run.reason

    def _progress(self, reached: bool) -> Progress:
        events = {"program": len(self._run.history)}
        if self._growing is not None:
            events["growth"] = self._collisions
        return Progress(
            time=self._clock,
            clusters=self.count,
            events=events,
            steps={},
            finished=bool(self._reason),
            reached=reached,
            stop_reason=self._in_words(),
        )

    def stride(self, frames: float = 1.0) -> Stride:
        """How far to run until the next frame: one iteration."""
        return Stride(events=len(self._run.history) + 1)

    def frame(self, out: Frame | None = None) -> Frame:
        """The state after the last iteration; while discs grow, theirs. O(N)."""
        out = Frame.empty(self.count, len(self.box)) if out is None else out
        out.discs = self.discs
        if self._growing is not None:
            grown = self._growing.frame()
            out.positions[:], out.radius_factor = grown.positions, grown.radius_factor
        else:
            out.positions[:] = self._run.positions
            out.radius_factor = float(self._run.radii.sum() / self.radii.sum())
        out.velocities[:] = 0.0
        out.clusters = self.count
        out.kinetic_energy = 0.0
        out.time = float(len(self._run.history))
        out.impacts = out.remark = None
        out.network = self._shown_network()
        out.fields = of_forces(out.network, self.radii * out.radius_factor)
        return out

    def _shown_network(self) -> Network | None:
        """The contacts of the last iteration or of the packing, as frames have them; the same object until the next."""
        solved = len(self._run.history)
        if self._network_of != solved:
            self._network = _in_frame(self._run.network if self._packed is None else self._packed) if solved else None
            self._network_of = solved
        return self._network

    def settled(self) -> Frame:
        """The present frame: nothing overlaps after any iteration."""
        return self.frame()

    def history(self) -> JammingHistory:
        """One row for each iteration, the first one for the start. Lengths in the mean diameter of their time."""
        run, (fraction, gap) = self._run, self._start
        rows = len(run.history) + 1

        def column(name: str, first: float = np.nan) -> NDArray[np.float64]:
            """The values of all iterations, after that of the start."""
            return np.array([first, *(getattr(entry, name) for entry in run.history)], np.float64)

        held = column("contacts", 0.0)
        filled = column("volume_fraction", fraction)
        unit = run.unit * np.sqrt(filled / run.volume_fraction)  # the mean diameter after each iteration
        return JammingHistory(
            time=np.arange(rows, dtype=np.float64),
            clusters=np.full(rows, run.count, np.int64),
            kinetic_energy=np.zeros(rows),
            inflation=column("inflation"),
            displacement=column("moved_stable") / unit,
            displacement_all=column("moved") / unit,
            volume_fraction=filled,
            contacts=held.astype(np.int64),
            isostatic_gap=np.where(held > 0.0, column("isostatic_gap"), np.nan),
            rattlers=column("rattlers", float(run.count)).astype(np.int64),
            force_mismatch=np.where(held > 0.0, column("force_mismatch"), np.nan),
            min_gap=column("min_gap", gap),
            seconds=column("seconds"),
            bound=column("bound"),
            cutoff=column("cutoff"),
        )

    def _in_words(self) -> str:
        """Why the run has ended, "" while it has not."""
        run = self._run
        if self._failed:
            return f"the solver {self._failed}; the last good packing is kept"
        if not run.jammed:
            return run.reason
        network = run.network if self._packed is None else self._packed
        held, rattling = len(network.forces), int(network.rattlers.sum())
        extra = held - isostatic_count(run.count - rattling, run.dimensions, run.periodic)
        how = "isostatic" if extra == 0 else f"{abs(extra)} {'more' if extra > 0 else 'fewer'} than isostatic"
        if extra > 0 and self._packed is not None and self._packed.patches:
            how += f" ({self_stresses_in_words(self._packed.patches, run.dimensions)})"
        rattlers = f"{rattling} rattler{'' if rattling == 1 else 's'}"
        pushes = sum(entry.status == PUSHED for entry in run.history)
        names = body_names(run.dimensions)
        times = "a push" if pushes == 1 else f"{pushes} pushes"
        pushed = f", after {times} because the {names.discs} had stopped without being held" if pushes else ""
        but = run.reason.removeprefix("jammed")  # a few discs may not be held
        return f"jammed: {held} contacts, {how}, {rattlers} at volume fraction {run.volume_fraction:.4f}{pushed}{but}"

    def packing(self) -> Packing:
        """The packing as it is now; where the discs are jammed, its forces balance to rounding."""
        if self._packed is None and self._run.jammed:
            self._stop.clear()
            self._packed = self._run.packing()
            self._network_of = -1  # the forces of this one
        return self._run.packing() if self._packed is None else self._packed

    def state(self) -> InitialState:
        """The state for continuing with another system: discs with their present radii, at rest."""
        frame = self.frame()
        radii = self._run.radii if self._growing is None else self.radii * frame.radius_factor
        return InitialState(
            frame.positions, frame.velocities, radii.copy(), self.masses, frame.cluster, self.box, self.periodic
        )

    def invariants(self) -> dict[str, float]:
        """The largest overlap of any two discs, or of a disc and a wall, relative to the sum of radii. There is no
        momentum, so its error is nan."""
        now = self.state()
        factor, _ = widest_growth(DenseState(now.positions, now.radii, self.box, self.periodic))
        return {"momentum_error": np.nan, "max_overlap": max(0.0, 1.0 - factor)}

    def set(self, key: str, value: Any) -> None:
        """Change one of `tunable`. A run that had ended continues until it meets the new limits."""
        if key not in self.tunable:
            raise InputError(f"{key} cannot change while discs jam", key)
        self.scenario = self.scenario.with_values({key: value})
        name = key.rpartition(".")[2]
        setattr(self._run, name, getattr(self.scenario.section(Jamming), name))
        if self._run.jammed or self._run.reason:
            self._run.jammed, self._run.reason = False, ""
            self._packed = None
        self._failed = ""

    def checkpoint(self) -> Checkpoint:
        """A copy of all that is needed to continue the run bit for bit."""
        arrays = arrays_of(self._run)
        arrays |= {
            "initial_radii": self.radii,
            "masses": self.masses,
            "box": self.box,
            "clock": np.array([self._clock]),
            "start": np.array(self._start),
            "failed": bytes_of(self._failed),
        }
        if self._growing is not None:
            arrays |= {GROWN + name: value for name, value in self._growing.lend().arrays.items()}
        return Checkpoint(self.system, self.method, self.scenario.to_toml(), arrays).own_copy()

    @classmethod
    def from_checkpoint(cls, checkpoint: Checkpoint) -> JammingPacking:
        """Restore the simulation of `checkpoint`; it continues bit for bit."""
        a, grown = parted(checkpoint.arrays)
        new = cls.__new__(cls)
        scenario = Scenario.from_toml(checkpoint.scenario)
        periodic = scenario.periodic
        new._adopt(a["initial_radii"].copy(), a["masses"].copy(), a["box"].copy(), periodic)
        new._begin_with(scenario, restored(a, periodic, scenario.section(Jamming)))
        new._clock = float(a["clock"][0])
        new._start = (float(a["start"][0]), float(a["start"][1]))
        new._failed = text_of(a["failed"])
        text = growing_scenario(scenario).to_toml()
        new._growing = (
            HardDiscGas.from_checkpoint(Checkpoint("hard-discs", "event-driven", text, dict(grown))) if grown else None
        )
        if new._growing is not None:
            new._collisions = new._growing.advance(max_events=0).events["collision"]
        new._seal()
        return new


def _in_frame(found: StableNetwork | Packing) -> Network:
    """The contacts of an iteration or of a packing, as frames have them."""
    if isinstance(found, Packing):
        first, second, vectors, patches = *found.contacts.T, found.contact_vectors, found.patches
    else:
        first, second, vectors, patches = found.first, found.second, found.vectors, ()
    pairs = np.column_stack((first, np.maximum(second, -1))).astype(np.int32)
    length = reduce(np.hypot, vectors.T)
    return Network(pairs, found.forces.copy(), -vectors / length[:, None], found.rattlers.copy(), patches)
