"""Presenter mode: picture, one or two plots, lesson text and transport, in type large enough for the last row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from PyQt6.QtCore import QEvent, QObject, Qt, QTimer
from PyQt6.QtGui import QFont, QFontInfo
from PyQt6.QtWidgets import QApplication, QDockWidget, QMenu, QToolBar

from aggviewer.document.registry import DocumentState
from aggviewer.extensions.lessons.lessons import Lessons
from aggviewer.extensions.lessons.presenting.layout import PresenterLayout
from aggviewer.extensions.lessons.presenting.tools import PRESENTER_BAR, PresenterTools
from aggviewer.plots import PlotsPanel
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.docks import keep_layout
from aggviewer.widgets.part import Context, Part
from aggviewer.window.canvases import Canvases
from aggviewer.window.refresher import Refresher
from aggviewer.window.settings import WindowSettings
from aggviewer.window.side_panels import SidePanels
from aggviewer.window.stage import Stage

_PIXELS = 30.0  # of the type in a window of `_USUAL`; the smallest text there, numbers at axes, has 0.86 times that
_USUAL = (1920, 1080)
_HARDLY = 0.01  # a font size that differs by this many points counts as new but looks the same
_LEAST_SCALE = 1.25  # times the window's own type, in a small window
_POPUPS = ("QMenu", "QTipLabel")  # windows of their own, which do not inherit the type: menus and tool tips
_MOST_PLOTS = 2
_PLOT = 4  # shown where none was chosen: clusters and energy


class Presenter(QObject, Part):
    """Switches the main window between its usual layout and presenter mode."""

    leaves = 20

    def __init__(self, context: Context) -> None:
        self._window = window = context.window
        super().__init__(window)
        self._document = context.document
        self._panels, self._plots, self._canvases = context[SidePanels], context[PlotsPanel], context[Canvases]
        self._lessons, self._theme, self._settings = context[Lessons], context.theme, context[WindowSettings]
        self._bring_back: Callable[[], None] | None = None  # the layout of the window from before presenting
        self._before = DocumentState()  # what the document gives back then
        self._step: int | None = None  # of the lesson, when presenting began
        self._room = 0, 0.0  # the width of the window then, and the size of its type
        self._fitting = QTimer(self)
        self._fitting.setSingleShot(True)
        self._fitting.timeout.connect(self._fit)
        self.tools = context[PresenterTools]
        self.layout = PresenterLayout(context)
        self._settings.changed.connect(self._on_setting)
        self._lessons.usual_layout = self.set_aside
        context[Stage].covered.connect(self._fit_soon)
        self._plots.plot_made.connect(self._fit_again)
        self._canvases.canvases_changed.connect(self._fit_new)
        window.installEventFilter(self)
        context[Refresher].discs_shown.connect(self._follow_discs)
        context.theme.changing.connect(self._usual_type)
        context.theme.changed.connect(lambda _colors: self._fit_again())

    def commands(self) -> Iterator[Command]:
        """Commands to enter and leave presenter mode, and for the lesson text."""
        yield Command(
            "view.presenter",
            "Presenter mode",
            self.toggle,
            ("P", "F5"),
            "Show the picture, one or two plots and the lesson in large type",
            "mdi6.presentation",
            checked=lambda: self.on,
            menu=Place("View", 5, 1),
            bar=Place("right", 1, 5),
            short="Present",
            simple=True,
        )
        yield Command(
            "presenter.text",
            "Text of the lesson",
            self.layout.toggle_text,
            ("D",),
            "Presenter mode: show or hide the text of the lesson",
            "mdi6.text-long",
            checked=lambda: self.layout.shows_text,
            bar=Place(PRESENTER_BAR, 2, 0),
            available=lambda: self.on and self._lessons.on,
        )

    @property
    def on(self) -> bool:
        """True while presenting."""
        return self._bring_back is not None

    def toggle(self) -> None:
        """Enter or leave presenter mode; leaving restores the layout."""
        if self.on:
            self._leave()
        else:
            self._enter()

    @contextmanager
    def set_aside(self) -> Iterator[None]:
        """Context that returns to the usual layout while panels are shown or hidden, then resumes presenting."""
        on = self.on
        if on:
            self._leave(keep_theme=True)  # changing it takes a while, and it would flash
        try:
            yield
        finally:
            if on:
                self._enter()

    def _on_setting(self, name: str) -> None:
        """Use the projector theme while presenting, or the window's theme."""
        if name == "projector_to_present" and self.on:
            self._choose_theme()

    def ways_back(self) -> Iterator[tuple[bool, Callable[[], object]]]:
        """Return to the usual layout."""
        yield self.on, self.toggle

    def give_back(self) -> None:
        """Return to the usual layout, so that it is saved."""
        if self.on:
            self.toggle()

    def close(self) -> None:
        """Stop laying out: the window is closing."""
        self._fitting.stop()
        self.layout.stop()

    def _follow_discs(self) -> None:
        """React to another system, with other plots and parameters."""
        if self.on:
            self._choose_plots()
            self._fit_new()
        self.tools.bar.follow()

    # inside

    @property
    def _step_now(self) -> int | None:
        return None if self._lessons.player is None else self._lessons.player.number

    @property
    def _room_now(self) -> tuple[int, float]:
        return self._window.width(), QApplication.font().pointSizeF()

    def _enter(self) -> None:
        window, docks = self._window, [self._panels.right, self._lessons.dock]
        bars = [bar for bar in (window.menuBar(), window.statusBar()) if bar is not None]
        direct = Qt.FindChildOption.FindDirectChildrenOnly  # to look through all widgets takes some milliseconds
        tool_bars = window.findChildren(QToolBar, options=direct)
        others = [dock for dock in window.findChildren(QDockWidget, options=direct) if dock not in docks]
        self._bring_back = keep_layout(window)
        self._before, self._step, self._room = self._document.layout, self._step_now, self._room_now
        self._panels.widths_fixed = True
        for widget in (*bars, *tool_bars, *others):
            widget.hide()
        self._plots.most = _MOST_PLOTS
        self._choose_plots()
        self._choose_theme()
        self.tools.begin()
        self.layout.begin()
        self._fit()

    def _leave(self, *, keep_theme: bool = False) -> None:
        bring_back, self._bring_back = self._bring_back, None
        assert bring_back is not None
        self.close()
        self.tools.end()
        self._use_type(None)  # first: messages get their type with their place
        self.layout.end()
        if not keep_theme:
            self._theme.use_instead(None)
        bring_back()
        self._plots.most = None  # plots come in the place that they keep, and are laid out for it alone
        values = dict(self._before.values)
        if self._step_now != self._step:  # another one may have chosen its plots
            del values["plots", "chosen"]
        with self._document.unrecorded():
            self._document.restore(replace(self._before, values=values))
        self._panels.widths_fixed = self._lessons.on
        if self._step_now != self._step:
            self._lessons.make_room()  # the panels are those of the step before
        if self._room_now != self._room:
            self._panels.lay_out()

    def _choose_plots(self) -> None:
        """Choose one or two plots: the user's choice, or the default."""
        if self._plots.choice == () and self._plots.cards:
            self._plots.show_only(min(_PLOT, len(self._plots.cards)))

    def _choose_theme(self) -> None:
        self._theme.use_instead("projector" if self._settings.projector_to_present else None)

    def _usual_type(self) -> None:
        """Use the usual font while the style sheet changes; otherwise a font weight in the sheet would fix the present
        size in each label."""
        if self.on:
            self._use_type(None)

    def _use_type(self, font: QFont | None) -> None:
        """Set the type of the window and its menus; None for that of the application. The parameters, which are hidden,
        keep their font and with it their scroll position."""
        usual = QApplication.font()
        for kind in _POPUPS:
            QApplication.setFont(font or usual, kind)
        for menu in self._window.findChildren(QMenu):  # Qt tells only those that have been open before
            menu.setFont(font or QFont())
        if font is not None:
            self._panels.left.setFont(usual)
        self._window.setFont(font or QFont())
        if font is None:
            self._panels.left.setFont(QFont())

    def _fit(self, *, again: bool = False) -> None:
        """Set font size and panel sizes for the window.

        again : also set the font of widgets created since. With a style sheet, Qt does not pass a parent's font to new
        widgets, and never a window's own font.
        """
        if not self.on:
            return
        window = self._window
        share = min(window.width() / _USUAL[0], window.height() / _USUAL[1])
        font = QApplication.font()
        pixels = max(_LEAST_SCALE * QFontInfo(font).pixelSize(), _PIXELS * share)
        font.setPointSizeF(round(pixels * 72.0 / window.logicalDpiY(), 2))
        if again and font == window.font():
            font.setPointSizeF(font.pointSizeF() + _HARDLY)
        # sizes this close are the same and need not be set again
        if again or abs(font.pointSizeF() - window.font().pointSizeF()) > 1.5 * _HARDLY:
            self._use_type(font)
        self.tools.fit()
        self.layout.place()
        self.layout.place_soon()  # again after the larger font has been laid out

    def _fit_new(self) -> None:
        """Set the font of pictures and plots added since."""
        size = self._window.font().pointSizeF()
        seen = (*self._canvases.headers, *(card for card in self._plots.cards if card.seen))
        self._fit(again=any(widget.font().pointSizeF() != size for widget in seen))

    def _fit_again(self) -> None:
        self._fit(again=True)

    def _fit_soon(self) -> None:
        if self.on:
            self._fitting.start(0)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Follow the size of the window."""
        if event is not None and event.type() == QEvent.Type.Resize and watched is self._window:
            self._fit_soon()
        return False
