"""Plots that are taken away: pictures of them, with their data, and data in the clipboard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from PyQt6.QtGui import QGuiApplication

from aggviewer.export.plots import table_text, write_plot, write_table
from aggviewer.plots import PlotsPanel
from aggviewer.plots.plot import Plot
from aggviewer.session import Notice
from aggviewer.session.notices import Notify, attempt, tell_saved
from aggviewer.style.theme import LIGHT, WindowTheme
from aggviewer.widgets.command import Command, Place
from aggviewer.window.files.file_dialogs import FileChooser, pictures_folder

_FILTER = "Vectors (*.svg);;PDF (*.pdf);;Picture (*.png)"


class PlotFiles:
    """Saves the plots that are shown."""

    def __init__(self, plots: PlotsPanel, theme: WindowTheme, chooser: FileChooser, notify: Notify) -> None:
        self._plots = plots
        self._theme = theme
        self._chooser = chooser
        self._notify = notify
        plots.save_asked.connect(lambda card: self._save([card]))
        plots.copy_asked.connect(self.copy)

    def commands(self) -> Iterator[Command]:
        """Save the plots."""
        yield Command(
            "file.plots",
            "Save plots…",
            self.ask_save,
            ("Ctrl+P",),
            "The plots that are shown, as SVG, PDF or PNG, with their data as CSV",
            menu=Place("File", 2, 6),
        )

    def ask_save(self) -> None:
        """Save the plots that are shown, each with its data as CSV beside it."""
        if not self._plots.isVisible():  # and then they are not drawn
            self._notify(Notice("warning", "The plots are hidden", "Show them with View → Plots, then save them."))
            return
        cards = [card for card in self._plots.cards if not card.isHidden() and not card.view.empty_text]
        if not cards:
            self._notify(Notice("warning", "No plot shows data yet"))
            return
        self._save(cards)

    def copy(self, card: Plot) -> None:
        """What a plot draws, as CSV in the clipboard."""
        clipboard = QGuiApplication.clipboard()
        assert clipboard is not None
        columns = card.table()
        clipboard.setText(table_text(columns))
        rows = max((len(values) for values in columns.values()), default=0)
        what = f"{len(columns)} columns, {rows} rows, as CSV with names and units"
        self._notify(Notice("info", f"Data of {card.title} copied", what))

    def _save(self, cards: Sequence[Plot]) -> None:
        """Each of them, with its data as CSV beside it."""
        path = self._chooser.to_save("plots", "plot.svg", "Save the plots", _FILTER, pictures_folder())
        if path is None:
            return
        for card in cards:
            one = path if len(cards) == 1 else path.with_stem(f"{path.stem}-{card.number}")
            columns = card.table()
            card.set_theme(LIGHT)  # for paper
            card.say_all(True)
            try:
                done = attempt(partial(write_plot, one, card.view), self._notify)
            finally:
                card.say_all(False)
                card.set_theme(self._theme.colors)
            if not (done and attempt(partial(write_table, one.with_suffix(".csv"), columns), self._notify)):
                return
        tell_saved(f"{len(cards)} plots saved" if len(cards) > 1 else "Plot saved", path, self._notify)
