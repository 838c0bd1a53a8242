"""Things that can be played: existing frames with random access."""

from __future__ import annotations

from typing import Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.frame import Frame, FrameDiscs
from engine.simulation import History

F_co = TypeVar("F_co", covariant=True)


class Source(Protocol[F_co]):
    """Random access to existing frames: a run's past, a file, a bundled run, or the story of a time step. A live run is
    not a source; only its past is."""

    @property
    def times(self) -> NDArray[np.float64]:
        """(K,), ascending, K >= 1: the times of the frames, or their numbers if there are no times. They are the stops
        of a player (`aggviewer.session.past.player.Player`)."""
        ...

    def at(self, index: int) -> F_co:
        """Frame `index`, 0 <= index < K, in any order. InputError if it cannot be read."""
        ...


class RecordedFrames(Source[Frame], Protocol):
    """The frames of a run that is known only by them: of a file, or of the run that comes with the program.

    Attributes
    ----------
    count, first : N, and the discs of the first frame. Every frame has its own (`Frame.discs`).
    """

    count: int
    first: FrameDiscs

    @property
    def marks(self) -> NDArray[np.float64]:
        """Times of large merges, as far as known."""
        ...

    def history(self, index: int) -> History | None:
        """The history up to frame `index`, None as long as it is not known."""
        ...

    def share(self) -> Self:
        """Register another user, who must also call `close`. InputError if it has been closed."""
        ...

    def close(self) -> None:
        """Unregister a user; after the last one it cannot be used any more."""
        ...

    def wait_closed(self, patience: float | None = None) -> bool:
        """Whether all background work has ended after closing; waits up to `patience` seconds."""
        ...
