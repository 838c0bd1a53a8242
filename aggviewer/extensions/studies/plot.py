"""The plot of a study with its legend, see `aggviewer.extensions.studies.drawing`."""

from __future__ import annotations

from collections.abc import Hashable

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QLabel, QVBoxLayout, QWidget

from aggviewer.extensions.studies.drawing import StudyDrawing, draw_study, values_of
from aggviewer.extensions.studies.results import Results
from aggviewer.extensions.studies.words import mean_in_words
from aggviewer.plots.drawing_view import DrawingView
from aggviewer.plots.series_style import group_colours
from aggviewer.style.theme import Colors
from engine.study import labels
from engine.study.symbols import as_html

_EMPTY = "The mean of each point with its error, and every run, as results arrive."


class StudyPlot(QWidget):
    """Signal ``run_chosen(point, seed)``: a run was clicked."""

    run_chosen = pyqtSignal(object, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.legend = QLabel()
        self.legend.setWordWrap(True)
        self.view: DrawingView | None = None
        self.shown: StudyDrawing | None = None
        """What is drawn now."""
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self._column.addWidget(self.legend)
        self._colors: Colors | None = None

    def show_results(self, results: Results, name: str, *, singles: bool, log: bool, colors: Colors) -> None:
        """Draw one quantity, see `draw_study`."""
        self.shown = shown = draw_study(results, name, singles=singles, log=log)
        view = self._view_with_axes(shown, colors)
        view.set_empty("" if shown.drawing.has_data else _EMPTY)
        view.show_drawing(shown.drawing)
        self._write_legend(results, name, colors)

    def _view_with_axes(self, shown: StudyDrawing, colors: Colors) -> DrawingView:
        """A new drawing area if the axes have changed."""
        view = self.view
        if view is None or view.axes != shown.axes:
            if view is not None:
                self._column.removeWidget(view)
                view.hide()
                view.deleteLater()
            self.view = view = DrawingView(shown.axes)
            view.picked.connect(self._on_click)
            self._column.addWidget(view, 1)
            self._colors = None
        if colors != self._colors:
            self._colors = colors
            view.set_theme(colors)
        return view

    def _write_legend(self, results: Results, name: str, colors: Colors) -> None:
        grid = results.grid
        self.legend.setVisible(len(grid.axes) != 1)
        if not grid.axes:
            self.legend.setText(mean_in_words(results, name))
        if len(grid.axes) > 1:
            palette, title = group_colours(colors), as_html(labels.axis_title(grid.axes[1]))
            parts = [
                f'<span style="color:{palette[k % len(palette)]}">●</span>&nbsp;{as_html(labels.value(value))}'
                for k, value in enumerate(values_of(results, 1))
            ]
            self.legend.setText(f"{title}: " + " &nbsp; ".join(parts))

    def _on_click(self, series: Hashable, index: int) -> None:
        if self.shown is not None:
            self.run_chosen.emit(*self.shown.runs[str(series)][index])
