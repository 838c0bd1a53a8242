"""The core that all parts of the window use: picture, panels, messages, and the frame on the screen."""

from __future__ import annotations

from PyQt6.QtWidgets import QMainWindow

from aggviewer.parameters import ParametersPanel
from aggviewer.plots import PlotsPanel
from aggviewer.session import Session
from aggviewer.systems.base import RunningSystem
from aggviewer.systems.catalog import Catalog
from aggviewer.systems.registry import layouts, plots_of, view_of
from aggviewer.widgets.file_dialogs import FileChooser
from aggviewer.widgets.gui_thread import GuiThread
from aggviewer.widgets.part import Context
from aggviewer.window.bars.status_bar import WindowStatusBar
from aggviewer.window.canvases.canvases import Canvases
from aggviewer.window.refresher import Refresher
from aggviewer.window.settings import WindowSettings
from aggviewer.window.stage.stage import Stage
from aggviewer.window.stage.toasts import Messages
from engine.scenario import Scenario


def make_core(window: QMainWindow, session: Session, settings: WindowSettings, gui_thread: GuiThread) -> Context:
    """Create the context of a window, with the parts that all others need."""
    context = Context(window, session, gui_thread)
    context.theme.choose(session.view.theme)  # before any widgets exist, because each would have to be restyled
    context.add(settings)
    context.add(RunningSystem(view_of(Scenario().system)))  # until something is loaded: the system of an empty scenario
    canvases = context.add(Canvases(window, session.view, settings))
    stage = context.add(Stage(canvases, window))
    window.setCentralWidget(stage)
    status = context.add(WindowStatusBar())
    window.setStatusBar(status)
    parameters = context.add(ParametersPanel(session, layouts()))
    catalog = context.add(Catalog())
    plots = context.add(PlotsPanel(plots_of, catalog.title_of, model=session.document.plots, one_by_one=True))
    context.theme.changed.connect(plots.set_theme)
    plots.set_theme(context.theme.colors)
    refresher = context.add(Refresher(session, canvases, context.gui_thread, window))
    context.shown = refresher.shown
    context.analysed = refresher.analysed
    context.notify = context.add(Messages(stage.toasts, parameters)).show
    context.files = FileChooser(window, settings, stage.toasts.begin)
    context.focus_picture = lambda: (stage.cover or canvases.first).setFocus()
    return context
