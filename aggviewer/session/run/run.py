"""A run with all that belongs to it, its measured values and its shown state; the present run, and those that were
replaced and can be restored. Belongs to the simulation's thread."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.data import RunState, Status
from aggviewer.session.log import Log
from aggviewer.session.past.memory import KeptFrames, Player
from aggviewer.session.past.recording import RecordingThread
from aggviewer.session.past.replay import Replay
from aggviewer.session.run.lanes import Lane, Lockstep
from aggviewer.session.run.pacing import CATCH_UP
from aggviewer.session.saved.state import SessionState
from engine.capabilities import lent
from engine.errors import InputError
from engine.files import FileFrame, write
from engine.files.writing import cannot_write
from engine.simulation import Stride
from engine.system import system_of

if TYPE_CHECKING:
    from engine.frame import Frame
    from engine.scenario import Scenario
    from engine.simulation import Checkpoint, Simulation


class Run:
    """A run: its simulations, or the recording that it plays, with all that belongs to them. It stays one object from
    its start until nothing refers to it, whether it is shown, kept for *Undo* or waits for the end of a lesson.

    Parameters
    ----------
    lanes : zero, one or two; none while the first run is built, and once they have failed or could not be kept.
    log : how it came about; replaced by a longer one with each command.
    variant : the differences of the second lane.
    compared_from : the run from which a comparison was started, else None.
    file : of a recording.
    state : what it does.
    scenarios : those of a run without lanes.
    should_run : whether it was last asked to run; a finished run that is restarted runs again.
    stand_in : whether it is the recorded run that is shown until the first simulation is ready.

    Attributes
    ----------
    log, variant, compared_from, file, state, should_run, stand_in : as above.
    lockstep : advances the lanes.
    past : frames of the simulations that are kept in memory.
    player : plays the recording, or the past.
    past_time : the earlier simulation time that is shown, None for the present.
    pause_due : whether an observer asks to pause after this slice.
    goal : limits of which one is to be reached, where it then pauses; None for no goal.
    writer : writes its frames to a file; None if it is not recorded.
    size : bytes of the simulations when it was shelved.
    """

    def __init__(
        self,
        lanes: Sequence[Lane] = (),
        log: Log | None = None,
        variant: dict[str, Any] | None = None,
        compared_from: Run | None = None,
        *,
        file: Path | None = None,
        state: RunState = "empty",
        scenarios: Sequence[Scenario] = (),
        should_run: bool = False,
        stand_in: bool = False,
    ) -> None:
        self.log = log or Log()
        self.variant = variant
        self.compared_from = compared_from
        self.file = file
        self.state: RunState = state
        self.past_time: float | None = None
        self.should_run = should_run
        self.stand_in = stand_in
        self.pause_due = False
        self.goal: Stride | None = None
        self.writer: RecordingThread | None = None
        self.size = 0
        self._scenarios = tuple(scenarios)
        self.begin(lanes)

    def begin(self, lanes: Sequence[Lane]) -> None:
        """Begin, or begin again, with these lanes and no past."""
        self.lockstep = Lockstep(lanes)
        self.past = KeptFrames()
        self.player = Player(longest=CATCH_UP)
        if self.replay is not None:
            self.player.set_stops(self.replay.times)
            self.player.seek(self.replay.time)
            self.follow_player()

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """One simulation or recording, two simulations side by side, or none."""
        return self.lockstep.lanes

    @property
    def scenarios(self) -> tuple[Scenario, ...]:
        """The scenario of each lane; for a run without lanes, the scenarios that it had."""
        return tuple(lane.scenario for lane in self.lanes) or self._scenarios

    @property
    def time(self) -> float:
        """Simulation time that all lanes have reached."""
        return self.lockstep.time

    @property
    def computing_time(self) -> float:
        """Computing time up to the present state, in seconds."""
        return sum(lane.computing_time for lane in self.lanes)

    @property
    def replay(self) -> Replay | None:
        """The recording being played, None for a simulation."""
        alone = self.lanes[0].simulation if len(self.lanes) == 1 and self.lanes[0].stored is None else None
        return alone if isinstance(alone, Replay) else None

    @property
    def simulated(self) -> bool:
        """Whether the run consists of simulations, which can go on. False for a recording, and for a run without
        lanes."""
        return bool(self.lanes) and self.replay is None

    @property
    def lost(self) -> bool:
        """Whether the run has no lanes, since it could not be kept in memory, failed, or is not built yet; it can only
        begin again."""
        return not self.lanes

    @property
    def stored_frames(self) -> KeptFrames | Replay:
        """The frames that can be shown again: the past in memory, or the recording."""
        return self.replay or self.past

    @property
    def finished(self) -> bool:
        """Whether all lanes have ended, or the recording has been played to its end."""
        return self.lockstep.finished if self.replay is None else self.player.at_end

    def set_at_start(self, values: Mapping[str, Any]) -> None:
        """Set keys of the scenario of a run that has failed, for its next start. InputError for values that are not
        allowed."""
        first, *others = self._scenarios
        self._scenarios = (first.with_values(values), *others)

    # a recording

    def follow_player(self) -> None:
        """Go to the player's frame of the recording; a shortened file ends earlier."""
        replay = self.replay
        assert replay is not None
        replay.go_to(self.player.index)
        if len(replay.times) < len(self.player.stops):
            self.player.set_stops(replay.times)
            self.player.seek(replay.time)
        self.lanes[0].progress = replay.progress()

    def rewind(self) -> None:
        """Go to the frame at which playback starts in the present direction."""
        self.player.rewind()
        self.follow_player()

    # a run is continued by another one

    def with_lanes(self, lanes: Sequence[Lane]) -> Run:
        """Another run that continues this one with other lanes, with the same past and the same log."""
        other = Run(log=self.log, variant=self.variant, file=self.file, state=self.state)
        other.lockstep = self.lockstep.with_lanes(lanes)
        other.past = self.past.copy()
        other.should_run = self.should_run
        return other

    def hand_over(self, other: Run) -> None:
        """Pass on to a run that continues this one what was asked of it: its goal and its recording."""
        other.goal, self.goal = self.goal, None
        other.writer, self.writer = self.writer, None

    def session_state(self, *, lend: bool = False) -> SessionState:
        """The contents of a session file, without the view. Between two slices.

        lend : do not copy the simulations, for a file that is written before they continue. InputError if there are
        none.
        """
        if not self.simulated:
            raise InputError("there is no simulation to save")
        first = self.lanes[0]
        return SessionState(
            lanes=[
                lane.stored or (lent(lane.simulation) if lend else lane.simulation.checkpoint()) for lane in self.lanes
            ],
            scenarios=[scenario.to_toml() for scenario in self.scenarios],
            time=first.time,
            clusters=first.progress.clusters,
            count=first.disc_set.count,
            variant=None if self.variant is None else dict(self.variant),
            log=self.log,
            saved_as=self.state if self.state in ("running", "paused", "finished") else None,
        )

    # memory

    @property
    def nbytes(self) -> int:
        """Bytes that it uses on the shelf."""
        return 0 if self.lost else self.size + self.past.nbytes

    def store(self) -> bool:
        """Replace the simulations by exact copies in less memory, which takes seconds to undo; False if they are."""
        waiting = [lane for lane in self.lanes if lane.stored is None]
        if not waiting or self.replay is not None:
            return False
        for lane in waiting:
            lane.store()
        self.size = sum(lane.nbytes for lane in self.lanes)
        return True

    def load(self, restore: Callable[[Checkpoint], Simulation]) -> bool:
        """Make the simulations again where only copies are stored. Returns True."""
        for lane in self.lanes:
            lane.load(restore)
        return True

    def drop(self, patience: float | None = None) -> bool:
        """Release its simulations and its past. False if closing a file takes longer than `patience` seconds."""
        closed = self.close(patience)
        self._scenarios = self.scenarios
        self.begin(())
        return closed

    def close(self, patience: float | None = None) -> bool:
        """Close its files; False if that takes longer than `patience` seconds."""
        written = self.writer is None or self.writer.close(patience)
        return (self.replay is None or self.replay.close(patience)) and written


MOST_RUNS = 5
"""Number of runs kept besides the present one."""

MOST_BYTES = 512 << 20
"""Total bytes that they may use, including their stored frames."""


_LARGEST_COPIED = 4.0  # times all bytes: a run that takes more does not fit as a copy either


class Shelf:
    """Replaced runs that *Undo* may bring back, at most `MOST_RUNS` and `budget` bytes in total. Simulations that alone
    take more than half of that are stored as copies. Otherwise, first the pasts are thinned, then the oldest
    simulations are stored, then the oldest runs are dropped. A run that alone is too large is dropped at once instead
    of others."""

    def __init__(self) -> None:
        self.budget = MOST_BYTES
        self._runs: list[Run] = []  # in the order in which they were shelved

    @property
    def runs(self) -> tuple[Run, ...]:
        """The runs that are kept, the newest last."""
        return tuple(self._runs)

    def add(self, run: Run) -> None:
        """Keep a replaced run until `keep_only` is called."""
        run.state = "finished" if run.finished else "paused"
        run.size = sum(lane.nbytes for lane in run.lanes)
        self._runs.append(run)

    def remove(self, run: Run) -> None:
        """Take a run off the shelf, if it is there."""
        if run in self._runs:
            self._runs.remove(run)

    @property
    def nbytes(self) -> int:
        """Bytes that they use."""
        return sum(run.nbytes for run in self._runs)

    def keep_only(self, wanted: Collection[Run]) -> None:
        """Keep those runs that are still `wanted`, as far as they fit."""
        for run in self._runs:
            if run in wanted and self.budget / 2 < run.size < _LARGEST_COPIED * self.budget:
                run.store()
        for run in [run for run in self._runs if run not in wanted or run.size > self.budget]:
            self._drop(run)
        while len(self._runs) > MOST_RUNS:
            self._drop(self._runs[0])
        while self._runs and self.nbytes > self.budget:
            thinned = any(run.past.thin() for run in sorted(self._runs, key=lambda run: run.size - run.nbytes))
            if not thinned and not any(run.store() for run in self._runs):
                self._drop(self._runs[0])

    def close(self, patience: float | None = None) -> bool:
        """Drop all; False if closing a file takes longer than `patience` seconds."""
        closed = [run.drop(patience) for run in self._runs]
        self._runs.clear()
        return all(closed)

    def _drop(self, run: Run) -> None:
        self._runs.remove(run)
        run.drop()


def return_freed_memory() -> None:
    """Give freed memory back to the system. The C library of Linux (glibc) would keep hundreds of megabytes after a
    large run; others have no such call and need none."""
    if sys.platform.startswith("linux"):
        with suppress(AttributeError):  # a C library without it
            ctypes.CDLL(None).malloc_trim(0)


class Runs:
    """The present run, and the earlier ones that can be restored.

    Attributes
    ----------
    present : the run that is shown; one without lanes before the first.
    shelf : replaced runs.
    status : what was last told of the present run.
    """

    def __init__(self, present: Run | None = None, status: Status | None = None) -> None:
        self.present = present or Run()
        self.shelf = Shelf()
        self.status = status or Status()

    def show(self, run: Run) -> None:
        """Make another run the present one, and keep the last one, unless it has failed or was only shown until a
        simulation is ready."""
        if self.present.lanes and not self.present.stand_in:
            self.shelf.add(self.present)
        self.present = run
        self.shelf.remove(run)

    def close(self, patience: float | None = None) -> bool:
        """Close all files; False if that takes longer than `patience` seconds."""
        present = self.present.close(patience)
        return self.shelf.close(patience) and present


class SessionRuns:
    """The runs of a session. Those of a lesson take the place of the user's own, which wait as they are: nothing
    changes them, and they do not count towards memory budgets.

    Attributes
    ----------
    now : the runs that the window shows.
    own : the user's own; the same object, except during a lesson.
    """

    def __init__(self) -> None:
        self.now = self.own = Runs()

    @property
    def is_aside(self) -> bool:
        """Whether the user's own runs wait."""
        return self.now is not self.own

    def set_aside(self) -> None:
        """Let the user's own runs wait. The last picture stays until another run starts."""
        left = self.own.present
        shown = Run(state="loading" if left.lanes else left.state, scenarios=left.scenarios)
        self.now = Runs(shown, self.own.status)

    def close(self, patience: float | None = None) -> bool:
        """Close all files, after the simulation's thread has ended; False if that takes longer than `patience` seconds
        for one."""
        own = self.own.close(patience)
        return (not self.is_aside or self.now.close(patience)) and own


MeasuredLanes = tuple[dict[str, Any], ...]
"""For each lane: the keys of ``run --json``; ``fields``, mapping each field to its mean, minimum, maximum and standard
deviation over the discs; and ``forces``, the same over contacts that carry forces."""


def measured(run: Run) -> MeasuredLanes | InputError:
    """Measure the present state of each lane on the simulation's thread, or return the reason why that is
    impossible."""
    if not run.simulated:
        return InputError("there is no simulation to measure")
    try:
        return tuple(_numbers(lane) for lane in run.lanes)
    except InputError as error:
        return error


def _numbers(lane: Lane) -> dict[str, Any]:
    from engine.runs.loop import Ended
    from engine.runs.summary import measured as summary

    simulation = lane.simulation
    frame = simulation.settled()
    ended = Ended(lane.progress, lane.computing_time, "finished" if lane.progress.finished else "interrupted")
    numbers = summary(simulation, frame, ended, compile_s=0.0, setup_s=0.0) | {"fields": _of_fields(lane, frame)}
    if frame.network is not None and len(frame.network.forces):
        numbers["forces"] = _spread(frame.network.forces)
    return numbers


def _of_fields(lane: Lane, frame: Frame) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for field in system_of(lane.scenario).all_fields:
        values = None if field.groups else field.values(frame, lane.disc_set)
        if values is not None and len(values):
            found[field.name] = _spread(np.asarray(values, np.float64))
    return found


def _spread(numbers: NDArray[np.float64]) -> dict[str, float]:
    return {
        "mean": float(numbers.mean()),
        "min": float(numbers.min()),
        "max": float(numbers.max()),
        "std": float(numbers.std()),
    }


def write_state(path: Path, frame: FileFrame) -> None:
    """Write a state. InputError on failure."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, frame)
    except OSError as error:
        raise cannot_write(path, error) from None


def shown_frame(run: Run) -> FileFrame:
    """The state of the first lane on the screen. For the present of a time-stepping run this is the last complete step,
    without overlaps. InputError if there is nothing yet."""
    if not run.lanes:
        raise InputError("there is no state to write yet")
    lane = run.lanes[0]
    kept = None if run.past_time is None else run.past.at_time(run.past_time)
    frame = lane.simulation.settled() if kept is None else kept[0]
    return FileFrame.of(frame, lane.disc_set, lane.scenario.to_toml())
