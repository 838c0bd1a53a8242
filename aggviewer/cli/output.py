"""The folder of `run --out` and its files.

A folder contains the results of one run, never of two. Among its files are the history of the run (and, for discs that
join, relative contacts at some of the merges) and trajectory.gsd (a frame at regular simulation times, and the last
one).
"""

from __future__ import annotations

import math
import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.capabilities import packed
from engine.errors import InputError
from engine.files import FileFrame, RecordingError, TrajectoryWriter, write, write_contacts
from engine.files.writing import check_folder, locked_folder, replacing
from engine.frame import Frame
from engine.indicators import Problems, recorded
from engine.runs.summary import to_json
from engine.simulation import History, Stride
from engine.state import flight_time
from engine.system import system_of

if TYPE_CHECKING:
    from aggviewer.cli.starting import Started
    from engine.scenario import Scenario
    from engine.simulation import Progress, Simulation

RECORDING = "trajectory.gsd"
NAMES = (
    "scenario.toml",
    RECORDING,
    "final.aggsession",
    "final.gsd",
    "final.csv",
    "final.csv-metadata.json",
    "final-contacts.csv",
    "series.csv",
    "summary.json",
)
"""All files that a run may write, in the order in which they are moved into the folder."""


class OutFolder:
    """A folder for the results of one run, locked against other processes.

    Attributes
    ----------
    path : the folder.
    failed : why a file could not be written, by name. The run continues.
    """

    def __init__(self, path: Path, replaces: bool) -> None:
        self.path = path
        self.failed: dict[str, str] = {}
        self._replaces = replaces
        self._earlier_results: Path | None = None

    @staticmethod
    @contextmanager
    def opened(path: Path, *, overwrite: bool = False, used: Path | None = None) -> Iterator[OutFolder]:
        """Lock a folder for one run; it is created if it does not exist.

        overwrite : results of an earlier run may be replaced; used : a file that the run starts from. InputError if the
        folder cannot be written to, if another process writes to it, if it holds results that must not be replaced, or
        if replacing them would remove the file that the run starts from.
        """
        with locked_folder(path):
            check_folder(path)
            found = [name for name in NAMES if os.path.lexists(path / name)]
            if found and not overwrite:
                named = ", ".join(found[:3]) + (", …" if len(found) > 3 else "")
                raise InputError(
                    f"--out {path} already holds results ({named}); choose another folder, or add --overwrite to "
                    "replace them",
                    str(path),
                )
            if used is not None and used.resolve() in [(path / name).resolve() for name in found]:
                raise InputError(
                    f"--out {path} would replace {used.name}, which scenario.toml there would have to start from; "
                    "choose another folder",
                    str(path),
                )
            yield OutFolder(path, bool(found))

    @contextmanager
    def writing(self) -> Iterator[Path]:
        """Where the files are written: the folder itself, or, if it has results of an earlier run, a place beside them.
        When all files are complete they replace the earlier results.

        If something fails, the earlier results stay unchanged. The new files are then kept beside them if only some of
        them failed; a recording that was started is always kept.
        """
        if not self._replaces:
            yield self.path
            return
        beside = self.path / f".unfinished-{os.getpid()}"
        try:
            beside.mkdir(exist_ok=True)
        except OSError as error:
            raise _unwritable(self.path, error) from None
        try:
            yield beside
            if self.failed:
                self._earlier_results = beside
                return
            for name in NAMES:
                if (beside / name).exists():
                    (beside / name).replace(self.path / name)
                else:
                    (self.path / name).unlink(missing_ok=True)
        finally:
            if self._earlier_results is None and not (beside / RECORDING).exists():
                shutil.rmtree(beside, ignore_errors=True)

    def attempt(self, name: str, write: Callable[[], object]) -> None:
        """Write one of the files. If that fails, `failed` records why, and the other files are still written."""
        try:
            write()
        except OSError as error:
            self.failed[name] = (error.strerror or str(error)).lower()

    @property
    def problem(self) -> str:
        """A sentence about the files that are missing and why; "" if there are none."""
        reasons = dict.fromkeys(self.failed.values())
        missing = "; ".join(
            f"{_listed([name for name, why in self.failed.items() if why == reason])} cannot be written: {reason}"
            for reason in reasons
        )
        if not missing:
            return ""
        kept = (
            f"{self._earlier_results}; the earlier results are unchanged"
            if self._earlier_results is not None
            else str(self.path)
        )
        return f"{missing}; files written so far are in {kept}"


def _listed(names: Sequence[str]) -> str:
    """Words as an enumeration: ``a``, ``a and b``, ``a, b and c``."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _unwritable(out: Path, error: OSError) -> InputError:
    return InputError(f"--out {out} cannot be written to: {error.strerror or error}", str(out))


def complete(scenario: Scenario, simulation: Simulation) -> Scenario:
    """The scenario with derived values written out: box size, and the count of a state file."""
    sides = simulation.box.tolist()
    return scenario.with_values(
        {"box.size": sides if len(set(sides)) > 1 else sides[0], "discs.count": simulation.count}
    )


def write_scenario(folder: Path, started: Started) -> None:
    """scenario.toml: running it again gives the same result. InputError if it cannot be written."""
    path = folder / "scenario.toml"
    try:
        _write_text(path, complete(started.scenario, started.simulation).to_toml())
    except OSError as error:
        raise InputError(f"{path} cannot be written: {(error.strerror or str(error)).lower()}", str(path)) from None


def write_results(
    place: Path, folder: OutFolder, started: Started, frame: Frame, series: Series, values: dict[str, Any]
) -> None:
    """Write the last frame, the series and the summary of a run that has ended.

    place : the folder that the files are written to; folder : keeps the names of files that cannot be written.
    """
    state = FileFrame.of(frame, started.simulation, complete(started.scenario, started.simulation).to_toml())
    writes: dict[str, Callable[[Path], object]] = {
        "final.csv": lambda path: write(path, state),
        "final.gsd": lambda path: write(path, state),
        "final-contacts.csv": lambda path: write_contacts(path, state),
        "series.csv": series.write,
        "final.aggsession": lambda path: _write_session(path, started),
        "summary.json": lambda path: _write_text(path, to_json(values, indent=1) + "\n"),
    }
    if frame.network is None:
        del writes["final-contacts.csv"]
    for name, write_file in writes.items():
        folder.attempt(name, partial(write_file, place / name))


def _write_session(path: Path, started: Started) -> None:
    """The exact state, which `run` and the window can continue. Other contents of a continued session are kept."""
    from aggviewer.document.document import Document
    from aggviewer.session.saved.session_file import write_session
    from aggviewer.session.saved.state import SessionState

    simulation, before = started.simulation, started.session
    changes: dict[str, Any] = {
        "lanes": [simulation.checkpoint()],
        "scenarios": [started.scenario.to_toml()],
        "time": simulation.time,
        "clusters": simulation.frame().clusters,
        "count": simulation.count,
        "saved_as": "paused",
    }
    if before is None:
        now = SessionState(document=Document().state, **changes)
    else:
        now = replace(before, program="", saved_at=0.0, **changes)
    write_session(path, now)


def _write_text(path: Path, text: str) -> None:
    with replacing(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")


_ROWS = 5_000  # rows of the history; more are thinned out, evenly in log M
_SAMPLES = 100  # of the contacts, evenly in log M from N to 1
_FEW_SAMPLES = 25  # for many discs, since one sample takes as long as many merges
_MANY_DISCS = 200_000
_FRAMES = 5.0  # displayed frames between two samples of what plug-ins record
_CONTACTS, _CONTACTS_AT = "contacts_relative", 3  # a column in addition to those of the history, and its position


def series_of(simulation: Simulation) -> Series:
    """The quantities that are recorded while a simulation runs."""
    return SampledSeries(simulation) if system_of(simulation.scenario).joins else Series(simulation)


class Series:
    """The history of a simulation, which has all quantities but the numbers that plug-ins record over time
    (`engine.indicators.recorded`). These are measured at each displayed frame's distance, for rows of their own.

    Attributes
    ----------
    further : the names of further columns, and their rows by name, with the ``time`` of each.
    problems : a sentence for each of these numbers that has failed, by its name.
    """

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self.further: tuple[Sequence[str], Sequence[Mapping[str, float]]] = ((), ())
        self._frame: Frame | None = None
        self._names = tuple(one.name for one in recorded())
        self._rows: list[tuple[float, ...]] = []
        self._due = Stride()
        self.problems = Problems()
        self._begin()

    def _begin(self) -> None:
        if self._names:
            self._take()
            self._due = self._simulation.stride(_FRAMES)

    @property
    def next_time(self) -> float:
        """Simulation time at which the next sample is due; infinite, for none."""
        return self._due.time

    @property
    def next_clusters(self) -> int:
        """Number of clusters at which the next sample is due; 1, with which a run ends, for none."""
        return max(1, self._due.clusters)

    @property
    def next_events(self) -> int | None:
        """Number of physical events at which the next sample is due; None for none."""
        return self._due.events

    def look(self, reached: Progress) -> None:
        """Take a sample if one is due."""
        if self._names and self._due.met(reached):
            self._begin()

    def write(self, path: Path) -> None:
        """Write ``time,clusters,kinetic_energy,contacts_relative`` (empty), what else the history has, and what
        plug-ins record, by time."""
        history = self._simulation.history()
        columns = {name: getattr(history, name).tolist() for name in history.columns()}
        names = list(columns)
        names.insert(_CONTACTS_AT, _CONTACTS)
        columns[_CONTACTS] = [math.nan] * len(history.time)
        rows: Iterable[tuple[float, ...]] = zip(*(columns[name] for name in names), strict=True)
        if self._names:
            rows = self._with_samples(rows, len(names))
        _write(path, [*names, *self._names], rows, *self.further)

    def _with_samples(self, rows: Iterable[tuple[float, ...]], columns: int) -> list[tuple[float, ...]]:
        """Rows of the history with the samples taken at their times, and a row of its own for each other sample."""
        self._take()
        samples = {row[0]: row for row in self._rows}
        empty, nothing = (math.nan,) * (columns - _CONTACTS_AT), (math.nan,) * len(self._names)
        found = [(*row, *samples.pop(row[0], (*empty, *nothing))[-len(nothing) :]) for row in rows]
        found += [(*row[:_CONTACTS_AT], *empty, *row[_CONTACTS_AT:]) for row in samples.values()]
        return sorted(found, key=lambda row: row[0])

    def _take(self) -> None:
        """Add a row: time, clusters, kinetic energy, and what is sampled."""
        self._frame = frame = self._simulation.frame(self._frame)
        self._rows.append((frame.time, frame.clusters, frame.kinetic_energy, *self._sampled(frame)))

    def _sampled(self, frame: Frame) -> tuple[float, ...]:
        """The numbers that plug-ins record, NaN for one that is not there."""
        if not self._names:
            return ()
        kind = system_of(self._simulation.scenario)
        found = kind.analyse(self._simulation, frame, self._names, problems=self.problems)
        return tuple(math.nan if found.get(name) is None else found[name] for name in self._names)


class SampledSeries(Series):
    """Of discs that join, with their contacts at some of the merges.

    N_c changes at merges, so samples are taken at given numbers of clusters: `next_clusters` is the M of the next one.
    """

    def __init__(self, simulation: Simulation) -> None:
        count = simulation.count
        number = _SAMPLES if count <= _MANY_DISCS else _FEW_SAMPLES
        self._left = sorted({round(m) for m in np.geomspace(1, count, number)} - {count})
        super().__init__(simulation)

    def _begin(self) -> None:
        self._take()

    @property
    def next_clusters(self) -> int:
        """The number of clusters at which the next sample is due."""
        return self._left[-1] if self._left else 1

    def look(self, reached: Progress) -> None:
        """Take a sample if one is due."""
        if self._left and reached.clusters <= self._left[-1]:
            while self._left and reached.clusters <= self._left[-1]:
                self._left.pop()
            self._take()

    def write(self, path: Path) -> None:
        """Write ``time,clusters,kinetic_energy,contacts_relative`` and what plug-ins record, by time; what is sampled
        only where it was."""
        self._take()
        rows = {row[:_CONTACTS_AT]: row[_CONTACTS_AT:] for row in self._rows}
        history, nothing = self._simulation.history(), (math.nan,) * (1 + len(self._names))
        for k in _spread(len(history.time), _ROWS):
            rows.setdefault(
                (float(history.time[k]), int(history.clusters[k]), float(history.kinetic_energy[k])), nothing
            )
        ordered = sorted(rows, key=lambda row: (row[0], -row[1]))
        _write(
            path, [*History.columns(), _CONTACTS, *self._names], ((*key, *rows[key]) for key in ordered), *self.further
        )

    def _sampled(self, frame: Frame) -> tuple[float, ...]:
        from engine.analysis import contacts

        simulation = self._simulation
        found = contacts(frame.positions, simulation.radii, simulation.box, periodic=simulation.periodic)
        return float(found.relative), *super()._sampled(frame)


def _write(
    path: Path,
    names: Sequence[str],
    rows: Iterable[tuple[float, ...]],
    further: Sequence[str] = (),
    more: Sequence[Mapping[str, float]] = (),
) -> None:
    """Write a table as a CSV file; nan becomes an empty cell. further, more : see `Series.further`."""
    if further:
        names = [*names, *further]
        own = [tuple(row) + (math.nan,) * len(further) for row in rows]
        rows = sorted([*own, *(tuple(row.get(name, math.nan) for name in names) for row in more)], key=itemgetter(0))
    with replacing(path) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
        file.write(",".join(names) + "\n")
        for row in rows:
            file.write(",".join("" if value != value else repr(value) for value in row) + "\n")


def _spread(length: int, most: int) -> list[int]:
    """Indices of at most about `most` of `length` merges, evenly spaced in the log of the number of later merges."""
    if length <= most:
        return list(range(length))
    left = np.unique(np.round(np.geomspace(1, length, most)).astype(np.int64))
    return [int(length - m) for m in left[::-1]]


def usual_interval(simulation: Simulation) -> float:
    """The time in which the fastest disc flies a mean diameter; 1 if time counts iterations. InputError if nothing
    moves."""
    if system_of(simulation.scenario).clock.counts:
        return 1.0
    found = flight_time(simulation.frame().velocities, simulation.radii)
    if found == math.inf:
        raise InputError("nothing moves: set the time between recorded frames with --every")
    return found


class AtEvenTimes(ABC):
    """Observes a run at the time `begin`, or now if that has passed, and every, 2 every, … after it.

    every : None for `usual_interval`.
    """

    next_clusters, next_events = 1, None  # nothing is due at a number of clusters or events

    def __init__(self, simulation: Simulation, begin: float, every: float | None) -> None:
        self._simulation = simulation
        self._begin = max(begin, simulation.time)
        self._every = usual_interval(simulation) if every is None else every
        self._taken = 0

    @property
    def next_time(self) -> float:
        """Simulation time of the next state."""
        return self._begin + self._taken * self._every

    def look(self, reached: Progress | None = None) -> None:
        """Take the present state if it is due."""
        if self._simulation.time >= self.next_time:
            self._taken += 1
            self._take()

    @abstractmethod
    def _take(self) -> None: ...


class CliRecording(AtEvenTimes):
    """Frames from the start on.

    If writing fails later, the recording stops and the run continues. InputError if the file cannot be created.

    Attributes
    ----------
    problem : why it stopped early, and how many frames are kept; "" if it did not.
    """

    def __init__(self, folder: Path, simulation: Simulation, scenario: str, every: float | None) -> None:
        super().__init__(simulation, simulation.time, every)
        self._frame = Frame.empty(simulation.count, len(simulation.box))
        self._writer = TrajectoryWriter(folder / RECORDING, scenario, contacts=packed(simulation) is not None)
        self._last = -math.inf
        self.problem = ""
        self.look()
        if self.problem:
            raise InputError(self.problem, str(self._writer.path))

    @property
    def next_time(self) -> float:
        """Simulation time of the next frame."""
        return math.inf if self.problem else super().next_time

    def close(self) -> None:
        """Write the last state and close the file."""
        if self._simulation.time > self._last and not self.problem:
            self._take()
        with self._ending_on_error():
            self._writer.close()

    def _take(self) -> None:
        frame = self._simulation.frame(self._frame)
        with self._ending_on_error():
            self._writer.append(FileFrame.of(frame, self._simulation))
        self._last = frame.time

    @contextmanager
    def _ending_on_error(self) -> Iterator[None]:
        """End the recording, and set `problem`, if the file cannot be written."""
        try:
            yield
        except RecordingError as error:
            self.problem = str(error)


def check_recording(record: bool, every: float | None, out: Path | None, average_from: float | None = None) -> None:
    """Raise InputError for options that cannot be combined."""
    if average_from is not None and not (math.isfinite(average_from) and average_from >= 0.0):
        raise InputError(f"--average-from must be a number of at least 0, not {average_from}", "average-from")
    if record and out is None:
        raise InputError("--record needs --out DIR, where it writes trajectory.gsd", "record")
    if every is not None and not record and average_from is None:
        raise InputError("--every sets the time between recorded frames and needs --record", "every")
    if every is not None and not (math.isfinite(every) and every > 0.0):
        raise InputError(f"--every must be a number above 0, not {every}", "every")
