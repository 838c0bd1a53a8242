"""Presenter mode: the picture, one plot or two, the caption of a lesson, a transport, all in type for the last row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from PyQt6.QtCore import QEvent, QObject, Qt, QTimer
from PyQt6.QtGui import QFont, QFontInfo
from PyQt6.QtWidgets import QDockWidget, QToolBar, QWidget

from aggviewer.document.state import DocumentState
from aggviewer.plots import PlotsPanel
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.docks import keep_layout
from aggviewer.widgets.part import Context, Part
from aggviewer.window.canvases.canvases import Canvases
from aggviewer.window.lesson.lessons import Lessons
from aggviewer.window.panels.side_panels import SidePanels
from aggviewer.window.presenting.tools import PresenterTools
from aggviewer.window.refresher import Refresher
from aggviewer.window.settings import WindowSettings
from aggviewer.window.stage.stage import Stage

_PIXELS = 30.0  # of the type in a window of `_USUAL`; the smallest text there, numbers at axes, has 0.86 times that
_USUAL = (1920, 1080)
_HARDLY = 0.01  # points by which type is another one, and looks the same
_LEAST_SCALE = 1.25  # times the window's own type, in a small window
_PLOTS_SHARE = 0.33  # of the window's width
_CAPTION_SHARE, _MOST_CAPTION = 0.34, 0.46  # of the window's height; more where its text needs it
_LEAST_PICTURE = 400  # pixels of the picture's height that a caption leaves; a longer text scrolls
_TALL = 1000  # window height in pixels; below it a caption above the picture would leave it less than 400
_TEXT_BESIDE, _PLOTS_BESIDE = 0.3, 0.27  # shares of the window's width, if the text is beside the picture
_MOST_PLOTS = 2
_PLOT = 4  # shown where none was chosen: clusters and energy


class Presenter(QObject, Part):
    """Switches a main window between its usual layout and the presenter's."""

    def __init__(self, context: Context) -> None:
        self._window = window = context.window
        super().__init__(window)
        self._document = context.document
        self._panels, self._plots, self._canvases = context[SidePanels], context[PlotsPanel], context[Canvases]
        self._lessons, self._theme, self._settings = context[Lessons], context.theme, context[WindowSettings]
        plots, canvases, lessons, stage = self._plots, self._canvases, self._lessons, context[Stage]
        self._bring_back: Callable[[], None] | None = None  # the layout of the window from before presenting
        self._layout = DocumentState()  # what the document gives back then
        self._step: int | None = None  # of the lesson, when presenting began
        self._width = 0  # of the window then
        self._font, self._usual = QFont(window.font()), QFontInfo(window.font()).pixelSize()
        self._fitting = QTimer(self)
        self._fitting.setSingleShot(True)
        self._fitting.timeout.connect(self._fit)
        self.tools = context[PresenterTools]
        self._sharing = QTimer(self)
        self._sharing.setSingleShot(True)
        self._sharing.timeout.connect(self._share_out)
        lessons.panel.laid_out.connect(self._share_soon)
        plots.choice_changed.connect(self._share_soon)
        lessons.usual_layout = self.set_aside
        stage.covered.connect(self._fit_soon)
        self._stage = stage
        stage.picture.installEventFilter(self)  # it is lower while a step is looked into, whose bar is high
        plots.plot_made.connect(self._fit_again)
        canvases.canvases_changed.connect(self._fit_new)
        window.installEventFilter(self)
        context[Refresher].system_shown.connect(self._follow_system)

    def commands(self) -> Iterator[Command]:
        """In and out, and in which colours."""
        yield Command(
            "view.presenter",
            "Presenter mode",
            self.toggle,
            ("P",),
            "The picture, one plot or two, a lesson's text and the transport in large type, nothing else",
            "mdi6.presentation",
            checked=lambda: self.on,
            menu=Place("View", 5, 1),
            bar=Place("right", 1, 5),
        )
        yield Command(
            "view.presenter_theme",
            "Projector theme in presenter mode",
            self.toggle_theme,
            tooltip="Presenter mode has colours of high contrast, whatever theme is chosen",
            checked=lambda: not self._settings.own_theme_to_present,
            menu=Place("View/Theme", 2, 1),
        )

    @property
    def on(self) -> bool:
        """True while presenting."""
        return self._bring_back is not None

    def toggle(self) -> None:
        """In or out; on the way out everything is as it was."""
        if self.on:
            self._leave()
        else:
            self._enter()

    @contextmanager
    def set_aside(self) -> Iterator[None]:
        """The usual layout, as long as panels come and go in it; presenting goes on afterwards."""
        on = self.on
        if on:
            self._leave(keep_theme=True)  # to change it takes a while, and it would flash
        try:
            yield
        finally:
            if on:
                self._enter()

    def toggle_theme(self) -> None:
        """The projector's colours while presenting, or those of the window."""
        self._settings.own_theme_to_present = not self._settings.own_theme_to_present
        if self.on:
            self._choose_theme()

    def ways_back(self) -> Iterator[tuple[bool, Callable[[], object]]]:
        """The usual layout again."""
        yield self.on, self.toggle

    def give_back(self) -> None:
        """The usual layout again, so that the window is kept in it."""
        if self.on:
            self.toggle()

    def close(self) -> None:
        """Lay out nothing any more: the window goes."""
        self._fitting.stop()
        self._sharing.stop()

    def _follow_system(self) -> None:
        """Discs of another system have other plots and parameters."""
        if self.on:
            self._choose_plots()
            self._fit_new()
        self.tools.teacher.follow()

    # inside

    @property
    def _step_now(self) -> int | None:
        return None if self._lessons.player is None else self._lessons.player.number

    def _enter(self) -> None:
        window, docks = self._window, [self._panels.left, self._panels.right, self._lessons.dock]
        bars = [bar for bar in (window.menuBar(), window.statusBar()) if bar is not None]
        direct = Qt.FindChildOption.FindDirectChildrenOnly  # to look through all widgets takes some milliseconds
        tool_bars = window.findChildren(QToolBar, options=direct)
        others = [dock for dock in window.findChildren(QDockWidget, options=direct) if dock not in docks]
        self._bring_back = keep_layout(window)
        self._layout, self._step, self._width = self._document.layout, self._step_now, window.width()
        self._panels.held = True
        for widget in (*bars, *tool_bars, *others, self._panels.left):
            widget.hide()
        self._panels.left.setFont(self._font)  # what is not seen keeps its type, and where it was scrolled to
        self._place(self._panels.right, Qt.DockWidgetArea.RightDockWidgetArea)
        if self._lessons.on:
            self._place(self._lessons.dock, self._text_area)
            self._lessons.panel.present(True, wide=self._above)
        self._plots.most = _MOST_PLOTS
        self._choose_plots()
        self._choose_theme()
        self._canvases.tell_time(True)
        self.tools.begin()
        self._fit()

    def _place(self, dock: QDockWidget, area: Qt.DockWidgetArea) -> None:
        if dock.isFloating():
            dock.setFloating(False)
        self._window.addDockWidget(area, dock)
        dock.setTitleBarWidget(QWidget())
        dock.show()

    @property
    def _above(self) -> bool:
        """Whether the text of a lesson is above the picture; else it is beside it."""
        return self._window.height() >= _TALL

    @property
    def _text_area(self) -> Qt.DockWidgetArea:
        return Qt.DockWidgetArea.TopDockWidgetArea if self._above else Qt.DockWidgetArea.LeftDockWidgetArea

    def _leave(self, *, keep_theme: bool = False) -> None:
        bring_back, self._bring_back = self._bring_back, None
        assert bring_back is not None
        self.close()
        self.tools.end()
        self._canvases.tell_time(False)
        self._lessons.panel.present(False)
        self._window.setFont(self._font)
        self._panels.left.setFont(QFont())
        if not keep_theme:  # after the type: a weight in a style sheet makes the present size one of the label's own
            self._theme.use_instead(None)
        bring_back()
        self._plots.most = None  # plots come in the place that they keep, and are laid out for it alone
        values = dict(self._layout.values)
        if self._step_now != self._step:  # another one may have chosen its plots
            del values["plots", "chosen"]
        with self._document.unrecorded():
            self._document.restore(replace(self._layout, values=values))
        self._panels.held = self._lessons.on
        if self._window.width() != self._width:
            self._panels.lay_out()

    def _choose_plots(self) -> None:
        """One plot or two: those that were chosen, or the usual one."""
        if self._plots.choice == () and self._plots.cards:
            self._plots.show_only(min(_PLOT, len(self._plots.cards)))

    def _choose_theme(self) -> None:
        self._theme.use_instead(None if self._settings.own_theme_to_present else "projector")

    def _fit(self, *, again: bool = False) -> None:
        """Type and panels as large as the window asks for.

        again : give the type also to what has been made since. Qt gives a new widget the type of what it stands in only
            where no style sheet is; and no window the type that it has.
        """
        if not self.on:
            return
        window = self._window
        if self._lessons.on and window.dockWidgetArea(self._lessons.dock) != self._text_area:
            window.addDockWidget(self._text_area, self._lessons.dock)
            self._lessons.panel.present(True, wide=self._above)
        share = min(window.width() / _USUAL[0], window.height() / _USUAL[1])
        pixels = max(_LEAST_SCALE * self._usual, _PIXELS * share)
        font = QFont(self._font)
        font.setPointSizeF(round(pixels * 72.0 / window.logicalDpiY(), 2))
        if again and font == window.font():
            font.setPointSizeF(font.pointSizeF() + _HARDLY)
        # type that differs by no more than that is the same: it need not be given again
        if again or abs(font.pointSizeF() - window.font().pointSizeF()) > 1.5 * _HARDLY:
            window.setFont(font)
        self._share_out()
        QTimer.singleShot(0, self._share_out)  # once more when larger type has been laid out

    def _fit_new(self) -> None:
        """Give the type to pictures and plots that have come since, if there are any."""
        size = self._window.font().pointSizeF()
        seen = (*self._canvases.headers, *(card for card in self._plots.cards if card.seen))
        self._fit(again=any(widget.font().pointSizeF() != size for widget in seen))

    def _fit_again(self) -> None:
        self._fit(again=True)

    def _fit_soon(self) -> None:
        if self.on:
            self._fitting.start(0)

    def _share_soon(self) -> None:
        if self.on:
            self._sharing.start(0)

    def _share_out(self) -> None:
        """The widths and heights of the panels; where no plot is to be seen the picture has their place."""
        if not self.on:  # asked for a moment ago, and left since
            return
        self._panels.right.setVisible(self._plots.choice is not None)
        window = self._window
        across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        docks, shares = [self._panels.right], [_PLOTS_SHARE]
        if self._lessons.on and not self._above:
            docks, shares = [self._lessons.dock, self._panels.right], [_TEXT_BESIDE, _PLOTS_BESIDE]
        window.resizeDocks(docks, [round(share * window.width()) for share in shares], across)
        if self._lessons.on and self._above:
            high, most = (round(share * window.height()) for share in (_CAPTION_SHARE, _MOST_CAPTION))
            most = min(most, self._lessons.dock.height() + self._picture_height - _LEAST_PICTURE)
            wanted = min(max(high, self._lessons.panel.wanted_height), most)
            if wanted != self._lessons.dock.height():
                window.resizeDocks([self._lessons.dock], [wanted], down)
        self.tools.fit()

    @property
    def _picture_height(self) -> int:
        """Pixels of the picture itself, or of what stands in its place."""
        return (self._stage.cover or self._canvases.first).height()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Follow the size of the window, and of the picture."""
        if event is not None and event.type() == QEvent.Type.Resize:
            if watched is self._window:
                self._fit_soon()
            elif watched is self._stage.picture:
                self._share_soon()
        return False
