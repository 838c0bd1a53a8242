"""Plots that are taken away: a figure of pictures and plots for print, or each plot by itself, and their data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from time import sleep

from PyQt6.QtWidgets import QWidget

from aggviewer.document.view import ViewModel
from aggviewer.export.figure import Figure, Page, Panel, PicturePanel, letter_of
from aggviewer.export.tables import table_text, write_table
from aggviewer.plots import PlotsPanel
from aggviewer.plots.card import PlotCard
from aggviewer.plots.paper import PlotPanel
from aggviewer.session import Notice
from aggviewer.session.notices import Notify, attempt, tell_saved
from aggviewer.style.theme import WindowTheme
from aggviewer.turns import in_turns, wait_in_turns
from aggviewer.widgets.clipboard import copy_image, copy_text
from aggviewer.widgets.command import Command, Place
from aggviewer.window.canvases.canvases import Canvases
from aggviewer.window.dialogs.figure import COPIED, FORMATS, FigureChoices, FigureDialog
from aggviewer.window.dialogs.panel_list import Offered
from aggviewer.window.files.file_dialogs import FileChooser, pictures_folder
from engine.errors import InputError

_PATIENCE = 3.0  # seconds that the composer waits for indicators of folded plots; others come while it is open
_PLOTS_AT_FIRST = 5  # with the picture three rows of two, which a page of a journal has room for
_FILTER = "Vectors (*.svg);;PDF (*.pdf);;Picture (*.png)"
_ALONE = Page(width=130.0, font=9.0, letters="none", ratio=0.7)
"""A plot by itself is as large in every window."""


class PlotFiles:
    """Saves figures, and the plots that are shown."""

    def __init__(
        self,
        window: QWidget,
        plots: PlotsPanel,
        canvases: Canvases,
        theme: WindowTheme,
        chooser: FileChooser,
        notify: Notify,
    ) -> None:
        self._window = window
        self._plots = plots
        self._canvases = canvases
        self._theme = theme
        self._chooser = chooser
        self._notify = notify
        self._last: FigureChoices | None = None
        plots.save_asked.connect(lambda card: self._save([card]))
        plots.copy_asked.connect(self.copy)

    def commands(self) -> Iterator[Command]:
        """Save the plots, and compose a figure."""
        yield Command(
            "file.plots",
            "Save plots…",
            self.ask_save,
            ("Ctrl+P",),
            "The plots that are shown, as SVG, PDF or PNG, with their data as CSV",
            menu=Place("File", 2, 6),
            words="export charts graphs",
        )
        yield Command(
            "file.figure",
            "Figure…",
            self.ask_figure,
            ("Ctrl+Shift+F",),
            "Compose a figure for print: the picture and plots with letters, as wide as a journal wants it",
            menu=Place("File", 2, 7),
            words="export chart",
        )

    # a figure

    def ask_figure(self) -> None:
        """Compose a figure, then save it or copy it."""
        with self._plots.all_measured():  # what folded plots need is measured beside the window
            self._bring_plots()
            self._ask_figure()

    def _bring_plots(self) -> None:
        """Make the plots that were folded, a plot a turn, and wait a little for what they draw."""
        in_turns(map(PlotCard.make, self._plots.cards))

        def measured(seconds: float) -> bool:
            sleep(seconds)
            return not any(card.waits for card in self._plots.cards)

        wait_in_turns(measured, _PATIENCE)
        in_turns(map(PlotCard.draw_known, self._plots.cards))

    def _ask_figure(self) -> None:
        panels = self._panels()
        if not panels:
            self._notify(Notice("warning", "There is nothing to make a figure of yet", "Wait for the discs to appear."))
            return
        shown = [card for card in self._cards() if card.number in self._plots.seen and card.head.fold.isChecked()]
        ticked = {card.title for card in shown[:_PLOTS_AT_FIRST]}
        offered = [Offered(name, not isinstance(one, PlotPanel) or name in ticked) for name, one in panels.items()]
        dialog = FigureDialog(offered, self.figure, self._last, self._window)
        result = dialog.exec()
        if not result:
            return
        self._last = choices = dialog.choices
        if result == COPIED:
            if attempt(partial(self._copy, choices), self._notify, "figure"):
                self._notify(Notice("info", "The figure is in the clipboard", about="figure"))
            return
        path = self._chooser.to_save(
            "figure",
            f"figure{choices.suffix}",
            "Save the figure",
            f"{FORMATS[choices.suffix]} (*{choices.suffix})",
            pictures_folder(),
        )
        if path is not None and attempt(partial(self.write_figure, path, choices), self._notify, "figure"):
            tell_saved("Figure saved", path, self._notify, "figure")

    def figure(self, choices: FigureChoices) -> Figure:
        """The figure as it would be now. InputError where that cannot be."""
        return Figure(list(self._chosen(choices).values()), choices.page)

    def write_figure(self, path: Path, choices: FigureChoices) -> None:
        """Write a figure, and the data of its plots beside it where they are wanted: ``figure-b.csv`` for panel b."""
        self._measure_all()
        chosen = self._chosen(choices)
        Figure(list(chosen.values()), choices.page).write(path)
        for number, panel in enumerate(chosen.values()):
            if choices.tables and isinstance(panel, PlotPanel):
                write_table(path.with_name(f"{path.stem}-{letter_of(number)}.csv"), panel.card.table())

    def _copy(self, choices: FigureChoices) -> None:
        self._measure_all()
        copy_image(self.figure(choices).image(300.0))

    def _chosen(self, choices: FigureChoices) -> Mapping[str, Panel]:
        panels = self._panels(choices)
        if choices.names is None:
            return panels
        return {name: panels[name] for name in choices.names if name in panels}

    def _panels(self, choices: FigureChoices | None = None) -> dict[str, Panel]:
        """What there is now, by name: the picture or two of them, and the plots that show data."""
        choices = choices or FigureChoices()
        panels: dict[str, Panel] = {}
        canvases = self._canvases.canvases if self._canvases.ready else []
        for canvas, run in zip(canvases, self._plots.runs, strict=False):
            name = "Picture" if len(canvases) == 1 else f"Picture, {run.name}"
            view = choices.over.on(canvas.view)
            if choices.white:
                view = ViewModel(**(view.model_dump() | {"background": "white"}))
            panels[name] = PicturePanel(canvas.scene, canvas.camera, view)
        return panels | {card.title: PlotPanel(card, choices.numbers) for card in self._cards()}

    def _measure_all(self) -> None:
        """Nothing waits any more, whatever it takes: a figure that is taken away has to be complete."""
        for card in self._plots.cards:
            card.draw_all()

    def _cards(self) -> list[PlotCard]:
        """The plots that have something to show, or will have when it has been measured."""
        for card in self._plots.cards:
            card.draw_known()
        return [card for card in self._plots.cards if card.shows_data or card.waits]

    # each plot by itself

    def ask_save(self) -> None:
        """Save the plots that are shown, each with its data as CSV beside it."""
        if not self._plots.isVisible():  # and then they are not drawn
            self._notify(Notice("warning", "The plots are hidden", "Show them with View → Plots, then save them."))
            return
        cards = [card for card in self._plots.cards if not card.isHidden() and card.shows_data]
        if not cards:
            self._notify(Notice("warning", "No plot shows data yet"))
            return
        self._save(cards)

    def copy(self, card: PlotCard) -> None:
        """What a plot draws, as CSV in the clipboard."""
        columns = card.table()
        copy_text(table_text(columns))
        rows = max((len(values) for values in columns.values()), default=0)
        what = f"{len(columns)} columns, {rows} rows, as CSV with names and units"
        self._notify(Notice("info", f"Data of {card.title} copied", what))

    def _save(self, cards: Sequence[PlotCard]) -> None:
        """Each of them, with its data as CSV beside it."""
        path = self._chooser.to_save("plots", "plot.svg", "Save the plots", _FILTER, pictures_folder())
        if path is None:
            return
        for card in cards:
            one = path if len(cards) == 1 else path.with_stem(f"{path.stem}-{card.number}")
            if not attempt(partial(self._write, one, card), self._notify, "plots"):
                return
        tell_saved(f"{len(cards)} plots saved" if len(cards) > 1 else "Plot saved", path, self._notify, "plots")

    def _write(self, path: Path, card: PlotCard) -> None:
        if path.suffix.lower() not in FORMATS:
            raise InputError(f"{path}: a plot must end in .png, .svg or .pdf", str(path))
        card.draw_all()
        Figure([PlotPanel(card)], _ALONE).write(path)
        write_table(path.with_suffix(".csv"), card.table())
