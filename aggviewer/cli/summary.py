"""The result of a run or an analysis: as a dictionary with stable names, as strict JSON, as text for people."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

from engine import __version__
from engine.system import system

KEYS = (
    "version",
    "system",
    "method",
    "count",
    "seed",
    "sim_time",
    "clusters",
    "events",
    "steps",
    "wall_s",  # making the simulation and advancing it, nothing else
    "compile_s",  # importing and compiling the kernels, or loading them from the cache
    "setup_s",  # making and checking the initial state
    "stop_reason",
    "stop_detail",  # a sentence, where the word is not enough
    "momentum_error",
    "kinetic_energy",
    "max_overlap",
    "volume_fraction",  # of the state that is summed up
    "box",
    "boundary",
    "indicators",
)
"""Of every system."""


def summary(**values: Any) -> dict[str, Any]:
    """All keys of the JSON of `run` and `analyse`, in their order; those that are not given are None."""
    own = system(values["system"]).results if "system" in values else ()
    keys = KEYS + tuple(result.name for result in own)
    unknown = values.keys() - set(keys)
    if unknown:
        raise TypeError(f"not part of a summary: {sorted(unknown)}")
    return {name: __version__ if name == "version" else values.get(name) for name in keys}


def to_json(value: Any, indent: int | None = None) -> str:
    """Strict JSON: NaN and infinity become null."""
    return json.dumps(_plain(value), indent=indent, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, bool | int | str) or value is None:
        return value
    number = float(value)
    return number if math.isfinite(number) else None


def to_text(values: dict[str, Any]) -> str:
    """The same for people: one line per quantity, those without a meaning left out."""
    from engine.analysis import every_indicator
    from engine.indicators import in_words

    indicators = values["indicators"]
    sizes = {int(size): number for size, number in (indicators.get("cluster_sizes") or {}).items()}
    kind = None if values["system"] is None else system(values["system"])
    own = () if kind is None else kind.results
    rows = [
        ("discs", values["count"]),
        ("time", values["sim_time"]),
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
        *sorted(in_words(indicators, every_indicator()), key=lambda line: isinstance(line[1], str)),
    ]
    return in_columns((name, _digits(value)) for name, value in rows if value is not None)


def in_columns(rows: Iterable[tuple[str, object]], indent: str = "") -> str:
    """Names and what is said of them, a line each, in two columns."""
    listed = list(rows)
    width = max((len(name) for name, _ in listed), default=0)
    return "\n".join(f"{indent}{name:<{width}}  {said}" for name, said in listed)


def _counts(counts: dict[str, int] | None) -> str | None:
    if not counts:
        return None
    return ", ".join(f"{number} {kind}" for kind, number in counts.items() if number)


def _seconds(value: float | None) -> str | None:
    return None if value is None else f"{value:.3g} s"


def _digits(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
