"""What stands in the inspector: the sections that all systems share, and what a system says of its own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from aggviewer.parameters.editors import Control
from engine.scenario import FieldDescription, Scenario, fields

BOUNDARY = "box.boundary"

# In the order of a person's questions.
FIRST_SECTIONS = {
    "System": ("system",),
    "Discs": (
        "discs.count",
        "discs.volume_fraction",
        "discs.arrangement",
        "discs.file",
        "discs.fix_overlaps",
        "discs.radii",
        "discs.spread",
    ),
    "Box": (BOUNDARY, "box.size"),
    "Motion": ("velocities.distribution", "velocities.speed"),
}
LAST_SECTIONS = {"Random numbers": ("seed",)}
COMMON_CONTROLS = {
    "discs.count": Control(step=1, slider=(1, 1e6)),
    "discs.volume_fraction": Control(step=0.01, slider=(0.01, 0.78)),
    "discs.spread": Control(step=0.1),
    "velocities.speed": Control(step=0.1),
}

Value = Callable[[str], Any]
"""The value of a dotted key, as it is shown."""


@dataclass(frozen=True)
class Aside:
    """Keys that one folded line stands for: its name, and who uses them."""

    keys: tuple[str, ...] = ()
    name: str = ""
    used_by: str = ""


@dataclass(frozen=True)
class Inert:
    """Which of the live keys have no effect, and why.

    Parameters
    ----------
    reasons : key to the sentence for its tool tip.
    notes : title of a section to the line that stands in it.
    aside : keys of a whole subject that another choice would bring, with the name of the subject and what brings it.
    """

    reasons: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    aside: Aside = Aside()


def all_matter(value: Value, methods: Collection[str]) -> Inert:
    """Every key has an effect."""
    return Inert()


def no_suggestions(scenario: Scenario) -> dict[str, float]:
    """There are none."""
    return {}


@dataclass(frozen=True)
class Layout:
    """What the inspector has for one system.

    Parameters
    ----------
    sections : title to the keys of the system's own table, in the order in which they stand.
    controls : key to how it is offered, where that is not the plain control of its kind.
    without : titles of common sections that mean nothing here.
    inert : which live keys have no effect, given the values of all keys and the methods that run (empty: the one of
        the scenario).
    suggestions : key to a number that is offered for it, given a scenario.
    """

    sections: Mapping[str, tuple[str, ...]]
    controls: Mapping[str, Control] = field(default_factory=dict)
    without: frozenset[str] = frozenset()
    inert: Callable[[Value, Collection[str]], Inert] = all_matter
    suggestions: Callable[[Scenario], dict[str, float]] = no_suggestions


def live_keys() -> frozenset[str]:
    """The keys that change what runs at once, of all systems."""
    return frozenset(key for key, one in fields().items() if not one.restart)


def plain_layout(title: str, table: str) -> Layout:
    """The keys of a table of the scenario in one section, with the controls that their descriptions ask for."""
    found = {key: one for key, one in fields().items() if key.startswith(f"{table}.")}
    return Layout({title: tuple(found)} if found else {}, {key: plain_control(one) for key, one in found.items()})


def plain_control(described: FieldDescription) -> Control:
    """A slider over the range of a number that has one; steps of about a hundredth of it."""
    low, high = described.minimum, described.maximum
    if described.kind not in ("integer", "number"):
        return Control()
    if low is None or high is None or described.log:
        return Control(step=1 if described.kind == "integer" else 0.01)
    step = 1 if described.kind == "integer" else float(f"{(high - low) / 100.0:.1g}")
    inside = (low + step if described.open_minimum else low, high - step if described.open_maximum else high)
    return Control(step=step, slider=inside)
