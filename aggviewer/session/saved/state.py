"""The contents of a session file as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from aggviewer.document.state import DocumentState
from engine import system as engine_system
from engine.files.checks import plain

if TYPE_CHECKING:
    from aggviewer.session.log.log import Log
    from engine.simulation import Checkpoint


_MOST_NAMED = 4  # kinds of marks in a sentence

SavedAs = Literal["running", "paused", "finished"]


@dataclass
class SessionState:
    """Everything needed to continue a session later.

    Parameters
    ----------
    lanes : the exact checkpoint of the simulation, or of both simulations of a comparison.
    scenarios : the scenario of each as the user sees it, TOML. Keys that the checkpoint's method does not use may
        differ from the checkpoint's.
    time, clusters, count : simulation time, M and N of the first lane, for lists of files.
    document : the view and the speed.
    variant : the settings of the second lane that differ.
    marks_left_out : the file's kinds of marks that this version does not know.
    pool_left_out : whether the file has a pool of packings, as of earlier versions.
    log : how the run came about; None in a file of an earlier version.
    saved_as : the state of the session when saved, restored on opening; None if unknown.
    program : the version that wrote the file.
    saved_at : when, in seconds since 1970.
    """

    lanes: list[Checkpoint]
    scenarios: list[str]
    time: float
    clusters: int
    count: int
    document: DocumentState = field(default_factory=DocumentState)
    variant: dict[str, Any] | None = None
    marks_left_out: Sequence[str] = ()
    pool_left_out: bool = False
    log: Log | None = None
    saved_as: SavedAs | None = None
    program: str = ""
    saved_at: float = 0.0

    @property
    def left_out(self) -> str:
        """A sentence about the parts of the file that were not loaded; "" if there are none."""
        number, kinds = len(self.marks_left_out), sorted(set(self.marks_left_out))
        words = []
        if kinds:
            named = ", ".join(plain(kind) for kind in kinds[:_MOST_NAMED])
            marks = "1 mark was" if number == 1 else f"{number} marks were"
            words.append(f"{marks} not loaded, because this version does not have them: {named}")
        if self.pool_left_out:
            words.append("its pool of packings was not loaded: to pool packings, run a study (in the menu of a plot)")
        return "; ".join(words)

    def describe(self) -> str:
        """One line about the session, for lists."""
        methods = [lane.method for lane in self.lanes]
        return describe(self.count, self.clusters, self.time, methods, self.lanes[0].system)


def describe(count: int, clusters: int, time: float, methods: Sequence[str], name: str) -> str:
    """The contents of a session file in one line; see `SessionState`. name : of the system."""
    system = engine_system.system(name)
    words = [f"N = {_grouped(count)}"]
    if system.clock.counts:
        words.append(f"{system.title.lower()}, {system.clock.name} {time:.0f}")
    else:
        words += [" and ".join(dict.fromkeys(methods)), f"{system.clock.symbol} = {time:.4g}"]
    if system.joins:
        words.append(f"{_grouped(clusters)} cluster{'' if clusters == 1 else 's'}")
    return ", ".join(words)


def _grouped(count: int) -> str:
    return f"{count:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")
