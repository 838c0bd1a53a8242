"""Indicators: numbers, curves and distributions measured in a state, such as the fractal dimension.

The indicators of the program's own systems are listed in `engine.analysis`. Those that plug-ins register here are
measured for every system, if a state has the data that they need: by ``aggviewer run``, by ``aggviewer analyse`` and by
`engine.analysis.measure`. Importing this module loads no compiled kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Protocol

import numpy as np

from engine.errors import InputError
from engine.registry import Registry


class Measurable(Protocol):
    """A state that can be measured: `engine.analysis.Sample`.

    Attributes
    ----------
    asked : the names of the indicators that are measured together: a state may compute at once what several need.
    """

    asked: frozenset[str]

    @property
    def joins(self) -> bool:
        """Whether its discs can join clusters."""
        ...

    @property
    def dimensions(self) -> int:
        """2 for discs, 3 for spheres."""
        ...


ANY = (2, 3)
"""Both numbers of dimensions."""


def plain(value: Any) -> Any:
    """A value ready for JSON: arrays become lists and dataclasses become dictionaries; others stay as they are."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    return value


def as_number(value: Any) -> Any:
    """A number as it is; None for curves and distributions, which do not fit into a line of text."""
    return value if isinstance(value, int | float) else None


def unsaid(value: Any) -> None:
    """Always None: for indicators that are not shown as a line of text."""
    return


@dataclass(frozen=True)
class Indicator:
    """A quantity measured in a state.

    Parameters
    ----------
    name : its key in JSON and in the result of `engine.analysis.measure`.
    label, symbol, unit : for people; the unit is "" for a pure number.
    measure : computes the value from an `engine.analysis.Sample`; None if it is not defined for this state.
    to_json : converts a value (never None) for JSON.
    in_words : the number or text for a line in the terminal, from the result of `to_json`; None for no line.
    needs : the attributes of a sample that it needs, of "velocities", "masses", "cluster", "images", "start",
        "start_velocities" and "packing". It is left out where one is None.
    of_clusters : whether it is defined only where discs can join clusters; elsewhere its value is None.
    since_start : whether it compares the state with that at the start, which a run keeps for it then; its value is None
        if the start is not known.
    dimensions : 2 and 3, where it is defined; elsewhere its value is None.
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
    since_start: bool = False
    dimensions: tuple[int, ...] = (2,)

    def defined(self, sample: Measurable) -> bool:
        """Whether it has a meaning for discs of this kind."""
        return sample.dimensions in self.dimensions and (sample.joins or not self.of_clusters)

    def possible(self, sample: Measurable) -> bool:
        """Whether a sample has all that this indicator needs."""
        return all(getattr(sample, part) is not None for part in self.needs)


BUILT_IN = (
    *("contacts_relative", "contacts_histogram", "pair_distribution", "box_counting", "fractal_dimension"),
    *("fractal_fit", "minimum_cover", "minimum_cover_dimension", "minimum_cover_fit", "mesh_matters"),
    *("aspect_ratio", "orientation", "cluster_sizes", "cluster_size_distribution"),
    *("structure_factor", "radial_profile", "height_profile", "cluster_profile"),
    *("velocity_correlation", "velocity_autocorrelation"),
    *("volume_fraction", "pair_correlation", "contact_compressibility", "contact_value", "contact_value_error"),
    *("speeds", "fluctuations", "mean_square_displacement", "packing"),
)
"""The names of the indicators in `engine.analysis`, to check plug-ins without importing its kernels."""


def _fits(indicator: Indicator, others: Sequence[Indicator]) -> None:
    if indicator.name in (*BUILT_IN, *(known.name for known in others)):
        raise InputError(f"there is an indicator {indicator.name} already")


INDICATORS: Registry[Indicator] = Registry(_fits)
"""Those that were added to the ones in `engine.analysis`."""


def register(indicator: Indicator) -> Indicator:
    """Add an indicator to those of every system, and return it. Raises InputError for a name that is taken."""
    return INDICATORS.add(indicator)


def registered() -> tuple[Indicator, ...]:
    """The indicators that `register` has added, in order."""
    return INDICATORS.parts


def measure(sample: Measurable, indicators: Iterable[Indicator]) -> dict[str, Any]:
    """Measure a sample: the values of these indicators by name.

    Indicators that need what the sample lacks are left out. The value is None if an indicator is not defined.
    """
    possible = [indicator for indicator in indicators if indicator.possible(sample)]
    sample.asked = frozenset(indicator.name for indicator in possible)
    return {indicator.name: indicator.measure(sample) if indicator.defined(sample) else None for indicator in possible}


def as_json(values: dict[str, Any], indicators: Iterable[Indicator]) -> dict[str, Any]:
    """The result of `measure`, ready for JSON."""
    known = {indicator.name: indicator for indicator in indicators}
    return {name: None if value is None else known[name].to_json(value) for name, value in values.items()}


def in_words(values: dict[str, Any], indicators: Iterable[Indicator]) -> list[tuple[str, Any]]:
    """Lines for people from the result of `as_json`: label with symbol and unit, and value."""
    found = []
    for indicator in indicators:
        value = values.get(indicator.name)
        text = None if value is None else indicator.in_words(value)
        if text is not None:
            label = f"{indicator.label} {indicator.symbol}".rstrip()
            found.append((f"{label} [{indicator.unit}]" if indicator.unit else label, text))
    return found
