"""The layout of presenter mode: the picture has the full height, text and plots are beside it, and the controls lie
over its foot, hidden when not in use."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QObject, QPointF, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QKeyEvent, QMouseEvent
from PyQt6.QtWidgets import QWIDGETSIZE_MAX, QApplication, QBoxLayout, QFrame, QMainWindow, QVBoxLayout, QWidget

from aggviewer.extensions.lessons.lessons import Lessons
from aggviewer.plots import PlotsPanel
from aggviewer.widgets.part import Context
from aggviewer.window.canvases import Canvases
from aggviewer.window.side_panels import SidePanels
from aggviewer.window.stage import Stage

_PLOTS_SHARE = 0.33  # of the window's width for plots without a text
_MOST_PICTURE = 0.6  # of the width for the picture beside a text; it is at most as wide as it is high
_TEXT_BESIDE = 0.3  # of the width for a text beside two pictures, or beside what a lesson shows in their place
_LEAST_PLOT = 0.3  # of the height left to a plot below a long text, which then scrolls


class PresenterLayout(QObject):
    """Moves text and plots temporarily from their panels into a column beside the picture. Messages are there too:
    nothing covers the discs.

    Attributes
    ----------
    column : holds text, plots and messages.
    controls : transport and tools, over the foot of the picture.
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context.window)
        self._stage, self._canvases = context[Stage], context[Canvases]
        self._lessons, self._plots, self._panels = context[Lessons], context[PlotsPanel], context[SidePanels]
        stage = self._stage
        self.column = QFrame(stage)
        self.column.setObjectName("presenterColumn")
        self.column.hide()
        self._boxes = QBoxLayout(QBoxLayout.Direction.TopToBottom, self.column)
        self._boxes.setContentsMargins(0, 0, 0, 0)
        self._boxes.setSpacing(0)
        self._messages = QWidget()
        self._message_rows = QVBoxLayout(self._messages)
        self._message_rows.setContentsMargins(0, 0, 0, 0)
        self.controls = HidingControls(context.window, stage)
        self.on = self._without_plots = self._without_text = False
        self._placing = QTimer(self)
        self._placing.setSingleShot(True)
        self._placing.timeout.connect(self.place)
        self.controls.changed.connect(self.place)
        self._lessons.panel.laid_out.connect(self.place_soon)
        self._plots.choice_changed.connect(self._on_choice)
        self._panels.elsewhere_asked.connect(self._toggle_plots)
        self._canvases.canvases_changed.connect(self.place_soon)
        stage.covered.connect(self.place_soon)
        stage.laid_over.connect(self.place_soon)
        stage.installEventFilter(self)

    def begin(self) -> None:
        """Move text and plots into the column."""
        self.on = True
        self._without_plots = self._without_text = False
        if self._lessons.on:
            self._lessons.panel.present(True)
            self._boxes.addWidget(self._lessons.panel)
        self._boxes.addWidget(self._plots, 1)
        self._boxes.addWidget(self._messages)
        if self._lessons.on:
            self._boxes.addWidget(self._lessons.panel.foot)
        for dock in (self._panels.right, self._lessons.dock):
            dock.hide()
        self.controls.begin()
        self.place()

    def end(self) -> None:
        """Return text and plots to their panels."""
        self.on = False
        self.stop()
        self.controls.end()
        self._stage.toasts.set_column(None)
        self._stage.lay_bars_over(None)
        self._stage.setContentsMargins(0, 0, 0, 0)
        panel = self._lessons.panel
        self._free_height()
        panel.present(False)
        panel.show()
        panel.foot.show()
        self._plots.show()
        if self._lessons.on:
            self._lessons.dock.setWidget(panel)
        self._panels.right.setWidget(self._plots)
        self.column.hide()

    def stop(self) -> None:
        """Cancel a pending layout."""
        self._placing.stop()
        self.controls.resting.stop()

    def place_soon(self) -> None:
        """Lay out everything after the current events."""
        if self.on:
            self._placing.start(0)

    def place(self) -> None:
        """Place picture, column and controls."""
        if not self.on:
            return
        stage, text = self._stage, self.shows_text
        covered = stage.cover is not None
        player = self._lessons.player
        ended = player is not None and player.ended  # the page at the end needs the height
        plots = self._plots.choice is not None and not (covered or self._without_plots or ended)
        width, height = stage.width(), stage.height()
        side = self._side(text, plots, covered)
        stage.setContentsMargins(side, 0, 0, 0) if stage.isRightToLeft() else stage.setContentsMargins(0, 0, side, 0)
        self._plots.setVisible(plots)
        if self._lessons.on:
            self._lessons.panel.setVisible(text)
            self._lessons.panel.foot.setVisible(text)
        self.column.setGeometry(width - side, 0, side, height)
        if text:
            self._share_height(plots, height)
        self.column.setVisible(bool(side))
        stage.toasts.set_column(self._message_rows if side else None)
        stage.lay_bars_over(None if covered else self.controls)
        if covered:
            self.controls.hide()
            return
        high = self.controls.sizeHint().height()
        self.controls.setGeometry(0, height - high, width - side, high)
        self.controls.setVisible(self.controls.awake and stage.over is None)  # else they would cover its foot
        self.column.raise_()
        self.controls.raise_()

    @property
    def shows_text(self) -> bool:
        """Whether the lesson text is shown."""
        return self._lessons.on and not self._without_text

    def toggle_text(self) -> None:
        """Show the lesson text, or leave its room to the picture."""
        self._without_text = not self._without_text
        self.place()

    # inside

    def _side(self, text: bool, plots: bool, covered: bool) -> int:
        """Pixels of the column beside the picture."""
        width, height = self._stage.width(), self._stage.height()
        if text and (covered or len(self._canvases.canvases) > 1):
            return round(_TEXT_BESIDE * width)
        if text:
            return width - round(min(height, _MOST_PICTURE * width))
        return round(_PLOTS_SHARE * width) if plots else 0

    def _share_height(self, plots: bool, height: int) -> None:
        """Make the text as high as needed, leaving some height for a plot below."""
        panel = self._lessons.panel
        if not plots:
            self._free_height()
            return
        room = height - panel.foot.sizeHint().height() - self._messages.sizeHint().height()
        panel.setFixedHeight(min(panel.wanted_height, room - round(_LEAST_PLOT * height)))

    def _free_height(self) -> None:
        """Remove the limit on the height of the text."""
        self._lessons.panel.setMinimumHeight(0)
        self._lessons.panel.setMaximumHeight(QWIDGETSIZE_MAX)

    def _on_choice(self) -> None:
        self._without_plots = False
        self.place_soon()

    def _toggle_plots(self) -> None:
        """Toggle the plots with the key of their panel, giving their room to the picture."""
        if self.on:
            self._without_plots = not self._without_plots
            self.place()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Follow the size of the window at once."""
        if event is not None and event.type() == QEvent.Type.Resize and watched is self._stage:
            self.place()
        return False


REST_MS = 3000
"""Milliseconds without the mouse, Esc or Tab after which the controls hide."""

_KEYS = (Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Backtab)


class HidingControls(QFrame):
    """Holds transport and tools while presenting. `awake` is True if the pointer moved, or Esc or Tab was pressed,
    within `REST_MS`, or if the controls are in use; other keys work without them. ``changed`` is emitted when that
    changes."""

    changed = pyqtSignal()

    def __init__(self, window: QMainWindow, stage: Stage) -> None:
        super().__init__(stage)
        self.setObjectName("presenterControls")
        self._window = window
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.awake = True
        self._pointer = QPointF()
        self.resting = QTimer(self)
        self.resting.setSingleShot(True)
        self.resting.timeout.connect(self._on_rest)
        self.hide()

    def begin(self) -> None:
        """Start following pointer and keys."""
        self._pointer = QPointF()
        native = self._window.windowHandle()
        if native is not None:
            native.installEventFilter(self)  # it sees what goes to any widget
        self.on_activity()

    def end(self) -> None:
        """Stop following."""
        native = self._window.windowHandle()
        if native is not None:
            native.removeEventFilter(self)
        self.resting.stop()
        self.hide()

    def on_activity(self) -> None:
        """React to activity."""
        self.resting.start(REST_MS)
        if not self.awake:
            self.awake = True
            self.changed.emit()

    def _on_rest(self) -> None:
        if self._in_use():
            self.resting.start(REST_MS)
        else:
            self.awake = False
            self.changed.emit()

    def _in_use(self) -> bool:
        """Whether the pointer is over them, a button is held down, a menu is open, or the focus is in them."""
        pressed = QApplication.mouseButtons() != Qt.MouseButton.NoButton
        inside = self.isAncestorOf(QApplication.focusWidget())
        return inside or pressed or self.underMouse() or QApplication.activePopupWidget() is not None

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Watch the pointer and those keys in the whole window."""
        if event is None:
            return False
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseMove:
            place = event.globalPosition()
            if place != self._pointer:  # a window that changes under the pointer also sends a move
                self._pointer = place
                self.on_activity()
        elif event.type() == QEvent.Type.MouseButtonPress or (isinstance(event, QKeyEvent) and event.key() in _KEYS):
            self.on_activity()
        return False
