"""What an indicator of a state of discs is, and the registry of those that plug-ins add.

An indicator is one number, curve or distribution of a state: contacts, fractal dimension, speeds. The lists that belong
to the systems stand in `engine.analysis`. One that is registered here is measured of every system, wherever a state has
what it needs: by ``aggviewer run`` and ``analyse``, and by `engine.analysis.measure`. Importing this module is light.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Protocol

import numpy as np


class Measurable(Protocol):
    """What indicators measure: `engine.analysis.Sample`. joins : its discs may join clusters."""

    @property
    def joins(self) -> bool: ...


def plain(value: Any) -> Any:
    """Arrays as lists, records as dictionaries of their fields, all else as it is: ready for JSON."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    return value


def as_number(value: Any) -> Any:
    """A number as it is; None for curves and distributions, which are no line of text."""
    return value if isinstance(value, int | float) else None


def unsaid(value: Any) -> None:
    """Nothing: of what is a line of text already, or none that people need."""
    return


@dataclass(frozen=True)
class Indicator:
    """A quantity of a state.

    Parameters
    ----------
    name : its key in JSON and in what `engine.analysis.measure` returns.
    label, symbol, unit : as people read them; the unit is "" for a number without one.
    measure : the value of an `engine.analysis.Sample`; None where it has no meaning for this state.
    to_json : the value, which is not None, as JSON has it.
    in_words : the number or text of a line in the terminal, from what `to_json` gave; None for no line.
    needs : names of the parts of a sample without which it is left out: "velocities", "masses", "cluster", "images",
        "start", "packing".
    of_clusters : it has a meaning only where discs join; elsewhere its value is None.
    """

    name: str
    label: str
    measure: Callable[[Any], Any]
    symbol: str = ""
    unit: str = ""
    to_json: Callable[[Any], Any] = plain
    in_words: Callable[[Any], Any] = as_number
    needs: tuple[str, ...] = ()
    of_clusters: bool = False

    def possible(self, sample: Measurable) -> bool:
        """Whether a sample has all that this indicator needs."""
        return all(getattr(sample, part) is not None for part in self.needs)


BUILT_IN = (
    *("contacts_relative", "contacts_histogram", "pair_distribution", "box_counting", "fractal_dimension"),
    *("fractal_fit", "aspect_ratio", "orientation", "cluster_sizes"),
    *("volume_fraction", "pair_correlation", "contact_compressibility", "contact_value", "speeds", "fluctuations"),
    *("mean_square_displacement", "packing"),
)
"""Names of the indicators in the lists of `engine.analysis`: plug-ins are checked without importing its kernels."""

_registered: list[Indicator] = []


def register(indicator: Indicator) -> Indicator:
    """Have an indicator measured of every system, and return it. Raises ValueError for a name that is taken."""
    if indicator.name in (*BUILT_IN, *(known.name for known in _registered)):
        raise ValueError(f"there is an indicator {indicator.name} already")
    _registered.append(indicator)
    return indicator


def remove(indicator: Indicator) -> None:
    """Forget one that was registered, of a plug-in that has failed."""
    _registered.remove(indicator)


def registered() -> tuple[Indicator, ...]:
    """Those that were added by `register`, in order."""
    return tuple(_registered)


def measure(sample: Measurable, indicators: Iterable[Indicator]) -> dict[str, Any]:
    """The values of these indicators, by name; without those whose needs the sample lacks. None: the quantity has no
    meaning for this state."""
    return {
        indicator.name: indicator.measure(sample) if sample.joins or not indicator.of_clusters else None
        for indicator in indicators
        if indicator.possible(sample)
    }


def as_json(values: dict[str, Any], indicators: Iterable[Indicator]) -> dict[str, Any]:
    """What `measure` gave, ready for JSON."""
    known = {indicator.name: indicator for indicator in indicators}
    return {name: None if value is None else known[name].to_json(value) for name, value in values.items()}


def in_words(values: dict[str, Any], indicators: Iterable[Indicator]) -> list[tuple[str, Any]]:
    """Lines for people of what `as_json` gave: label with symbol, and the value."""
    found = []
    for indicator in indicators:
        value = values.get(indicator.name)
        text = None if value is None else indicator.in_words(value)
        if text is not None:
            label = f"{indicator.label} {indicator.symbol}".rstrip()
            found.append((f"{label} [{indicator.unit}]" if indicator.unit else label, text))
    return found
