"""The user's own run while a lesson uses the window. Belongs to the simulation's thread."""

from __future__ import annotations

from aggviewer.session.load.loader import Loader, take_state
from aggviewer.session.load.runs import Left, Shelf
from aggviewer.session.run.lanes import Lane, Lockstep
from aggviewer.session.run.playback import Playback
from aggviewer.session.run.runner import Runner
from aggviewer.session.saved.packing_pool import PackingPool
from aggviewer.session.saved.state import SessionState
from engine.errors import InputError


class OwnRun:
    """Sets the user's own run aside, with all that belongs to it: the runs that *Undo* brings back, the frames of its
    past, a recording in progress, the packings in the pool. It comes back unchanged, whatever has run meanwhile.
    """

    def __init__(self, loader: Loader, runner: Runner, playback: Playback, pool: PackingPool) -> None:
        self._loader, self._runner, self._playback = loader, runner, playback
        self._pool = pool
        self._pool_aside = PackingPool()
        self._left: Left | None = None

    @property
    def is_aside(self) -> bool:
        """Whether something else runs now."""
        return self._left is not None

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

    def set_aside(self) -> None:
        """Set it aside until `bring_back`; does nothing if it is aside already."""
        if self._left is None:
            self._left = self._loader.set_aside()
            self._pool.exchange(self._pool_aside)

    def stand_in(self) -> None:
        """If no other run was started since it was set aside, continue with a copy of it, so that no command changes
        the run itself."""
        if self._left is not None:
            self._loader.begin_copy(self._left)

    def bring_back(self) -> None:
        """Continue it, unchanged. If there was no run, the current one becomes the user's own."""
        left, self._left = self._left, None
        if left is None:
            return
        self._pool.exchange(self._pool_aside)
        self._pool_aside = PackingPool()
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
        state = take_state(standing.drive.lanes, variant, lend=lend)
        if standing.state in ("running", "paused", "finished"):
            state.saved_as = standing.state
        return state

    def close(self, patience: float | None = None) -> bool:
        """Close runs that have an open file, after the simulation's thread has ended."""
        return self._left is None or self._left.close(patience)
