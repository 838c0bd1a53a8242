"""Moments of a run that are kept in session files, with the look of their picture, and returning to them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import ref

from aggviewer.document.document import Document
from aggviewer.document.registry import DocumentState
from aggviewer.session.commands.beginning import StartRun
from aggviewer.session.log import RunCommand
from aggviewer.session.saved.session_file import write_session
from aggviewer.session.saved.state import SessionState
from engine.errors import InputError

if TYPE_CHECKING:
    from aggviewer.session.loader import Loader
    from aggviewer.session.log import Log
    from aggviewer.session.run.run import Run
    from engine.scenario import Scenario

_LOOK = {
    "view": ("color_by", "layers", "opacities", "scales", "arrow_speed", "grid_level", "turn", "slab"),
    "plots": ("chosen", "looks"),
    "pace": ("speed", "limit"),
}
"""What is kept of the document: the look of the picture, the plots and the speed, but no theme and no open panels."""


class Moment:
    """A moment of a run. Its methods are called on the simulation's thread.

    Parameters
    ----------
    path : of its session file, which may be there from an earlier start of the program.
    scenario : with which the run must have begun; None for any. A run that was abandoned while it was built leaves
        another one, which is not kept.
    """

    def __init__(self, path: Path, scenario: Scenario | None = None) -> None:
        self.path = path
        self._scenario = scenario
        self._state: SessionState | None = None  # where the file could not be written
        self._kept: tuple[ref[Run], Log, float, DocumentState] | None = None

    def keep(self, run: Run, document: Document) -> None:
        """Keep what is shown now."""
        self._state = self._kept = None
        with suppress(OSError):
            self.path.unlink(missing_ok=True)
        begun = run.log.began_with(StartRun)
        if not run.simulated or (self._scenario is not None and (begun is None or begun.scenario != self._scenario)):
            return
        look = _look(run, document)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_session(self.path, replace(run.session_state(lend=True), document=look))
        except OSError:
            self._state = replace(run.session_state(), document=look)
        self._kept = ref(run), run.log, run.time, look

    def is_shown(self, run: Run, document: Document) -> bool:
        """Whether the run has not changed since, nor its look."""
        if self._kept is None or run.state == "running" or run.past_time is not None or not run.simulated:
            return False
        kept, log, time, look = self._kept
        return kept() is run and run.log is log and run.time == time and _look(run, document).values == look.values

    @property
    def source(self) -> Path | SessionState:
        """What to continue from. InputError if there is nothing."""
        if self._state is None and not self.path.is_file():
            raise InputError("the picture of this page was not kept; the picture still shows another page")
        return self._state or self.path


def _look(run: Run, document: Document) -> DocumentState:
    """The look of the picture of a run."""
    state = document.state_of(run.lanes[0].disc_set)
    return DocumentState({(part, name): state.values[part, name] for part, names in _LOOK.items() for name in names})


@dataclass(frozen=True)
class ReturnTo(RunCommand):
    """Show a moment of a run again, unless it is shown. document : with the look of the picture."""

    moment: Moment
    document: Document

    def words(self, scenario: Scenario | None) -> str:
        """Its name in the history."""
        return "returning"

    def carry_out(self, loader: Loader) -> Sequence[RunCommand]:
        """See `RunCommand`."""
        if not self.moment.is_shown(loader.present, self.document):
            loader.resume(self.moment.source, None, self)
        return ()
