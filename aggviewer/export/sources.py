"""The states of a film or a picture: from a recording, or from a simulation that runs while the film is made; coloured
with fixed limits, and put into a scene."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

import engine
from aggviewer.canvas.layers import marks
from aggviewer.canvas.layers.layer import LayerInput
from aggviewer.canvas.layers.regions import SELECTION
from aggviewer.canvas.layers.registry import Memories, in_scene, of_frame
from aggviewer.canvas.scene import Scene
from aggviewer.document.run import RunMarks
from aggviewer.document.view import ViewModel, chosen_of, fields_of
from aggviewer.latest_job import CancelledError
from aggviewer.session.analyst import MeasuredState, StateCopy, SystemAnalysis
from aggviewer.session.coloring import Coloring, Colorist, coloring_of
from aggviewer.session.data import DiscSet
from aggviewer.session.log import Repetition
from aggviewer.session.past.recording import Recording, open_recording
from aggviewer.session.past.replay import Replay
from aggviewer.session.run.run import Run
from aggviewer.style.numbers import TIME
from engine.boundary import Periodic
from engine.errors import InputError
from engine.fields import Field, fields_in
from engine.frame import Frame, FrameDiscs
from engine.scales import ColorLimits
from engine.scenario import Scenario
from engine.simulation import Checkpoint, Progress, Simulation
from engine.state import flight_time
from engine.system import find, known_fields, system_of

Cancelled = Callable[[], bool]

_SLICE = 0.05  # seconds of simulation between checks for cancellation
_SAMPLES = 24  # recorded frames that are sampled for the colour limits
_ROUNDING = 1e-9  # share of the time span: tolerance for finding the frame recorded at a time


class FrameSource(Protocol):
    """States in order of time. For one thread at a time.

    Attributes
    ----------
    system : of a simulation, "" for a file.
    count : N, the number of discs.
    radii, masses, box, periodic : (N,), (N,) and (2,), those of the last state.
    first_time, last_time : the range of simulation times; `last_time` is inf for a simulation.
    frames : number of recorded states, 0 for a simulation.
    lacks : what a file does not contain, in the words of `engine.fields.Field.needs`.
    """

    system: str
    count: int
    radii: NDArray[np.float64]
    box: NDArray[np.float64]
    masses: NDArray[np.float64]
    periodic: Periodic
    first_time: float
    last_time: float
    frames: int
    lacks: frozenset[str]

    def frame_at(self, time: float, cancelled: Cancelled = lambda: False) -> Frame:
        """The state at a simulation time. Times must not decrease. Raises CancelledError."""
        ...

    def frame(self, number: int) -> Frame:
        """The recorded state with this number, counted from 0."""
        ...

    def leading_to(self, time: float | None, number: int, count: int) -> Iterator[Frame]:
        """Up to `count` states in order of time, the last of which is that at `time` or, if that is None, the recorded
        frame `number` (counted from the end if negative)."""
        ...

    def end_time(self, cancelled: Cancelled = lambda: False) -> float:
        """The time of the last state; of a simulation, that at which nothing more will happen, found with a copy.
        Raises CancelledError, and InputError if the run has no end."""
        ...

    def samples(self) -> Iterator[Frame]:
        """States from which the limits of colours and axes are found. The source does not advance."""
        ...

    def scenario(self) -> Scenario:
        """The scenario that runs; for a file, that of a new start from it."""
        ...

    def state_copy(self, analysis: SystemAnalysis, disc_set: DiscSet, wanted: frozenset[str] | None) -> StateCopy:
        """A copy of the last state, to be measured by `analysis` as in the window.

        Parameters
        ----------
        disc_set : the discs.
        wanted : see `StateCopy`.
        """
        ...


class SimulationSource:
    """A simulation for exclusive use: a copy (`engine.copy`) or a new one.

    It is advanced to each requested time, never back. Once nothing more happens, its state stays the same.

    Parameters
    ----------
    simulation : the simulation.
    past : its earlier states, in order of time; between two of them the earlier one is used.
    again : the run from its beginning, which is made again for states before the present, instead of using those of
        `past`.
    """

    lacks: frozenset[str] = frozenset()
    frames = 0

    def __init__(
        self,
        simulation: Simulation,
        past: Sequence[Frame] = (),
        again: Repetition | None = None,
    ) -> None:
        self._simulation = simulation
        self._again = again
        self._past = [frame for frame in past if frame.time < simulation.time]
        self._begin = simulation.time
        self._last_frame = simulation.frame()
        self._ended = False
        self._measures: SystemAnalysis | None = None
        self.system = simulation.system
        self.count = simulation.count
        self.radii, self.masses = simulation.radii, simulation.masses
        self.box, self.periodic = simulation.box, simulation.periodic
        self.first_time, self.last_time = self._past[0].time if self._past else self._begin, inf

    def frame_at(self, time: float, cancelled: Cancelled = lambda: False) -> Frame:
        """The state at a simulation time, which must not decrease. Unless the run is made again, states before the
        present are those of `past`; all others are exactly those at `time`."""
        if time >= self._begin or not self._past:
            self._ended = _advanced(self._simulation.advance, time, cancelled).finished
            self._last_frame = self._simulation.frame()
        elif self._again is not None:
            _advanced(self._again.advance, time, cancelled)
            self._last_frame = self._again.simulation.frame()
        else:
            self._last_frame = self._past[max(0, bisect_right(self._past, time, key=lambda frame: frame.time) - 1)]
        return self._last_frame

    def end_time(self, cancelled: Cancelled = lambda: False) -> float:
        """The time at which nothing more will happen."""
        return self.at_end(cancelled).time

    def at_end(self, cancelled: Cancelled = lambda: False) -> Simulation:
        """A copy of the simulation where nothing more will happen. Raises CancelledError, and InputError if the run has
        no end."""
        kind = system_of(self._simulation.scenario)
        if not kind.ends(self._simulation.scenario):
            raise InputError(f"a film of this run needs an end time: {kind.endless}", "end")
        ahead = engine.copy(self._simulation)
        _advanced(ahead.advance, inf, cancelled)
        return ahead

    def frame(self, number: int) -> Frame:
        """InputError: a simulation has no recorded states."""
        raise InputError("a film of a simulation uses times, not recorded frames")

    def leading_to(self, time: float | None, number: int, count: int) -> Iterator[Frame]:
        """Up to `count` states up to a time, evenly spaced from `first_time`; the present state if there is no time."""
        end = self.first_time if time is None else time
        for at in np.linspace(end, self.first_time, count if end > self.first_time else 1)[::-1]:
            yield self.frame_at(float(at))

    def samples(self) -> Iterator[Frame]:
        """Earlier states and the present one; later ones are not known yet."""
        for frame in (*self._past[:: max(1, -(-len(self._past) // _SAMPLES))], self._simulation.frame()):
            self._last_frame = frame
            yield frame

    def scenario(self) -> Scenario:
        """The scenario that runs."""
        return self._simulation.scenario

    def state_copy(self, analysis: SystemAnalysis, disc_set: DiscSet, wanted: frozenset[str] | None) -> StateCopy:
        """A copy of the last state, to be measured."""
        simulation, frame = self._simulation, self._last_frame
        if analysis is not self._measures:
            self._measures = analysis
            analysis.begin(simulation)
        past = frame.time < simulation.time
        history = simulation.history()
        observed = analysis.observe(simulation, frame, MeasuredState(past, self._ended and not past))
        return StateCopy.of(disc_set, frame, history.up_to(frame.time) if past else history, observed, wanted)


def _advanced(advance: Callable[[float, float], Progress], time: float, cancelled: Cancelled) -> Progress:
    """Work until a simulation time is reached, or nothing more happens. Raises CancelledError."""
    while not cancelled():
        progress = advance(time, _SLICE)
        if progress.reached or progress.finished:
            return progress
    raise CancelledError


class RecordingSource:
    """The frames of a recording, exactly as recorded; between two of them, the earlier one.

    recording : the open file; its owner closes it.
    """

    system = ""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._replay: Replay | None = None  # created when states are measured
        self._measures: SystemAnalysis | None = None
        self._number = 0  # of the last frame
        self.notice, self.count, self.timed = recording.notice, recording.count, recording.timed
        self.frames = len(recording.times)
        self.lacks = frozenset(("velocities",) if recording.still else ())
        self._take_discs(recording.first)
        times = recording.recorded_times
        self.first_time, self.last_time = (float(times[0]), float(times[-1])) if self.timed else (0.0, 0.0)

    def number_at(self, time: float) -> int:
        """The number of the frame recorded at `time` or last before it; the first one for earlier times."""
        recording = self._recording
        if not self.timed:
            raise InputError(f"{recording.path} does not say the times of its frames; choose them by number", "frames")
        slack = _ROUNDING * max(abs(self.first_time), abs(self.last_time))
        return max(0, int(np.searchsorted(recording.recorded_times, time + slack, side="right")) - 1)

    def frame_at(self, time: float, cancelled: Cancelled = lambda: False) -> Frame:
        """The recorded state at a simulation time, which must not decrease."""
        if cancelled():
            raise CancelledError
        return self.frame(self.number_at(time))

    def frame(self, number: int) -> Frame:
        """The recorded state of this number, from 0. InputError if there is none, or it is damaged."""
        frame = self._recording.at(number)
        self._number = number % self.frames
        assert frame.discs is not None  # set by the recording
        self._take_discs(frame.discs)
        return frame

    def _take_discs(self, discs: FrameDiscs) -> None:
        self.radii, self.masses, self.box, self.periodic = discs.radii, discs.masses, discs.box, discs.periodic

    def end_time(self, cancelled: Cancelled = lambda: False) -> float:
        """The time of the last frame."""
        return self.last_time

    def leading_to(self, time: float | None, number: int, count: int) -> Iterator[Frame]:
        """Up to `count` recorded states, in order of time, up to that of a time or number."""
        last = number if time is None else self.number_at(time)
        if not -self.frames <= last < self.frames:
            yield self.frame(last)  # raises
        last %= self.frames
        for index in range(max(0, last - count + 1), last + 1):
            yield self.frame(index)

    def samples(self) -> Iterator[Frame]:
        """Some frames spread evenly over the recording."""
        for number in np.unique(np.linspace(0, self.frames - 1, min(self.frames, _SAMPLES)).round().astype(int)):
            yield self.frame(int(number))

    def scenario(self) -> Scenario:
        """The scenario of a new start from the file."""
        return self._recording.scenario

    def state_copy(self, analysis: SystemAnalysis, disc_set: DiscSet, wanted: frozenset[str] | None) -> StateCopy:
        """A copy of the last state, for the analysis, with the history of all frames up to this one."""
        replay = self._replay
        if replay is None:
            replay = self._replay = Replay(self._recording, disc_set.scenario)
        if analysis is not self._measures:
            self._measures = analysis
            analysis.begin(replay)
        replay.go_to(self._number)
        self._recording.wait_for(self._number)
        frame = replay.frame()
        observed = analysis.observe(replay, frame, MeasuredState(ended=self._number == self.frames - 1))
        return StateCopy.of(disc_set, frame, replay.history(), observed, wanted)


def first_flight_time(source: FrameSource) -> float:
    """The `flight_time` of the first known state; 1 if nothing moves."""
    found = flight_time(next(iter(source.samples())).velocities, source.radii)
    return 1.0 if found == inf else found


@contextmanager
def recording(path: Path, dimensions: int = 0) -> Iterator[RecordingSource]:
    """Open a file as a source for the duration of the context. InputError if it cannot be used.

    dimensions : as of `engine.files.open_trajectory`.
    """
    opened = open_recording(path, dimensions)
    try:
        yield RecordingSource(opened)
    finally:
        opened.close()
        opened.wait_closed()


@dataclass(frozen=True, eq=False)
class LaneToFilm:
    """A lane of a run as it was when a film was asked for. It never changes, and holds no simulation, since a
    checkpoint takes a fifth of the memory.

    Parameters
    ----------
    disc_set : its discs.
    checkpoint : where it continues from; None for a recording.
    past : the frames in memory in order of time.
    analysis : returns an analysis that remembers earlier measurements. Any thread; waits for a measurement in progress.
    again : begins to make the run again; None if its log does not hold all that is needed.
    computing_time : its computing time, in seconds.
    """

    disc_set: DiscSet
    checkpoint: Checkpoint | None
    past: tuple[Frame, ...]
    analysis: Callable[[], SystemAnalysis]
    again: Callable[[], Repetition] | None = None
    computing_time: float = 0.0


def lanes_to_film(run: Run) -> tuple[LaneToFilm, ...]:
    """Each lane of a run; ask for it with `aggviewer.session.Session.ask`."""
    return tuple(
        LaneToFilm(
            lane.disc_set,
            lane.simulation.checkpoint() if run.simulated else None,
            run.past.frames_of(number) if run.simulated else (),
            lane.publisher.brancher(lane.disc_set),
            partial(Repetition, run.log, number) if run.log.can_be_made_again(number) else None,
            lane.computing_time,
        )
        for number, lane in enumerate(run.lanes)
    )


@contextmanager
def copy_of(
    checkpoint: Checkpoint,
    past: Sequence[Frame] = (),
    again: Repetition | None = None,
) -> Iterator[SimulationSource]:
    """A separate simulation, restored from a checkpoint. The others are those of `SimulationSource`."""
    yield SimulationSource(engine.restore(checkpoint), past, again)


def fields_shown(source: FrameSource) -> tuple[Field, ...]:
    """The fields that the discs of a source may have; those of every system if the source does not say which it is."""
    return fields_in(fields_of(source.system) if source.system else known_fields(), len(source.box))


class FilmColors:
    """The colours of the window with fixed limits.

    Parameters
    ----------
    source : of the states.
    color_by : the name of the field that is shown by colour.
    like : a colouring whose limits are used for the film; without it they are found in ``source.samples()``. Values
        above them have the last colour, and the legend says so.

    Raises
    ------
    InputError
        The file does not contain that field.
    """

    def __init__(self, source: FrameSource, color_by: str, like: Coloring | None = None) -> None:
        fields = fields_shown(source)
        field = chosen_of(fields, color_by)
        if not source.system and self._lacks(source, field):
            raise InputError(f"the file has no {field.needs}, which colouring by {field.name} needs", "color-by")
        self._source = source
        self._field = field
        self._by = field.name
        self._colorist = Colorist(fields, source)
        self._coloring = like if like is not None and like.by == field.name else self._limits_of_all(field)

    def color(self, frame: Frame) -> tuple[NDArray[np.float32], Coloring]:
        """A number for each disc of a frame, (N,), and the colouring that turns it into a colour."""
        scalar, coloring = self._colorist.color(frame, self._by, partial(self._measured, frame))
        return scalar, self._coloring if coloring.measures else coloring

    def follow(self) -> None:
        """Find the limits in the source again, for a film whose end is not known at its start."""
        self._coloring = self._limits_of_all(self._field)

    @staticmethod
    def _lacks(source: FrameSource, field: Field) -> bool:
        if field.needs in source.lacks:
            return True
        return field.measure is None and field.values(next(source.samples()), source) is None

    def _limits_of_all(self, field: Field) -> Coloring:
        """The colouring by a field whose limits include the values in all samples of the source."""
        scale, low, high, largest = field.new_scale(), inf, -inf, -inf
        if field.groups:  # they have no limits
            return coloring_of(field, ColorLimits(0.0, 1.0))
        for frame in self._source.samples():
            values = self._colorist.values(frame, field, partial(self._measured, frame))
            values = np.zeros(0) if values is None else values[np.isfinite(values)]
            limits = scale.follow(values)
            low, high = min(low, limits.low), max(high, limits.high)
            amounts = np.abs(values) if field.diverging else values
            largest = max(largest, float(amounts.max()) if len(values) else -inf)
            if scale.constant:
                break
        beyond = largest > high * (1.0 + 1e-9) or scale.may_exceed(self._source.radii)
        return coloring_of(field, ColorLimits(low, high, beyond))

    def _measured(self, frame: Frame, field: Field) -> NDArray[Any] | None:
        return None if field.measure is None else field.measure(frame, self._source)


def show_state(
    scene: Scene,
    source: FrameSource,
    frame: Frame,
    film_colors: FilmColors,
    view: ViewModel,
    run_marks: RunMarks | None = None,
    memories: Memories | None = None,
) -> None:
    """Put the state of the source into the scene; radii and box may differ from frame to frame.

    Parameters
    ----------
    run_marks : selected and hidden discs, measurements and notes.
    memories : what layers remember of earlier states.
    """
    if not (scene.shown and scene.count == len(source.radii)):
        known = find(source.system)
        ran = known or find(source.scenario().system)  # what a file holds: a packing counts iterations
        clock, has_forces = TIME if ran is None else ran.clock, known is not None and known.has_forces
        scene.replace_discs(source.radii, source.box, source.periodic, clock=clock, has_forces=has_forces)
        if run_marks is not None and run_marks.count == scene.count:
            scene.hide(run_marks.hidden.mask)
            scene.pinned[SELECTION] = run_marks.selected.numbers
            if run_marks.marks:
                scene.pinned[marks.NAME] = marks.MarkList(run_marks.marks)
    scalar, coloring = film_colors.color(frame)
    scene.set_discs(source)
    given = in_scene(LayerInput(frame, source.radii, source.box, source.periodic, of=source), scene)
    layers = of_frame(given, view, memories=memories)
    scene.set_frame(frame.positions, scalar, coloring, frame.time, frame.radius_factor, layers, strain=frame.strain)
