"""Writing of states, sessions and autosaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from aggviewer.document.document import Document
from aggviewer.document.run import RunModel
from aggviewer.session.data import DiscSet
from aggviewer.session.log import RunCommand
from aggviewer.session.notices import Notice, Notices
from aggviewer.session.run.observers import Due, Occasion, RunObserver
from aggviewer.session.run.run import Run, SessionRuns, shown_frame, write_state
from aggviewer.session.saved.autosave import MOST_FILES, WORTH, Autosave, KeptWork
from aggviewer.session.saved.session_file import write_session
from aggviewer.session.saved.state import SessionState
from engine.errors import InputError
from engine.files.writing import cannot_write

if TYPE_CHECKING:
    from aggviewer.session.loader import Loader
    from engine.scenario import Scenario

WRITES_AT_LEAST = 20e6
"""Bytes per second that a slow machine compresses and writes; most are four times faster."""


class Saving:
    """Writes files, and sends notices about them. Its methods run on the simulation's thread.

    Parameters
    ----------
    runs, document, notices : parts of the session. Automatic saves contain the user's own run, even during a lesson.
    autosave : saves the run every minute; None for no autosaves.
    kept_work : keeps unsaved work on closing; None to keep nothing.

    Attributes
    ----------
    saved_at : simulation time of the last saved session, None before.
    """

    def __init__(
        self,
        runs: SessionRuns,
        document: Document,
        notices: Notices,
        autosave: Autosave | None,
        kept: KeptWork | None = None,
    ) -> None:
        self._runs = runs
        self._document = document
        self._notices = notices
        self.autosave = autosave
        self.kept_work = kept
        # by the discs of a run: the simulation time at which it was saved, and the file of kept work that it continues
        self._saved_times: WeakKeyDictionary[DiscSet, float] = WeakKeyDictionary()
        self._origins: WeakKeyDictionary[DiscSet, Path] = WeakKeyDictionary()
        self.saved_at: float | None = None

    def save_shown(self, path: Path, *, only_selected: bool = False) -> None:
        """Write the state shown, with a column that marks selected discs, or only these. InputError on failure."""
        run = self._runs.now.present
        frame = shown_frame(run)
        selected = self._document.state_of(run.lanes[0].disc_set).part(RunModel).marks.selected
        there = bool(selected) and selected.count == len(frame.positions)
        if only_selected and not there:
            raise InputError("no disc is selected; click one, or save all discs")
        if there:
            frame = frame.only(selected.mask) if only_selected else frame.marked(selected.mask)
        write_state(path, frame)
        self._notices.send(Notice("info", f"Saved {path.name}", str(path), folder=str(path.parent), about="state"))

    def save_session(self, path: Path) -> None:
        """Write everything needed to continue. InputError on failure."""
        run = self._runs.now.present
        state = replace(run.session_state(lend=True), document=self._document.state_of(run.lanes[0].disc_set))
        try:
            write_session(path, state)
        except OSError as error:
            raise cannot_write(path, error) from None
        self.saved_at = state.time
        self._saved_times[run.lanes[0].disc_set] = state.time
        self._notices.send(
            Notice("info", f"Saved {path.name}", state.describe(), folder=str(path.parent), about="session")
        )

    def recover(self, path: Path, loader: Loader, by: RunCommand) -> None:
        """Open an autosave, paused, and then remove it; or open kept work, which stays until newer work based on it is
        kept."""
        if not loader.open(path, False, by):
            return
        lane = loader.present.lanes[0]
        lane.computing_time = max(lane.computing_time, WORTH)  # it was worth keeping before
        if self.kept_work is not None and self.kept_work.holds(path):
            self._saved_times[lane.disc_set] = lane.time
            self._origins[lane.disc_set] = path
        # in a lesson the file stays: closing the lesson would lose this work
        elif self.autosave is not None and not self._runs.is_aside:
            self.autosave.discard(path)

    @property
    def may_have_work(self) -> bool:
        """False if there cannot be anything worth keeping. Any thread."""
        return self.kept_work is not None and any(run.computing_time >= WORTH for run in self._own_runs)

    @property
    def _own_runs(self) -> list[Run]:
        """The user's own runs that are simulations: the present one, then the others, newest first."""
        own = self._runs.own
        return [run for run in (own.present, *reversed(own.shelf.runs)) if run.simulated]

    def seconds_to_keep(self) -> float:
        """The time that `keep_work` may take. For a large run there is no autosave to keep instead."""
        return _bytes_of(self._own_runs) / WRITES_AT_LEAST

    def keep_work(self) -> list[Path]:
        """Before closing: keep unsaved work that took more than a minute of computing, first the present run, then
        those in the undo history. Returns the files."""
        if self.kept_work is None:
            return []
        work = self._unsaved_work()
        written = self.kept_work.keep([state for _disc_set, state in work])
        if len(written) == len(work):
            for disc_set, _state in work:
                origin = self._origins.pop(disc_set, None)
                if origin is not None:
                    self.kept_work.discard(origin)
        return written

    def keep_autosave(self) -> None:
        """Keep the last autosave, if the simulation's thread does not respond. Any thread."""
        path = self.autosave.path if self.autosave is not None else None
        if self.kept_work is not None and path is not None and path.is_file():
            self.kept_work.adopt(path)

    def _unsaved_work(self) -> list[tuple[DiscSet, SessionState]]:
        present, found = self._runs.own.present, []
        seen = {lane.disc_set for lane in present.lanes}  # the same discs are kept once, as they are now
        for run in self._own_runs:
            disc_set = run.lanes[0].disc_set
            saved = self._saved_times.get(disc_set) == run.lanes[0].time
            if (run is present or disc_set not in seen) and not saved and run.computing_time >= WORTH:
                seen.add(disc_set)
                found.append((disc_set, self._own_state(run, lend=True)))
        return found[:MOST_FILES]

    def keep_safe(self) -> None:
        """Autosave if it is time; called between two slices or at rest."""
        autosave, run = self.autosave, self._runs.own.present
        if autosave is not None and autosave.due() and run.simulated:
            mark = (run.lanes[0].disc_set, run.time)
            autosave.offer(mark, partial(self._own_state, run), lambda: _bytes_of([run]))

    @property
    def seconds_to_autosave(self) -> float | None:
        """Wall time until the user's own run may be saved again; None if there is none, or no autosaves."""
        return self.autosave.seconds_left if self.autosave is not None and self._runs.own.present.simulated else None

    def close(self) -> None:
        """Stop autosaving, after the simulation's thread has ended."""
        if self.autosave is not None:
            self.autosave.close()

    def _own_state(self, run: Run, *, lend: bool = False) -> SessionState:
        """The state of one of the user's own runs, with the view that belongs to it, even during a lesson."""
        return replace(run.session_state(lend=lend), document=self._document.state_of(run.lanes[0].disc_set, own=True))


def _bytes_of(runs: Sequence[Run]) -> int:
    return sum(lane.nbytes for run in runs for lane in run.lanes)


@dataclass(frozen=True)
class Recover(RunCommand):
    """Open kept work, or the autosave of a crashed program, paused.

    path, saving : the file, and what knows which files are kept.
    """

    path: Path
    saving: Saving

    def words(self, scenario: Scenario | None) -> str:
        """Its name in the history."""
        return "recovery"

    def carry_out(self, loader: Loader) -> Sequence[RunCommand]:
        """See `RunCommand`."""
        self.saving.recover(self.path, loader, self)
        return ()


class Autosaving(RunObserver):
    """Autosaves the user's own run, also after it has stopped, until nothing changes any more.

    saving : writes it.
    """

    def __init__(self, saving: Saving) -> None:
        self._saving = saving

    def due(self, run: Run) -> Due:
        """When an autosave is due."""
        return self._saving.seconds_to_autosave

    def handle(self, run: Run, occasion: Occasion) -> None:
        """Autosave if it is time."""
        if occasion in ("slice", "idle"):
            self._saving.keep_safe()
