"""The user's own run while a lesson uses the window. Belongs to the simulation's thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from aggviewer.document.state import DocumentState
from aggviewer.session.data import SystemInfo
from aggviewer.session.load.loader import Loader, take_state
from aggviewer.session.load.runs import Left, Shelf
from aggviewer.session.marks.run_marks import RunMarks
from aggviewer.session.run.lanes import Lane, Lockstep
from aggviewer.session.run.playback import Playback
from aggviewer.session.run.runner import Runner
from aggviewer.session.saved.packing_pool import PackingPool
from aggviewer.session.saved.state import SessionState
from engine.errors import InputError


@dataclass(frozen=True)
class HowShown:
    """How a run is shown: the parts of a session file besides the simulation.

    Attributes
    ----------
    document : the values of the document.
    run_marks : which discs are selected and hidden, and what is measured and noted.
    """

    document: DocumentState
    run_marks: RunMarks


class OwnRun:
    """Sets the user's own run aside, with all that belongs to it: the runs that *Undo* brings back, the frames of its
    past, a recording in progress, the packings in the pool. It comes back unchanged, whatever has run meanwhile.

    Attributes
    ----------
    shown : how it was shown when it was set aside; None if it is not aside.
    """

    def __init__(self, loader: Loader, runner: Runner, playback: Playback, pool: PackingPool) -> None:
        self._loader, self._runner, self._playback = loader, runner, playback
        self._pool = pool
        self._pool_aside = PackingPool()
        self._left: Left | None = None
        self.shown: HowShown | None = None

    @property
    def drive(self) -> Lockstep:
        """The user's own run, set aside or not."""
        left = self._left
        return self._runner.drive if left is None else left.standing.drive

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The lanes of the run."""
        return self.drive.lanes

    @property
    def shelf(self) -> Shelf:
        """The user's runs that can come back."""
        left = self._left
        return self._loader.shelf if left is None else left.shelf

    @property
    def pool(self) -> PackingPool:
        """The user's packings."""
        return self._pool if self._left is None else self._pool_aside

    @property
    def worked(self) -> float:
        """Seconds of computing in all runs of the user."""
        left = self._left
        return self._runner.worked if left is None else left.standing.worked

    def set_aside(self, shown: HowShown) -> None:
        """Set it aside until `bring_back`; does nothing if it is aside already."""
        if self._left is None:
            self._left, self.shown = self._loader.set_aside(), shown
            self._pool.exchange(self._pool_aside)

    def stand_in(self) -> None:
        """If no other run was started since it was set aside, continue with a copy of it, so that no command changes
        the run itself."""
        if self._left is not None:
            self._loader.begin_copy(self._left)

    def bring_back(self, told: Callable[[SystemInfo], object]) -> None:
        """Continue it, unchanged. If there was no run, the current one becomes the user's own.

        told : called with its discs, before they are shown.
        """
        left, self._left, self.shown = self._left, None, None
        if left is None:
            return
        self._pool.exchange(self._pool_aside)
        self._pool_aside = PackingPool()
        if left.standing.drive.lanes:
            told(left.standing.drive.lanes[0].system)
        if left.standing.state == "empty":
            self._loader.shelf.close()
            self._loader.shelf = left.shelf
        else:
            self._loader.take_back(left, self._playback.refresh)

    def state(self, lend: bool = False) -> SessionState:
        """The state that was set aside, for a session file. InputError if it is not a simulation. lend : see
        `take_state`."""
        left = self._left
        assert left is not None
        standing = left.standing
        if left.run is None or standing.drive.replay is not None or not standing.drive.lanes:
            raise InputError("there is no simulation to save")
        variant = left.run.variant
        state = take_state(standing.drive.lanes, variant, standing.speed, standing.fast, lend=lend)
        if standing.state in ("running", "paused", "finished"):
            state.saved_as = standing.state
        return state

    def close(self, patience: float | None = None) -> bool:
        """Close runs that have an open file, after the simulation's thread has ended."""
        return self._left is None or self._left.close(patience)
