"""Studies from the window: set up, watched, kept when the window closes, and offered again later."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import tomli_w
from PyQt6.QtWidgets import QMenu

from aggviewer.extensions.studies.dialog import StudyDialog
from aggviewer.extensions.studies.plan import (
    SEEDS,
    PlotStudy,
    can_be_studied,
    note_on_errors,
    study_of,
    tables_for_plot,
)
from aggviewer.extensions.studies.process import Kept, KeptStudy
from aggviewer.extensions.studies.view import StudyWindow
from aggviewer.plots import PlotsPanel
from aggviewer.plots.body import PlotExtra
from aggviewer.plots.card import PlotCard
from aggviewer.session import Notice
from aggviewer.session.notices import attempt, tell_saved
from aggviewer.systems.registry import Catalog
from aggviewer.widgets.command import Command, MenuEntry, Place, Submenu
from aggviewer.widgets.part import Context, Part
from engine.errors import InputError
from engine.files.writing import cannot_write
from engine.scenario import Scenario
from engine.study import Study
from engine.study.machine import require

_MOST_IN_MENU = 12
_OFFER_MS = 30_000  # milliseconds for which a study is offered over the picture; the menu lists it for longer


class Studies(Part):
    """The dialog, and a window for each open study.

    Attributes
    ----------
    kept_studies : all studies of the user.
    dialog, windows : those that are open.
    """

    def __init__(self, context: Context) -> None:
        self._parent, self._session, self._notify = context.window, context.session, context.notify
        self._title_of = context[Catalog].title_of
        self._ask_save = context.files.to_save
        plots = context[PlotsPanel]
        self._keep = plots.keep_study
        plots.extras.append(studies_of_plots(plots, self.ask_for_plot))
        self.kept_studies = Kept()
        self._theme = theme = context.theme
        self.dialog: StudyDialog | None = None
        self.windows: list[StudyWindow] = []
        theme.changed.connect(self._on_theme)

    def commands(self) -> Iterator[MenuEntry]:
        """The commands for a new study and for earlier ones."""
        yield Command(
            "study.new",
            "Study…",
            self.ask,
            ("Ctrl+Shift+D",),
            "Run this scenario over a range of parameters and seeds, with error bars",
            icon="mdi6.chart-scatter-plot",
            menu=Place("Run", 7, 1),
            reason=lambda: "" if self._session.scenario is not None else "No scenario yet",
        )
        yield Submenu("Studies", Place("Run", 7, 2), self.fill_menu)

    def ask(self) -> None:
        """Open the dialog, and start the study if the user confirms."""
        scenario = self._session.scenario
        if scenario is not None:
            self._open_dialog(scenario, self._title_of(scenario))

    def ask_for_plot(self, asked: PlotStudy) -> None:
        """Open the dialog with the study for a plot filled in: several seeds, each up to the state that is shown."""
        status = self._session.status()
        if status.plays_recording:
            self._notify(Notice("warning", "A recording cannot be run with other seeds", "Start from a scenario."))
            return
        of = f"{self._title_of(asked.scenario)}, {asked.title}"
        ended = status.state == "finished" and asked.time >= status.time
        self._open_dialog(asked.scenario, of, tables_for_plot(asked, of, ended=ended))

    def _open_dialog(self, scenario: Scenario, of: str, filled: Mapping[str, Any] | None = None) -> None:
        """Open the dialog for a study of a scenario; see `StudyDialog`."""
        if self.dialog is not None or not attempt(require, self._notify, "study"):
            return
        try:
            self.dialog = StudyDialog(scenario, of, self._save, self._parent, filled)
        except InputError as error:
            self._notify(Notice("error", str(error), about="study"))
            return
        self.dialog.finished.connect(self._on_dialog)
        self.dialog.open()

    def begin(self, tables: Mapping[str, Any]) -> None:
        """Start a study in its own window."""
        try:
            window = self.show(self.kept_studies.new(tables))
        except InputError as error:
            self._notify(Notice("error", str(error), about="study"))
            return
        window.process.start()

    def show(self, kept: KeptStudy) -> StudyWindow:
        """Show the window of a study in front. InputError if its file is damaged."""
        window = next((one for one in self.windows if one.kept_study == kept), None)
        if window is None:
            window = StudyWindow(kept, self._open_run, self._keep, self._theme.colors, self._parent)
            window.set_colors(self._theme.colors)
            self.windows.append(window)
        window.show()
        window.raise_()
        window.activateWindow()
        return window

    def offer_work(self) -> None:
        """Offer to continue the study that was unfinished when the program was closed."""
        for kept in self.kept_studies.all():
            study = _read(kept) if kept.unfinished else None
            if study is None:
                continue
            words = f"{study.title}. You can find it under Run, Studies."
            choices = (("Continue", partial(self._continue, kept)), ("Not now", lambda: None))
            self._notify(Notice("info", "A study is not finished yet", words), choices, _OFFER_MS)
            return

    def fill_menu(self, menu: QMenu) -> None:
        """Fill the menu with an entry for each study, the newest first."""
        menu.clear()
        for kept in self.kept_studies.all()[:_MOST_IN_MENU]:
            study = _read(kept)
            if study is None:
                continue
            entry = menu.addAction(f"{study.title}, {kept.moment}".replace("&", "&&"))
            assert entry is not None
            entry.triggered.connect(partial(self._show_kept, kept))
        if menu.isEmpty():
            nothing = menu.addAction("No studies yet")
            assert nothing is not None
            nothing.setEnabled(False)

    def close(self) -> None:
        """End all processes; recorded runs are kept."""
        if self.dialog is not None:
            self.dialog.reject()
        for window in self.windows:
            window.shut_down()
        self.windows.clear()

    def _on_dialog(self, agreed: int) -> None:
        dialog, self.dialog = self.dialog, None
        assert dialog is not None
        if agreed:
            self.begin(dialog.tables)

    def _continue(self, kept: KeptStudy) -> None:
        self._show_kept(kept)
        for window in self.windows:
            if window.kept_study == kept:
                window.process.start()

    def _show_kept(self, kept: KeptStudy, _checked: bool = False) -> None:
        attempt(lambda: self.show(kept), self._notify, "study")

    def _open_run(self, scenario: Scenario, title: str) -> None:
        self._session.load(scenario, run=True, title=title)
        self._parent.raise_()
        self._parent.activateWindow()

    def _save(self, tables: dict[str, Any]) -> None:
        """Write the study of the dialog as TOML."""
        path = self._ask_save("study", "study.toml", "Save the study", "Studies (*.toml)")
        if path is None:
            return

        def write() -> None:
            try:
                path.write_text(tomli_w.dumps(tables), encoding="utf-8")
            except OSError as error:
                raise cannot_write(path, error) from None

        if attempt(write, self._notify, "study"):
            tell_saved("Study saved", path, self._notify, "study")

    def _on_theme(self) -> None:
        for window in self.windows:
            window.set_colors(self._theme.colors)


def studies_of_plots(plots: PlotsPanel, ask: Callable[[PlotStudy], object]) -> PlotExtra:
    """The entry for a study of each run in the menus of plots, and the note that names it. ask : what it does."""

    def ask_for(card: PlotCard, run: int) -> None:
        analysis = plots.latest(run)
        if analysis is not None:
            ask(study_of(card.plot, analysis, card.fits.chosen, card.fits.range))

    def entries(card: PlotCard) -> Iterator[tuple[str, str, Callable[[], None]]]:
        tip = "Set up a study: this scenario with several seeds up to this state, for the mean and its standard error"
        for run, style in enumerate(card.runs if can_be_studied(card.plot) else ()):
            of = f": {style.name}" if len(card.runs) > 1 else ""
            yield f"Study with {SEEDS} seeds{of}…", tip, partial(ask_for, card, run)

    return PlotExtra(note_on_errors, entries)


def _read(kept: KeptStudy) -> Study | None:
    """The study of a folder, None if its file cannot be read."""
    try:
        return kept.read()
    except InputError:
        return None
