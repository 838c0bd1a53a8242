"""Results of a run or of an analysis as lines of text for people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from aggviewer.cli.exits import tell
from engine.system import system
from engine.words import body_names, count, typeset


def mesh_notice(indicators: dict[str, Any]) -> str:
    """Advice on the fractal dimension if it depends on the position of the counting mesh; "" if it does not."""
    if not indicators.get("mesh_matters"):
        return ""
    return (
        f"the fractal dimension {indicators['fractal_dimension']:.3g} depends on where the discs lie in the box; the "
        f"minimum cover does not, and gives {indicators['minimum_cover_dimension']:.3g}"
    )


def tell_problems(values: dict[str, Any]) -> None:
    """Say on stderr which indicators of a summary have failed, and why."""
    for problem in (values["problems"] or {}).values():
        tell(problem)


def to_text(values: dict[str, Any], more: Iterable[tuple[str, object]] = ()) -> str:
    """A summary for people: one line per quantity that is defined, and `more` lines at the end."""
    from engine.analysis import every_indicator
    from engine.indicators import Problems, in_words

    problems = Problems()
    indicators = values["indicators"]
    sizes = {int(size): number for size, number in (indicators.get("cluster_sizes") or {}).items()}
    kind = None if values["system"] is None else system(values["system"])
    own = () if kind is None else kind.results
    rows = [
        ("{discs}", values["count"]),
        ("time", values["sim_time"] if kind is None or not kind.clock.counts else None),  # else its results say it
        ("clusters M", values["clusters"] if kind is None or kind.joins else None),
        ("largest cluster", max(sizes) if sizes else None),
        ("events", _counts(values["events"])),
        ("stopped by", values["stop_detail"] or values["stop_reason"]),
        ("simulating", _seconds(values["wall_s"])),
        ("preparing", _seconds(values["setup_s"])),
        ("compiling", _seconds(values["compile_s"])),
        ("kinetic energy", values["kinetic_energy"]),
        ("momentum error", values["momentum_error"]),
        ("largest overlap", values["max_overlap"]),
        ("volume fraction V_f", values["volume_fraction"]),
        *((one.label, one.told(values[one.name])) for one in own if one.label and values[one.name] is not None),
        # numbers first, then what is written out
        *sorted(in_words(indicators, every_indicator(), problems), key=lambda line: isinstance(line[1], str)),
    ]
    for problem in problems.values():
        tell(problem)
    told = ((name, in_digits(value)) for name, value in (*rows, *more) if value is not None and value == value)
    fill = body_names(values["dimensions"]).fill
    return in_columns((fill(name), value) for name, value in told)


def in_columns(rows: Iterable[tuple[str, object]], indent: str = "") -> str:
    """Names and values in two columns, one line each."""
    listed = list(rows)
    width = max((len(name) for name, _ in listed), default=0)
    return "\n".join(f"{indent}{name:<{width}}  {said}" for name, said in listed)


def _counts(counts: dict[str, int] | None) -> str | None:
    if not counts:
        return None
    return ", ".join(f"{count(number)} {kind}" for kind, number in counts.items() if number)


def _seconds(value: float | None) -> str | None:
    return None if value is None else f"{typeset(value, '.3g')} s"


def in_digits(value: Any) -> str:
    """A value as text: whole numbers in full, others with six digits."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return typeset(value, ".6g") if isinstance(value, float) else count(value)
