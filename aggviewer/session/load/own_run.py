"""The person's own run while something else, such as a lesson, has the window. Belongs to the simulation's thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from aggviewer.session.data import SystemInfo
from aggviewer.session.load.loader import Loader, take_state
from aggviewer.session.load.runs import Left, Shelf
from aggviewer.session.marks.model import Mark
from aggviewer.session.run.lanes import Lane, Lockstep
from aggviewer.session.run.playback import Playback
from aggviewer.session.run.runner import Drive, Runner
from aggviewer.session.saved.packing_pool import PackingPool
from aggviewer.session.saved.state import SessionState
from engine.errors import InputError


@dataclass(frozen=True)
class HowShown:
    """How a run is shown: what a session file says of it beside the simulation.

    Attributes
    ----------
    view : the fields of the view model.
    picked, marks : what is selected and hidden, as text, and what is measured and noted.
    plots : the fields of a `SessionState` that only the window knows.
    """

    view: dict[str, Any]
    picked: str
    marks: Sequence[Mark]
    plots: dict[str, Any]


class OwnRun:
    """Sets the person's own run aside, with all that belongs to it: the runs that *Undo* brings back, the frames of its
    past, a recording that is being made, the packings in the pool. It comes back as it was, whatever has run meanwhile.

    Attributes
    ----------
    shown : how it was shown when it was set aside; None while it runs.
    """

    def __init__(self, loader: Loader, runner: Runner, playback: Playback, pool: PackingPool) -> None:
        self._loader, self._runner, self._playback = loader, runner, playback
        self._pool = pool
        self._pool_aside = PackingPool()
        self._left: Left | None = None
        self.shown: HowShown | None = None

    @property
    def drive(self) -> Drive:
        """What the person runs."""
        left = self._left
        return self._runner.drive if left is None else left.standing.drive

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """What runs in it."""
        return self.drive.lanes

    @property
    def shelf(self) -> Shelf:
        """The person's runs that can come back."""
        left = self._left
        return self._loader.shelf if left is None else left.shelf

    @property
    def pool(self) -> PackingPool:
        """The person's packings."""
        return self._pool if self._left is None else self._pool_aside

    @property
    def worked(self) -> float:
        """Seconds of computing in all runs of the person's."""
        left = self._left
        return self._runner.worked if left is None else left.standing.worked

    def set_aside(self, shown: HowShown) -> None:
        """Let go of it until `bring_back`; nothing where it is aside already."""
        if self._left is None:
            self._left, self.shown = self._loader.set_aside(), shown
            self._pool.exchange(self._pool_aside)

    def stand_in(self) -> None:
        """Where nothing was begun in its place since it was set aside, go on with a copy of it, so that no command
        changes the run itself."""
        if self._left is not None:
            self._loader.begin_copy(self._left)

    def bring_back(self, told: Callable[[SystemInfo], object]) -> None:
        """Go on with it, as it was. Where there was nothing, what runs now stays and is the person's own.

        told : gets its discs, before they are shown.
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
        """What was set aside, as a session file would hold it. InputError where that is no simulation. lend : see
        `take_state`."""
        left, shown = self._left, self.shown
        assert left is not None
        assert shown is not None
        standing = left.standing
        if left.run is None or not isinstance(standing.drive, Lockstep) or not standing.drive.lanes:
            raise InputError("there is no simulation to save")
        variant = left.run.variant
        state = take_state(standing.drive.lanes, variant, shown.view, standing.speed, standing.fast, lend=lend)
        if standing.state in ("running", "paused", "finished"):
            state.saved_as = standing.state
        return state

    def close(self, patience: float | None = None) -> bool:
        """End what has a file of its own, after the simulation's thread has ended."""
        return self._left is None or self._left.close(patience)
