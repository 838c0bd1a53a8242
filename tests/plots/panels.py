"""The panel with the plots of a system."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pytestqt.qtbot import QtBot

from aggviewer.document.registry import dump_part, read_part
from aggviewer.document.window import PlotsModel
from aggviewer.plots import PlotsPanel
from aggviewer.plots.card import PlotCard
from aggviewer.plots.plot import Plot
from aggviewer.plots.series_items import SeriesStyle
from aggviewer.systems.registry import plots_of
from tests.waiting import laid_out


def plots_panel(system: str = "aggregation") -> PlotsPanel:
    """A panel with the plots of a system."""
    made = PlotsPanel(plots_of)
    made.set_system(system)
    return made


def folded_panel(system: str = "aggregation") -> PlotsPanel:
    """A panel with the plots of a system, all folded and not yet made."""
    panel = PlotsPanel(plots_of, one_by_one=True)
    panel.set_system(system)
    for card in panel.cards:
        card.head.fold.setChecked(False)
    return panel


def shown_panel(qtbot: QtBot, system: str = "aggregation", *, height: int = 760) -> PlotsPanel:
    """A panel on the screen with the plots of a system, all folded and not yet made: `open_plot` unfolds one, and
    `unfold_all` all of them."""
    panel = folded_panel(system)
    qtbot.addWidget(panel)
    panel.resize(340, height)
    panel.show()
    panel.begin()
    return panel


def unfold_all(panel: PlotsPanel) -> PlotsPanel:
    """The panel, with every plot of the present system unfolded, drawn and in its place."""
    for card in panel.cards:
        card.head.fold.setChecked(True)
    laid_out(panel)
    panel.grab()  # paints, which settles ranges and the widths of axes
    return panel


def kept_of(panel: PlotsPanel) -> dict[str, Any]:
    """What the settings keep of the choices in a panel, as JSON."""
    return dict(json.loads(json.dumps(dump_part(PlotsModel, dict(panel.model), "settings"))))


def give(panel: PlotsPanel, kept: Any) -> None:
    """Have a panel go on with what `kept_of` has given; what cannot be used is left out."""
    for name, value in read_part(PlotsModel, kept, "settings", lambda error: None).items():
        setattr(panel.model, name, value)


def panel_of_heads(qtbot: QtBot, system: str) -> PlotsPanel:
    """A panel on the screen as in the window: of the plots of a system only the heads are made, the rest one by one."""
    panel = PlotsPanel(plots_of, one_by_one=True)
    qtbot.addWidget(panel)
    panel.resize(340, 900)
    panel.show()
    panel.set_system(system)
    return panel


def plot_of(panel: PlotsPanel, plot: type[Plot]) -> PlotCard:
    """A plot in a panel, also one of a system that does not run now."""
    (found,) = [one for one in panel.findChildren(PlotCard) if type(one.plot) is plot]
    return found


def open_plot(panel: PlotsPanel, plot: type[Plot]) -> PlotCard:
    """A plot in a panel, unfolded, drawn from now on, and in its place."""
    card = plot_of(panel, plot)
    if not card.head.fold.isChecked():
        card.head.fold.setChecked(True)
        laid_out(panel)
        card.grab()  # paints, which settles ranges and the widths of axes
    return card


def data_of(card: PlotCard, key: str, run: int = 0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """x and y that a series of a plot shows, as quantities; empty where it shows none."""
    drawing = card.drawings[run]
    series = None if drawing is None else drawing.find(key)
    return (np.empty(0), np.empty(0)) if series is None else (series.x, series.y)


def style_of(card: PlotCard, key: str, run: int = 0) -> SeriesStyle:
    """How a series of a run is drawn; that of one that belongs to no run, such as a law of the literature."""
    shown = {name: one for view in card.views for name, one in view.drawn.items()}
    return shown[key if key in shown else (run, key)].style


def told(card: PlotCard, key: str, index: int, run: int = 0) -> str:
    """What the mouse reads at a point."""
    return card.views[card.plot.pane_of(key)].describe((run, key), index)
