"""The panel with the history of merges, in its dock: whose history it is, the tree, and its export as a table, a Newick
tree or a picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import inf, isinf, nextafter
from pathlib import Path
from time import perf_counter

from PyQt6.QtCore import QTimer
from PyQt6.QtGui import QHideEvent, QShowEvent
from PyQt6.QtWidgets import QCheckBox, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from aggviewer.export.files import new_file, table_text, write_table
from aggviewer.export.sheet import MATPLOTLIB, Sheet, write_page
from aggviewer.extensions.merging.branches import CLICK, Branches, HistoryAsked, MergeHistoryShown, MergeHit
from aggviewer.extensions.merging.plot import MergePlot
from aggviewer.plots.film import PAPER
from aggviewer.plots.page import PagePane, draw_panes
from aggviewer.session import Notice, Shown
from aggviewer.session.data import DiscSet, MergesFound
from aggviewer.session.notices import tell_saved
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.docks import Dock, add_below, give_height, leave_arrow_keys, to_front
from aggviewer.widgets.gui_thread import GuiJob
from aggviewer.widgets.labels import ElidedLabel
from aggviewer.widgets.part import Context, Part
from aggviewer.widgets.screen import copy_text
from aggviewer.window.picking.controller import SelectionController
from aggviewer.window.refresher import Refresher
from engine.errors import InputError
from engine.selection import Selection
from engine.system import find
from engine.words import count

MOST_COPIED = 100_000
"""The most merges that can be copied at once."""

_HINT = "Right-click a disc or sphere in the picture, then History of merges…"
_LOOK_MS = 200
_LEAST_S = 1.0  # between two trees while it runs
_REST = 4.0  # after a tree, rest for this many times its duration


class MergePanel(QWidget):
    """Shows the merge history of a disc's cluster. Nothing is computed while it is hidden.

    Clicking a merge or branch selects its discs, and the picture shows them at that time.
    """

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.setObjectName("merges")
        self._session, self._files, self._notify = context.session, context.files, context.notify
        self._requested: HistoryAsked | None = None
        self._history: MergeHistoryShown | None = None
        self._waiting = False  # for the record, or for the tree
        self._stale = False
        self._asked_at = 0.0
        self._log: bool | None = None  # what the person chose for the axis
        self._clicked: MergeHit | None = None
        self._hovered: MergeHit | None = None
        self._time: float | None = None  # that the picture shows
        self._job = GuiJob("merges", parent=self)
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._update_tree)

        self.words, self.description = ElidedLabel(), ElidedLabel()
        self.plot = MergePlot()
        self.plot.chosen.connect(self._on_chosen)
        self.plot.hovered.connect(self._on_hovered)
        self.plot.looked.connect(self._describe_tree)
        self.log = QCheckBox("Logarithmic time")
        self.log.setToolTip("Use a logarithmic time axis, which spreads out the first merges")
        self.log.clicked.connect(self._on_log)
        self.all = _button("Fit", "Show the whole tree (0, or double-click)", self.plot.follow)
        self.copy = _button("Copy", "Copy all merges of this tree as CSV", self.copy_table)
        tip = "Save all merges as CSV or as a Newick tree, or the view as SVG, PDF or PNG"
        self.save = _button("Save…", tip, self.ask_save)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.words, 1)
        for widget in (self.log, self.all, self.copy, self.save):
            head.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self.plot, 1)
        column.addWidget(self.description)
        context.listen(context.session.merges_found, self.set_log)
        context.listen(context.session.lanes_changed, lambda scenarios: self.set_lanes(len(scenarios)))
        context.theme.changed.connect(self.plot.set_theme)
        self.plot.set_theme(context.theme.colors)
        self._show(None)

    # whose history

    @property
    def history(self) -> MergeHistoryShown | None:
        """The history of merges that the panel shows; None if there is none."""
        return self._history

    @property
    def request(self) -> HistoryAsked | None:
        """Whose history of merges the panel is to show; None for nobody's."""
        return self._requested

    @property
    def busy(self) -> bool:
        """Whether the tree is out of date or being computed."""
        return self._waiting or self._stale

    def show_history(self, lane: int, disc: int, until: float = inf) -> None:
        """Show the history of a disc's cluster: following the present, or up to a given time."""
        self._requested, self._clicked, self._log = HistoryAsked(lane, disc, until), None, None
        self.plot.mark(-1)
        self._begin()

    def _begin(self) -> None:
        """Ask the session for the record of merges."""
        if self._requested is not None:
            self._waiting, self._stale, self._asked_at = True, False, perf_counter()
            self._session.request_merges(self._requested.lane)

    def set_log(self, found: MergesFound) -> None:
        """Take the record of merges that was requested."""
        asked = self._requested
        if asked is not None and found.lane == asked.lane:
            done, failed = partial(self._on_made, asked), partial(self._on_not_made, asked)
            self._job.submit(lambda: MergeHistoryShown.of(asked, found), done, failed, key="tree")

    def _on_made(self, asked: HistoryAsked, made: MergeHistoryShown | None) -> None:
        if asked is self._requested:
            self._waiting = False
            self._show(made)

    def _on_not_made(self, asked: HistoryAsked, error: Exception) -> None:
        self._on_made(asked, None)
        self._report_error(error)

    def _show(self, made: MergeHistoryShown | None) -> None:
        goes_on = made is not None and made.follows(self._history)
        self._history = made
        if not goes_on:
            self._hovered = self._clicked = None
            self.plot.mark(-1)
        branches = None if made is None else made.branches
        log = self._log if self._log is not None else branches is not None and branches.gathers_early
        self.log.setChecked(log)
        self.plot.set_empty(_HINT if made is None else made.without_merges())
        self.plot.show_branches(branches, log, anew=not goes_on)
        for widget in (self.log, self.all, self.copy, self.save):
            widget.setEnabled(self.plot.branches is not None)
        self._describe_tree()

    # what the picture shows

    def on_frame(self, lane: int, shown: Shown) -> None:
        """React to a new frame on the screen."""
        asked, made = self._requested, self._history
        if asked is None or lane != asked.lane:
            return
        self._time = shown.frame.time
        self.plot.set_now(self._time)
        if made is not None and isinf(asked.until) and shown.disc_set is made.found.disc_set:
            self._stale = self._stale or shown.frame.clusters < len(made.tree.roots)
        self._describe_tree()

    def on_discs(self, lane: int, disc_set: DiscSet) -> None:
        """React to a new set of discs. If their number is unchanged, as after a restart, keep following the same disc
        number."""
        asked = self._requested
        if asked is None or asked.lane != lane:
            return
        if asked.disc >= disc_set.count:
            self._requested = None
            self._waiting = self._stale = False
            self._show(None)
        else:
            self._requested, self._stale = HistoryAsked(lane, asked.disc), True

    def set_lanes(self, lanes: int) -> None:
        """Set the number of simulations side by side."""
        if self._requested is not None and self._requested.lane >= lanes:
            self._requested = HistoryAsked(0, self._requested.disc)
            self._stale = True

    def _update_tree(self) -> None:
        """Rebuild the tree if it is out of date and the last update is not too recent."""
        took = 0.0 if self._history is None else self._history.took
        rested = perf_counter() - self._asked_at >= max(_LEAST_S, _REST * took)
        if self._stale and not self._waiting and rested:
            self._begin()

    def showEvent(self, event: QShowEvent | None) -> None:
        """Start following the run."""
        super().showEvent(event)
        self._timer.start()
        self._update_tree()

    def hideEvent(self, event: QHideEvent | None) -> None:
        """Stop computing."""
        super().hideEvent(event)
        self._timer.stop()

    # what the person does

    def _on_log(self, on: bool) -> None:
        self._log = on
        if self._history is not None:
            self.plot.show_branches(self._history.branches, on, anew=False)

    def _on_hovered(self, hit: MergeHit | None) -> None:
        self._hovered = hit
        self._describe_tree()

    def _on_chosen(self, hit: MergeHit) -> None:
        """Look back to a merge, or to a time of a branch, and select its discs."""
        made = self._history
        if made is None:
            return
        self._clicked, node = hit, made.node_of(hit)
        self.plot.mark(node)
        marking, discs = self._session.marking, made.found.disc_set.count
        if marking.value.count == discs:
            marking.select(Selection.discs(made.tree.discs_of(node), discs))
        # for a merge, the last moment at which both clusters exist
        self._session.look_at(nextafter(hit.time, -inf) if hit.merge >= 0 else hit.time)
        self._describe_tree()

    def copy_table(self) -> None:
        """Copy all merges to the clipboard."""
        made = self._history
        if made is None:
            return
        merges = made.branches.count - 1
        if merges > MOST_COPIED:
            most = f"at most {count(MOST_COPIED)} fit; save them instead"
            self._warn(f"{count(merges)} merges are too many for the clipboard, {most}")
        else:
            copy_text(table_text(made.branches.table()))

    def ask_save(self) -> None:
        """Ask for a file, and write it."""
        path = self._files.to_save("table", "merges.csv", "Save the history of merges", FILTER)
        if path is not None:
            self.write(path)

    def write(self, path: Path) -> None:
        """Write the merges or the visible part of the tree, and report the result."""
        if self._history is None:
            return
        branches, pane = self._history.branches, self.plot.page(PAPER)
        title = "History of merges saved"
        self._job.submit(
            lambda: write(path, branches, pane),
            lambda _none: tell_saved(title, path, self._notify, "table"),
            self._report_error,
            key=path,
        )

    def _report_error(self, error: Exception) -> None:
        if not isinstance(error, InputError):
            raise error
        self._warn(str(error))

    def _warn(self, words: str) -> None:
        self._notify(Notice("warning", words, about="table"))

    def _describe_tree(self) -> None:
        """Update the text above and below the tree."""
        made = self._history
        drawn = made is not None and self.plot.branches is not None
        hidden = made.branches.count - len(self.plot.shown_branches) if made is not None and drawn else 0
        self.words.set_whole_text("" if made is None else made.head(hidden))
        told = self._foot(made) if made is not None and drawn else ""
        self.description.set_whole_text(told)
        self.plot.setAccessibleDescription(told)

    def _foot(self, made: MergeHistoryShown) -> str:
        hit, clicked = self._hovered, self._clicked
        if hit is not None and (hit.merge < 0 or clicked is None or hit.merge != clicked.merge):
            return made.describe(hit)
        if clicked is None:
            return CLICK
        timeline = self._session.status().timeline
        return made.where(clicked, self._time, None if timeline is None else timeline.begin)

    def close(self) -> bool:
        """End the thread."""
        self._timer.stop()
        self._job.close()
        return super().close()


def _button(text: str, tip: str, run: Callable[[], object]) -> QPushButton:
    made = QPushButton(text)
    made.setToolTip(tip)
    made.clicked.connect(lambda _checked: run())
    return made


FILTER = "Table of merges (*.csv);;Newick tree (*.nwk);;SVG picture (*.svg);;PDF picture (*.pdf);;PNG picture (*.png)"
_SIZE = 504.0, 288.0  # points


def write(path: Path, branches: Branches, pane: PagePane) -> None:
    """Write all merges or the visible part of the tree, depending on the file ending. Any thread.

    Parameters
    ----------
    pane : the plot, drawn for paper in the colours `PAPER`.

    Raises
    ------
    InputError
        The ending is not supported, or the file cannot be written.
    """
    suffix = path.suffix.lower()
    if suffix not in _WRITERS:
        raise InputError(f"{path}: the file name must end in one of {', '.join(_WRITERS)}", str(path))
    _WRITERS[suffix](path, branches, pane)


def _write_table(path: Path, branches: Branches, _pane: PagePane) -> None:
    write_table(path, branches.table())


def _write_newick(path: Path, branches: Branches, _pane: PagePane) -> None:
    with new_file(path) as partial:
        partial.write_text(branches.tree.newick(branches.node) + "\n", encoding="utf-8")


def _write_picture(path: Path, _branches: Branches, pane: PagePane) -> None:
    with MATPLOTLIB, new_file(path) as partial:
        sheet = Sheet.whole(*_SIZE, unit=1.0)
        sheet.figure.set_facecolor(PAPER.window)
        draw_panes([pane], sheet, PAPER)
        write_page(sheet.figure, partial, path.suffix.lower()[1:], "History of merges")


_WRITERS: dict[str, Callable[[Path, Branches, PagePane], None]] = {
    ".csv": _write_table,
    ".nwk": _write_newick,
    ".svg": _write_picture,
    ".pdf": _write_picture,
    ".png": _write_picture,
}
"""Writers by file ending."""


_HEIGHT = 260  # pixels when it is shown for the first time


class MergeHistory(Part):
    """Docks the tree of merges, hidden at first, as a tab beside the table of discs."""

    def __init__(self, context: Context) -> None:
        self._window = window = context.window
        self._session = context.session
        self._selection = context[SelectionController]
        self.panel = MergePanel(context)
        self.dock = dock = Dock("History of merges", window)
        dock.setObjectName("mergesDock")
        dock.setWidget(self.panel)
        add_below(window, dock)
        refresher = context[Refresher]
        refresher.discs_shown.connect(self.panel.on_discs)
        refresher.frame_shown.connect(self.panel.on_frame)

    def commands(self) -> Iterator[Command]:
        """The command for the history of the clicked cluster."""
        yield Command(
            "view.merges",
            "History of merges…",
            self.open,
            tooltip="The tree of all merges that formed this cluster. Click a merge to look back to that moment",
            menu=Place("View/Discs", 3, 1),
            of_discs=True,
            reason=self._reason,
        )

    def open(self) -> None:
        """Show the history of the cluster of the last clicked disc, up to the time on the screen."""
        target = self._selection.target()
        if target is None or self._reason():
            return
        past = self._session.status().past
        self.panel.show_history(*target, inf if past is None else past)
        to_front(self.dock)
        leave_arrow_keys(self._window)
        give_height(self._window, self.dock, _HEIGHT)
        self.panel.plot.setFocus()

    def _reason(self) -> str:
        """Why there is no history now; "" if there is one."""
        target, lanes = self._selection.target(), self._session.status().lanes
        if target is None:
            return "No {disc} is selected; click one"
        lane = lanes[target[0]] if target[0] < len(lanes) else None
        if lane is None or lane.has_merges:
            return "" if lane is not None else "There are no {discs} yet"
        system = find(lane.system)
        if system is not None and system.joins:
            return "A recording contains only frames, not the merges between them"
        return "{Discs} do not stick in this system"

    def close(self) -> None:
        """End the thread of the tree."""
        self.panel.close()
