"""The layout of presenter mode: the picture, text and plots beside it, and the controls in one line below."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QObject, QTimer
from PyQt6.QtWidgets import QWIDGETSIZE_MAX, QBoxLayout, QFrame, QVBoxLayout, QWidget

from aggviewer.extensions.lessons.lessons import Lessons
from aggviewer.plots import PlotsPanel
from aggviewer.widgets.part import Context
from aggviewer.window.canvases import Canvases
from aggviewer.window.side_panels import SidePanels
from aggviewer.window.stage import Stage

_PLOTS_SHARE = 0.33  # of the window's width for plots without a text
_COMPARED_SHARE = 0.25  # the same beside two pictures, which are narrower than high
_MOST_PICTURE = 0.6  # of the width for the picture beside a text; it is at most as wide as it is high
_TEXT_BESIDE = 0.3  # of the width for a text beside two pictures, or beside what a lesson shows in their place
_LEAST_PLOT = 0.3  # of the height left to a plot below a long text, which then scrolls
_SMALLEST_PLOT = 0.25  # the same below a text that then need not scroll


class PresenterLayout(QObject):
    """Moves text and plots temporarily from their panels into a column beside the picture. Messages are there too:
    nothing covers the discs.

    Attributes
    ----------
    column : holds text, plots and messages.
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
        self.on = self._without_plots = self._without_text = False
        self._placing = QTimer(self)
        self._placing.setSingleShot(True)
        self._placing.timeout.connect(self.place)
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
        self.place()

    def end(self) -> None:
        """Return text and plots to their panels."""
        self.on = False
        self.stop()
        self._stage.toasts.set_column(None)
        self._stage.put_beside(None)
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

    def place_soon(self) -> None:
        """Lay out everything after the current events."""
        if self.on:
            self._placing.start(0)

    def place(self) -> None:
        """Place picture and column."""
        if not self.on:
            return
        stage, text = self._stage, self.shows_text
        covered = stage.cover is not None
        player = self._lessons.player
        ended = player is not None and player.ended  # the page at the end needs the height
        plots = self._plots.choice is not None and not (covered or self._without_plots or ended)
        side = self._side(text, plots, covered)
        self._plots.setVisible(plots)
        if self._lessons.on:
            self._lessons.panel.setVisible(text)
            self._lessons.panel.foot.setVisible(text)
        stage.put_beside(self.column, side)
        self.column.setVisible(bool(side))
        if text:
            self._share_height(plots, self.column.height())
        stage.toasts.set_column(self._message_rows if side else None)
        self.column.raise_()

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
        width, height = self._stage.width(), self._stage.ground.height()
        if text and (covered or len(self._canvases.canvases) > 1):
            return round(_TEXT_BESIDE * width)
        if text:
            return width - round(min(height, _MOST_PICTURE * width))
        share = _PLOTS_SHARE if len(self._canvases.canvases) < 2 else _COMPARED_SHARE
        return round(share * width) if plots else 0

    def _share_height(self, plots: bool, height: int) -> None:
        """Make the text as high as needed, leaving some height for a plot below."""
        panel = self._lessons.panel
        if not plots:
            self._free_height()
            return
        room = height - panel.foot.sizeHint().height() - self._messages.sizeHint().height()
        wanted = panel.wanted_height
        if wanted > room - round(_SMALLEST_PLOT * height):
            wanted = min(wanted, room - round(_LEAST_PLOT * height))
        panel.setFixedHeight(max(wanted, 0))  # in a low window there is no room

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
