"""Standard errors of what a plot draws, as bars and in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import floor, inf, log10
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PyQt6.QtGui import QColor

from aggviewer.plots.axes import log_or_gap
from aggviewer.plots.references import Points
from aggviewer.plots.scaled import FLOOR, Scaled, own

_BEAM_SHARE = 0.0  # bars without caps: there may be many beside each other
_FAR = 9.0  # decades below a value whose error is as large as itself
_BAND_FROM = 20  # points of a curve whose errors are a band; fewer points have bars
_BAND = 60  # alpha of a band
_DIGITS = (3, 6)  # behind the point, at least and at most


@dataclass(frozen=True)
class Errors:
    """Standard errors of plotted values.

    Parameters
    ----------
    x : (K,), where the bars stand, in plot coordinates.
    y, error : (K,), the quantities themselves and their standard errors; a bar is drawn where both are finite and
        the error is above 0.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    error: NDArray[np.float64]


def draw_errors(item: pg.ErrorBarItem, errors: Errors | None, log: bool) -> None:
    """Draw bars from y - error to y + error, or hide the item. log : whether y is drawn as log10. There, a bar that
    reaches 0 leaves the plot at its lower edge."""
    if errors is None:
        _take_away(item)
        return
    y, error = errors.y, errors.error
    seen = np.isfinite(errors.x) & np.isfinite(y) & np.isfinite(error) & (error > 0.0)
    if log:
        seen &= y > 0.0
    y, error = y[seen], error[seen]
    if not len(y):
        _take_away(item)
        return
    middle, low, high = y, y - error, y + error
    if log:
        middle, high = np.log10(y), np.log10(high)
        low = np.where(low > 0.0, np.log10(np.where(low > 0.0, low, 1.0)), middle - _FAR)
    item.setData(x=errors.x[seen], y=middle, top=high - middle, bottom=middle - low, beam=_BEAM_SHARE)
    item.show()


def _take_away(item: pg.ErrorBarItem) -> None:
    """Clear an item. Its data are deleted too, since with data a change of colour would show it again."""
    item.setData(x=None, y=None, top=None, bottom=None)


class ErrorBars(Scaled, pg.ErrorBarItem):  # type: ignore[misc]
    """Bars that follow the scales of their plot."""

    _errors: Errors | None = None

    def draw(self, errors: Errors | None) -> None:
        """Draw these; None for none."""
        self._errors = errors
        self.place_anew()

    def place_anew(self) -> None:
        """See `Scaled.place_anew`."""
        across, up = self.scales
        errors = self._errors
        draw_errors(self, None if errors is None else replace(errors, x=across.show(errors.x)), up.shown)


class ErrorBand(Scaled, pg.FillBetweenItem):  # type: ignore[misc]
    """A band from low to high (K,) over x (K,), all given as data are."""

    def __init__(self, x: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]) -> None:
        self._ends = (x, low, high)
        super().__init__(pg.PlotCurveItem(x, high), pg.PlotCurveItem(x, low))

    def place_anew(self) -> None:
        """See `Scaled.place_anew`."""
        x, low, high = self._ends
        across, up = self.scales
        low = np.nan_to_num(up.show(low), nan=FLOOR)
        self.setCurves(*(pg.PlotCurveItem(across.show(x), edge) for edge in (up.show(high), low)))


def error_text(value: float, error: float) -> str:
    """A value with its standard error, such as ``1.795 ± 0.012``; without it if it is 0 in six decimals or not
    known."""
    if not (np.isfinite(error) and error > 10.0 ** -_DIGITS[1]):
        text = f"{value:.{_DIGITS[0]}f}"
    else:
        digits = min(max(-floor(log10(error)), _DIGITS[0]), _DIGITS[1])  # the first digit of the error at least
        text = f"{value:.{digits}f} ± {error:.{digits}f}"
    return text.replace("-", "−")


def of_counts(counts: NDArray[np.float64] | NDArray[np.int64], total: float = inf) -> NDArray[np.float64]:
    """The standard errors √(n (1 - n/N)) of counts n (K,) in bins, for N independent entries; √n if N is infinite, for
    a number of entries that is random too."""
    n = np.asarray(counts, np.float64)
    return np.sqrt(np.maximum(n * (1.0 - n / total), 0.0))


def has_bars(points: Points) -> bool:
    """Whether the standard errors of a curve are bars: it has few points."""
    return points.error is not None and len(points.y) < _BAND_FROM


def error_items(points: Points, logarithmic: tuple[bool, bool]) -> Iterator[Any]:
    """What shows the standard errors of a curve: a band around one of many points, else bars; nothing where no point
    has an error. logarithmic : whether x and y are drawn as log10."""
    if points.error is None:
        return
    x, y, error = points.x, points.y, points.error
    if len(x) == len(y) + 1:
        x = 0.5 * (x[1:] + x[:-1])
    if logarithmic[0]:
        x = log_or_gap(x)
    seen = np.isfinite(x) & np.isfinite(y) & np.isfinite(error)
    if logarithmic[1]:
        seen &= y > 0.0
    if np.count_nonzero(seen & (error > 0.0)) < 1:
        return
    x, y, error = x[seen], y[seen], error[seen]
    if has_bars(points):
        item = ErrorBars()
        item.rescale(own(*logarithmic))
        item.draw(Errors(x, y, error))
        yield item
        return
    low, high = y - error, y + error
    if logarithmic[1]:
        low, high = np.log10(np.where(low > 0.0, low, y * 10.0**-_FAR)), np.log10(high)
    yield ErrorBand(x, low, high)


def style_errors(item: Any, colour: str, width: float) -> None:
    """The colour of what `error_items` has made. width : of bars, in pixels of the screen."""
    if isinstance(item, pg.ErrorBarItem):
        item.setOpts(pen=pg.mkPen(colour, width=width))
        return
    faint = QColor(colour)
    faint.setAlpha(_BAND)
    item.setPen(pg.mkPen(None))
    item.setBrush(pg.mkBrush(faint))
