"""The panel of the history of merges: of which cluster, the tree, and what is taken away from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf, isinf, nextafter
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from PyQt6.QtCore import Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QHideEvent, QShowEvent
from PyQt6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from aggviewer.export.tables import table_text
from aggviewer.merging.branches import Branches
from aggviewer.merging.files import write
from aggviewer.merging.item import MergeHit
from aggviewer.merging.plot import MergePlot
from aggviewer.session.data import MergesFound, SystemInfo
from aggviewer.session.marking import Marking
from aggviewer.session.publish.publisher import Shown
from aggviewer.style.numbers import count, simulation_time
from aggviewer.style.theme import Colors
from aggviewer.widgets.clipboard import copy_text
from aggviewer.widgets.gui_job import GuiJob
from aggviewer.widgets.labels import ElidedLabel
from engine.errors import InputError
from engine.selection import Selection

if TYPE_CHECKING:
    from engine.merges import MergeTree

MOST_COPIED = 100_000
"""Merges that go to the clipboard at once."""

_HINT = "Right-click a disc in the picture, then History of merges…"
_CLICK = "Click a merge, or a branch at any time, to look back to it."
_LOOK_MS = 200
_LEAST_S = 1.0  # between two trees while it runs
_REST = 4.0  # times as long as a tree takes, nothing is computed for it


@dataclass(frozen=True)
class HistoryAsked:
    """Whose history is shown: the cluster of a disc of a lane. until : as it was at that time; inf for the present."""

    lane: int
    disc: int
    until: float = inf


@dataclass(frozen=True, eq=False)
class MergeHistoryShown:
    """A history as it is drawn. asked, found : for what and from what; took : seconds that it has taken to make it."""

    asked: HistoryAsked
    found: MergesFound
    tree: MergeTree
    branches: Branches
    took: float

    @property
    def system(self) -> SystemInfo:
        """Of the discs."""
        return self.found.system


def make(asked: HistoryAsked, found: MergesFound) -> MergeHistoryShown | None:
    """The history that was asked for; None where there is no record of merges. InputError for a damaged record."""
    if found.log is None or asked.disc >= found.system.count:
        return None
    from engine.merges import merge_tree  # with numba, which a window that starts does without

    begun = perf_counter()
    tree = merge_tree(found.log)
    branches = Branches.of(tree, tree.node_of(asked.disc, asked.until))
    return MergeHistoryShown(asked, found, tree, branches, perf_counter() - begun)


class MergePanel(QWidget):
    """The history of the cluster of a disc. Nothing is computed while it is hidden.

    Parameters
    ----------
    marking : gets the discs of what is clicked.
    ask : asks for the record of merges of a lane, which then comes to `take`.
    look_at : shows the picture as it was at a time.
    kept_from : the first time that can be looked at again; None where nothing is kept.
    ask_path : asks where to save, None for nowhere.

    Notes
    -----
    Signals: ``saved(path)`` and ``problem(words)`` of an export.
    """

    saved = pyqtSignal(object)
    problem = pyqtSignal(str)

    def __init__(
        self,
        marking: Marking,
        ask: Callable[[int], None],
        look_at: Callable[[float], None],
        kept_from: Callable[[], float | None],
        ask_path: Callable[[str], Path | None],
    ) -> None:
        super().__init__()
        self.setObjectName("merges")
        self._marking = marking
        self._ask = ask
        self._look_at = look_at
        self._kept_from = kept_from
        self._ask_path = ask_path
        self._asked: HistoryAsked | None = None
        self._shown: MergeHistoryShown | None = None
        self._waiting = False  # for the record, or for the tree
        self._stale = False
        self._asked_at = 0.0
        self._log: bool | None = None  # what the person chose for the axis
        self._goal: tuple[int, float] | None = None  # the node that was clicked, and the time
        self._time: float | None = None  # that the picture shows
        self._hovered: MergeHit | None = None
        self._job = GuiJob("merges", parent=self)

        self.words = ElidedLabel()
        self.told = ElidedLabel()
        self.plot = MergePlot()
        self.plot.chosen.connect(self._on_chosen)
        self.plot.hovered.connect(self._on_hovered)
        self.plot.looked.connect(self._say)
        self.empty = QLabel()
        self.empty.setWordWrap(True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setObjectName("muted")
        self.log = QCheckBox("Logarithmic time")
        self.log.setToolTip("The axis of time in powers of ten, which spreads out the first merges")
        self.log.clicked.connect(self._on_log)
        self.all = self._button("Fit", "The whole tree (0, or a double click beside the branches)", self.plot.show_all)
        self.copy = self._button("Copy", "All merges of this tree, as CSV, to the clipboard", self.copy_table)
        tip = "All merges as CSV or as a Newick tree, or what is seen as SVG, PDF or PNG"
        self.save = self._button("Save…", tip, self.ask_save)
        head = QHBoxLayout()
        head.setContentsMargins(8, 8, 8, 0)
        head.setSpacing(8)
        head.addWidget(self.words, 1)
        for widget in (self.log, self.all, self.copy, self.save):
            head.addWidget(widget)
        foot = QHBoxLayout()
        foot.setContentsMargins(12, 0, 8, 8)
        foot.addWidget(self.told, 1)
        self._pages = QStackedWidget()
        self._pages.addWidget(self.empty)
        self._pages.addWidget(self.plot)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self._pages, 1)
        column.addLayout(foot)
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._look)
        self._show(None)

    @staticmethod
    def _button(text: str, tip: str, run: Callable[[], None]) -> QPushButton:
        made = QPushButton(text)
        made.setToolTip(tip)
        made.clicked.connect(lambda _checked: run())
        return made

    # whose history

    @property
    def shown(self) -> MergeHistoryShown | None:
        """The history that is drawn; None where there is none."""
        return self._shown

    @property
    def asked(self) -> HistoryAsked | None:
        """Whose history it is."""
        return self._asked

    @property
    def busy(self) -> bool:
        """Whether it is being computed, or out of date."""
        return self._waiting or self._stale

    def show_history(self, lane: int, disc: int, until: float = inf) -> None:
        """Show the history of the cluster of a disc: up to the present, which is followed, or up to a time."""
        self._asked, self._goal, self._log = HistoryAsked(lane, disc, until), None, None
        self.plot.mark(-1)
        self._begin()

    def _begin(self) -> None:
        """Ask for the record of merges."""
        if self._asked is not None:
            self._waiting, self._stale, self._asked_at = True, False, perf_counter()
            self._ask(self._asked.lane)

    def take(self, found: MergesFound) -> None:
        """The record of merges that was asked for."""
        asked = self._asked
        if asked is None or found.lane != asked.lane:
            return
        done, failed = partial(self._on_made, asked), partial(self._on_not_made, asked)
        self._job.submit(lambda: make(asked, found), done, failed, key="tree")

    def _on_made(self, asked: HistoryAsked, made: MergeHistoryShown | None) -> None:
        if asked is self._asked:
            self._waiting = False
            self._show(made)

    def _on_not_made(self, asked: HistoryAsked, error: Exception) -> None:
        if asked is not self._asked:
            return
        self._waiting = False
        if not isinstance(error, InputError):
            raise error
        self.problem.emit(f"{error}.")
        self._show(None)

    def _show(self, made: MergeHistoryShown | None) -> None:
        before, self._shown = self._shown, made
        if before is None or made is None or before.asked is not made.asked or before.system is not made.system:
            self._hovered = self._goal = None
            self.plot.mark(-1)
        if made is None:
            self.empty.setText(_HINT)
            self.plot.show_branches(None, False)
        else:
            log = made.branches.gathers_early if self._log is None else self._log
            self.log.setChecked(log)
            anew = before is None or before.asked is not made.asked or before.system is not made.system
            self.empty.setText(f"{_alone(made)} Its history begins with its first merge.")
            self.plot.show_branches(made.branches, log, anew=anew)
        drawn = made is not None and made.branches.count > 1
        self._pages.setCurrentWidget(self.plot if drawn else self.empty)
        for widget in (self.log, self.all, self.copy, self.save):
            widget.setEnabled(drawn)
        self._say()

    # what the picture shows

    def on_frame(self, lane: int, shown: Shown) -> None:
        """A frame is on the screen."""
        asked, made = self._asked, self._shown
        if asked is None or lane != asked.lane:
            return
        self._time = shown.frame.time
        self.plot.set_now(self._time)
        if made is not None and isinf(asked.until) and shown.system is made.system:
            self._stale = self._stale or shown.frame.clusters < len(made.tree.roots)
        self._say()

    def on_system(self, lane: int, system: SystemInfo) -> None:
        """Other discs are on the screen: as many as before, as after a restart, are followed by their number."""
        asked = self._asked
        if asked is None or asked.lane != lane:
            return
        if asked.disc >= system.count:
            self._asked = None
            self._waiting = self._stale = False
            self._show(None)
        else:
            self._asked, self._stale = HistoryAsked(lane, asked.disc), True

    def set_lanes(self, lanes: int) -> None:
        """So many simulations run side by side."""
        if self._asked is not None and self._asked.lane >= lanes:
            self._asked = HistoryAsked(0, self._asked.disc)
            self._stale = True

    def _look(self) -> None:
        """Have the tree made anew where it is out of date, and it is time for that."""
        took = 0.0 if self._shown is None else self._shown.took
        rested = perf_counter() - self._asked_at >= max(_LEAST_S, _REST * took)
        if self._stale and not self._waiting and rested:
            self._begin()

    def showEvent(self, event: QShowEvent | None) -> None:
        """Begin to follow the run."""
        super().showEvent(event)
        self._timer.start()
        self._look()

    def hideEvent(self, event: QHideEvent | None) -> None:
        """Compute nothing any more."""
        super().hideEvent(event)
        self._timer.stop()

    # what the person does

    def _on_log(self, on: bool) -> None:
        self._log = on
        if self._shown is not None:
            self.plot.show_branches(self._shown.branches, on)

    def _on_hovered(self, hit: MergeHit | None) -> None:
        self._hovered = hit
        self._say()

    def _on_chosen(self, hit: MergeHit) -> None:
        """Look back to a merge, or to a time of a branch, and select its discs."""
        made = self._shown
        if made is None:
            return
        tree = made.tree
        node = tree.leaf_count + hit.merge if hit.merge >= 0 else made.branches.node_at(hit.branch, hit.time)
        self._goal = (node, hit.time)
        self.plot.mark(node)
        if self._marking.value.count == made.system.count:
            self._marking.select(Selection.discs(tree.discs_of(node), made.system.count))
        # of a merge the last moment at which both clusters are there
        self._look_at(nextafter(hit.time, -inf) if hit.merge >= 0 else hit.time)
        self._say()

    def copy_table(self) -> None:
        """Put all merges on the clipboard."""
        made = self._shown
        if made is None:
            return
        merges = made.branches.count - 1
        if merges > MOST_COPIED:
            words = f"{count(merges)} merges are too many for the clipboard, at most {count(MOST_COPIED)}: save them"
            self.problem.emit(words)
            return
        copy_text(table_text(made.branches.table()))

    def ask_save(self) -> None:
        """Ask for a file, and write it."""
        path = None if self._shown is None else self._ask_path("merges.csv")
        if path is not None:
            self.write(path)

    def write(self, path: Path) -> None:
        """Write the merges, or what is seen of the tree; ``saved`` or ``problem`` follows."""
        made = self._shown
        if made is None:
            return
        axis, seen = self.plot.tree.axis, self.plot.seen
        self._job.submit(
            lambda: write(path, made.branches, axis, seen),
            lambda _none: self.saved.emit(path),
            self._on_not_written,
            key=path,
        )

    def _on_not_written(self, error: Exception) -> None:
        if not isinstance(error, InputError):
            raise error
        self.problem.emit(str(error))

    # words

    def _say(self) -> None:
        made = self._shown
        self.words.set_whole_text("" if made is None else self._head(made))
        told = "" if made is None or made.branches.count < 2 else self._foot(made)
        self.told.set_whole_text(told)
        self.plot.setAccessibleDescription(told)

    def _head(self, made: MergeHistoryShown) -> str:
        tree, branches, asked = made.tree, made.branches, made.asked
        side = "" if made.found.lanes < 2 else ("Left: ", "Right: ")[made.found.lane]
        size = int(tree.sizes[branches.node])
        words = f"{side}Disc {count(asked.disc)} alone" if size == 1 else f"{side}Cluster of {count(size)} discs"
        if branches.count > 1:
            merges = branches.count - 1
            words += f": {count(merges)} merge{'s' if merges > 1 else ''}"
            words += f", the last at t = {simulation_time(branches.last)}"
        if not isinf(asked.until):
            words += f"; as it was at t = {simulation_time(asked.until)}"
        hidden = branches.count - self.plot.shown_count
        if hidden and branches.count > 1:
            words += f". {count(hidden)} small branch{'es' if hidden > 1 else ''} hidden: the wheel shows more"
        if tree.since > 0.0:
            words += f". What was merged before t = {simulation_time(tree.since)} is not recorded"
        return f"{words}."

    def _foot(self, made: MergeHistoryShown) -> str:
        hit, goal = self._hovered, self._goal
        if hit is not None and (goal is None or hit.merge < 0 or made.tree.leaf_count + hit.merge != goal[0]):
            return _told(made, hit)
        return _CLICK if goal is None else self._where(made, *goal)

    def _where(self, made: MergeHistoryShown, node: int, time: float) -> str:
        """What the picture shows of a node that was clicked."""
        tree = made.tree
        merge = node - tree.leaf_count
        is_merge = merge >= 0 and tree.time[merge] == time
        what = _merge(made, merge) if is_merge else f"t = {simulation_time(time)}: {_cluster(made, node)}."
        kept, shown = self._kept_from(), self._time
        if shown is None or kept is None:
            return what
        if kept > time:
            begin = f"The past is kept from t = {simulation_time(kept)} on, which is shown"
            return f"{what} {begin}: run again from the start (R) to see it."
        if shown > time:
            return what
        return f"{what} Shown: t = {simulation_time(shown)}, the last moment kept before."

    def set_colors(self, colors: Colors) -> None:
        """Follow the theme."""
        self.plot.set_colors(colors)

    def close(self) -> bool:
        """End the thread."""
        self._timer.stop()
        self._job.close()
        return super().close()


def _cluster(made: MergeHistoryShown, node: int) -> str:
    size = int(made.tree.sizes[node])
    if size == 1:
        return f"disc {count(int(made.tree.discs_of(node)[0]))}"
    return f"a cluster of {count(size)} discs"


def _alone(made: MergeHistoryShown) -> str:
    """A cluster without merges, in a sentence."""
    size, disc = int(made.tree.sizes[made.branches.node]), count(made.asked.disc)
    if size == 1:
        return f"Disc {disc} has not merged yet."
    return f"The {count(size)} discs around disc {disc} are together since the start, and have not merged yet."


def _merge(made: MergeHistoryShown, merge: int) -> str:
    """A merge in a sentence."""
    tree = made.tree
    one, two = (_cluster(made, int(node)) for node in tree.children[merge])
    i, j = (count(int(disc)) for disc in tree.pairs[merge])
    return f"t = {simulation_time(float(tree.time[merge]))}: {one} and {two} met, at discs {i} and {j}."


def _told(made: MergeHistoryShown, hit: MergeHit) -> str:
    """What is under the mouse, in a sentence."""
    if hit.merge >= 0:
        return _merge(made, hit.merge)
    branches = made.branches
    words = f"t = {simulation_time(hit.time)}: {_cluster(made, branches.node_at(hit.branch, hit.time))}"
    end = branches.merge[hit.branch]
    if end < 0:
        return f"{words}, the largest part of this one."
    into = _cluster(made, int(made.tree.children[end, 0]))
    return f"{words}, which joins {into} at t = {simulation_time(float(branches.ends[hit.branch]))}."
