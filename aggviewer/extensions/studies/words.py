"""The texts of the window and the dialog of a study. No Qt."""

from __future__ import annotations

from math import isnan

from aggviewer.extensions.studies.results import Results
from aggviewer.style import numbers
from engine.study import labels
from engine.study.series import places_of_error
from engine.study.symbols import as_html

_MOST_PLACES, _LARGE = 6, 1e7  # digits after the point, and the value from which powers of ten are written
_TITLES = {
    "idle": "Not running",
    "running": "Running",
    "pausing": "Pausing",
    "paused": "Paused",
    "stopping": "Stopping and writing the report",
    "stopped": "Stopped",
    "finished": "Finished",
    "failed": "Ended",
}


def progress_words(results: Results, state: str, workers: int, *, begun: bool) -> str:
    """The progress of a study in words.

    Parameters
    ----------
    state : of its process.
    workers : how many runs are computed at once.
    begun : whether there may be results already.
    """
    words = [f"{numbers.count(results.done)} of {numbers.count(results.total)} runs"]
    if results.failures:
        words.append(f"{numbers.count(len(results.failures))} failed")
    title, left = _TITLES[state], results.seconds_left(workers)
    if state == "running":
        if not begun:
            title = "Starting"
        elif not results.left:
            title = "Writing the report"
        elif left is not None:
            words.append(f"about {numbers.duration(left)} left")
    return f"{title}: {', '.join(words)}"


def failure_words(results: Results) -> str:
    """Why runs failed, or else why values of others are missing; "" if nothing failed."""
    found, failed = (results.failures, "failed") if results.failures else (results.remarks, "missing values")
    reasons = list(dict.fromkeys(found.values()))
    if not reasons:
        return ""
    count, others = len(found), len(reasons) - 1
    who = "One run has" if count == 1 else f"{numbers.count(count)} runs have"
    more = f" (and {others} other reason{'' if others == 1 else 's'}: see the report)" if others else ""
    return f"{who} {failed}: {reasons[0]}{more}"


def mean_and_error(mean: float, error: float) -> tuple[str, str]:
    """Mean and error with significant digits: those of the mean down to the error."""
    if isnan(mean):
        return "–", ""
    if isnan(error) or error <= 0.0:
        return f"{mean:.5g}", "" if isnan(error) else "0"
    places = places_of_error(error)
    if not 0 <= places <= _MOST_PLACES or abs(mean) >= _LARGE:
        return f"{mean:.5g}", f"{error:.2g}"
    return f"{mean:.{places}f}", f"{error:.{places}f}"


def mean_in_words(results: Results, name: str) -> str:
    """The mean at the only point with its standard error and unit, rich text; "" if there is no run yet."""
    count, mean, error = (float(values[0]) for values in results.means(name))
    if not count:
        return ""
    symbol, unit = as_html(labels.plain_label(name, results.grid)), labels.unit(name, results.grid)
    mean_text, error_text = (text.replace("-", "−") for text in mean_and_error(mean, error))
    value = f"<b>{mean_text} ± {error_text}</b>" if error > 0.0 else f"<b>{mean_text}</b>"
    runs = f"{count:.0f} runs" if count > 1 else "one run"
    of = f"standard error of {runs}" if error > 0.0 else runs
    return f"{labels.capitalised(symbol)} = {value} {as_html(unit)}".rstrip() + f" ({of})"
