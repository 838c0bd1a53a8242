"""What stands in the inspector: the sections that all systems share, and what a system says of its own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from aggviewer.parameters.editors import Control
from engine.derived import mean_free_path, mean_radius, number_density
from engine.scenario import FieldDescription, Scenario, fields

BOUNDARY = "box.boundary"

ADVANCED = "Advanced"
"""The section for keys that are rarely changed. It is folded at first."""

# In the order of a person's questions.
FIRST_SECTIONS = {
    "Discs": (
        "system",
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


@dataclass(frozen=True)
class ReadOut:
    """A number that follows from the parameters and cannot be edited.

    Parameters
    ----------
    name : its key, unique within a layout.
    label, tip : its name and what it is, rich text; formulas of `tip` stand between dollar signs.
    text : the number in words for a scenario, empty where the scenario does not fix it.
    """

    name: str
    label: str
    tip: str
    text: Callable[[Scenario], str]


def box_sides(scenario: Scenario) -> str:
    """The sides of the box, "100 × 25"; a square names its side once. Empty where a file decides."""
    if scenario.discs.arrangement == "file":
        return ""
    return " × ".join(f"{side:.5g}" for side in dict.fromkeys(scenario.box_size()))


def rounded(value: float | None, digits: int, prefix: str = "") -> str:
    """A number with so many digits for a read-out, empty for None."""
    return "" if value is None else f"{prefix}{value:.{digits}g}"


COMMON_READ_OUTS = (
    ReadOut(
        "radius",
        "Mean radius <i>R</i>",
        r"From $N \pi \langle R^2\rangle = V_f L_x L_y$.",
        lambda scenario: rounded(mean_radius(scenario), 4),
    ),
    ReadOut("box", "Box <i>L</i>", "Sides of the box.", box_sides),
    ReadOut(
        "density",
        "Number density <i>n</i>",
        "Discs per area, $n = N / (L_x L_y)$.",
        lambda scenario: rounded(number_density(scenario), 4),
    ),
    ReadOut(
        "mean_free_path",
        "Mean free path <i>λ</i>",
        r"Estimate for a gas of discs of diameter $d$: $\lambda = 1 / (2 \sqrt{2}\, n d \chi)$, "
        r"$\chi = (1 - 7 V_f / 16) / (1 - V_f)^2$.",
        lambda scenario: rounded(mean_free_path(scenario), 3, "≈ "),
    ),
)
"""What follows from the parameters that all systems share."""

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
    """No suggestions, whatever the scenario."""
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
    read_outs : numbers that follow from the system's own parameters, below those of `COMMON_READ_OUTS`.
    simple : the keys that a beginner changes, about three. The others come with *Show everything*.
    """

    sections: Mapping[str, tuple[str, ...]]
    controls: Mapping[str, Control] = field(default_factory=dict)
    without: frozenset[str] = frozenset()
    inert: Callable[[Value, Collection[str]], Inert] = all_matter
    suggestions: Callable[[Scenario], dict[str, float]] = no_suggestions
    read_outs: tuple[ReadOut, ...] = ()
    simple: tuple[str, ...] = ("discs.count", "discs.volume_fraction", BOUNDARY)


def live_keys() -> frozenset[str]:
    """The keys that change what runs at once, of all systems."""
    return frozenset(key for key, one in fields().items() if not one.restart)


def plain_layout(title: str, table: str) -> Layout:
    """The keys of a table of the scenario in one section, with the controls that their descriptions ask for."""
    found = {key: one for key, one in fields().items() if key.startswith(f"{table}.")}
    return Layout(
        {title: tuple(found)} if found else {},
        {key: plain_control(one) for key, one in found.items()},
        simple=("discs.count", "discs.volume_fraction", *list(found)[:1]),
    )


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
