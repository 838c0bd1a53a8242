"""The contents of the parameters panel: sections shared by all systems and those of each system, and how a section
folds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QLayout, QSizePolicy, QVBoxLayout, QWidget

from aggviewer.parameters.editors import Control, sides_text
from aggviewer.widgets.buttons import FoldButton
from engine.derived import mean_free_path, mean_radius, number_density
from engine.scenario import FieldDescription, Scenario, scenario_keys
from engine.words import typeset

BOUNDARY = "box.boundary"

SPIN = "velocities.spin"

SHEAR_RATE = "shear.rate"

SHEAR = "Shear"
"""The common section of the systems whose discs can flow (`engine.system.System.shears`)."""

ADVANCED = "Advanced"
"""The section for rarely changed keys, folded at first."""

# In the order in which users usually need them.
FIRST_SECTIONS = {
    "{Discs}": (
        "system",
        "discs.count",
        "discs.volume_fraction",
        "discs.arrangement",
        "discs.file",
        "discs.fix_overlaps",
        "discs.radii",
        "discs.spread",
        "discs.kinds",
    ),
    "Box": (BOUNDARY, "box.size"),
    "Motion": ("velocities.distribution", "velocities.speed", "velocities.exact", SPIN),
    SHEAR: (SHEAR_RATE,),
}
LAST_SECTIONS = {"Random numbers": ("seed",)}
COMMON_CONTROLS = {
    "discs.count": Control(step=1, slider=(1, 1e6)),
    "discs.volume_fraction": Control(step=0.01, slider=(0.01, 0.78)),
    "discs.spread": Control(step=0.1),
    "velocities.speed": Control(step=0.1),
    SPIN: Control(step=0.1),
    SHEAR_RATE: Control(step=0.01, slider=(0.0, 2.0)),
}


@dataclass(frozen=True)
class ReadOut:
    """A number derived from the parameters, which cannot be edited.

    Parameters
    ----------
    name : its key, unique within a layout.
    label, tip : its name and explanation, as rich text; formulas in `tip` stand between dollar signs.
    text : formats the number for a scenario; "" if the scenario does not determine it.
    tip_in_space : the tip where there are three dimensions; "" for the same.
    """

    name: str
    label: str
    tip: str
    text: Callable[[Scenario], str]
    tip_in_space: str = ""


def box_sides(scenario: Scenario) -> str:
    """The sides of the box, "100 × 25"; equal ones are given once. "" if a file sets the size."""
    return "" if scenario.discs.arrangement == "file" else sides_text(scenario.box_size(), 5)


def rounded(value: float | None, digits: int, prefix: str = "") -> str:
    """Format a number for a read-out; "" for None."""
    return "" if value is None else f"{prefix}{typeset(value, f'.{digits}g')}"


COMMON_READ_OUTS = (
    ReadOut(
        "radius",
        "Mean radius <i>R</i>",
        r"From $N \pi \langle R^2\rangle = V_f L_x L_y$.",
        lambda scenario: rounded(mean_radius(scenario), 4),
        r"From $\frac{4}{3} \pi N \langle R^3\rangle = V_f L_x L_y L_z$.",
    ),
    ReadOut("box", "Box <i>L</i>", "Sides of the box.", box_sides),
    ReadOut(
        "density",
        "Number density <i>n</i>",
        "Discs per area, $n = N / (L_x L_y)$.",
        lambda scenario: rounded(number_density(scenario), 4),
        "Spheres per volume, $n = N / (L_x L_y L_z)$.",
    ),
    ReadOut(
        "mean_free_path",
        "Mean free path <i>λ</i>",
        r"Estimate for a gas of discs of diameter $d$: $\lambda = 1 / (2 \sqrt{2}\, n d \chi)$, "
        r"$\chi = (1 - 7 V_f / 16) / (1 - V_f)^2 - V_f^3 / (128 (1 - V_f)^4)$.",
        lambda scenario: rounded(mean_free_path(scenario), 3, "≈ "),
        r"Estimate for a gas of spheres of diameter $d$: $\lambda = 1 / (\sqrt{2} \pi\, n d^2 \chi)$, "
        r"$\chi = (1 - V_f / 2 + V_f^2 / 12 - V_f^3 / 6) / (1 - V_f)^3$.",
    ),
)
"""Derived values common to all systems."""

Value = Callable[[str], Any]
"""The displayed value of a dotted key."""


@dataclass(frozen=True)
class Aside:
    """Keys replaced by one folded line: its name, and the choice that uses them."""

    keys: tuple[str, ...] = ()
    name: str = ""
    used_by: str = ""


@dataclass(frozen=True)
class Inert:
    """The live keys that have no effect, and why.

    Parameters
    ----------
    reasons : key to a sentence for its tool tip.
    notes : section title to a line shown in that section.
    aside : the keys that only another choice uses, which are folded into one line.
    """

    reasons: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    aside: Aside = Aside()


def all_matter(value: Value, methods: Collection[str]) -> Inert:
    """No row is without effect, whatever the value."""
    return Inert()


def no_suggestions(scenario: Scenario) -> dict[str, float]:
    """No suggestions, whatever the scenario."""
    return {}


@dataclass(frozen=True)
class Layout:
    """The contents of the parameters panel for one system.

    Parameters
    ----------
    sections : title to keys of the system's own table, in order. A title may have gaps (`engine.words`).
    controls : key to its presentation, where it differs from the standard one.
    without : titles of common sections that do not apply.
    inert : returns the live keys without effect, given all values and the running methods (empty: the scenario's
        method).
    suggestions : key to a suggested number, given a scenario.
    read_outs : numbers derived from the system's own parameters, shown below `COMMON_READ_OUTS`.
    simple : about three keys for beginners. *Show everything* adds the others.
    in_plane : keys that have no meaning in three dimensions.
    """

    sections: Mapping[str, tuple[str, ...]]
    controls: Mapping[str, Control] = field(default_factory=dict)
    without: frozenset[str] = frozenset()
    inert: Callable[[Value, Collection[str]], Inert] = all_matter
    suggestions: Callable[[Scenario], dict[str, float]] = no_suggestions
    read_outs: tuple[ReadOut, ...] = ()
    simple: tuple[str, ...] = ("discs.count", "discs.volume_fraction", BOUNDARY)
    in_plane: tuple[str, ...] = ()


def live_keys() -> frozenset[str]:
    """The live keys of all systems, which act on the run at once."""
    return frozenset(key for key, one in scenario_keys().items() if not one.restart)


def plain_layout(title: str, table: str) -> Layout:
    """One section with all keys of a scenario table, with controls according to their descriptions."""
    found = {key: one for key, one in scenario_keys().items() if key.startswith(f"{table}.")}
    return Layout(
        {title: tuple(found)} if found else {},
        {key: plain_control(one) for key, one in found.items()},
        simple=("discs.count", "discs.volume_fraction", *list(found)[:1]),
    )


def plain_control(described: FieldDescription) -> Control:
    """A slider over the range of a number, in steps of about a hundredth."""
    low, high = described.minimum, described.maximum
    if described.kind not in ("integer", "number"):
        return Control()
    if low is None or high is None or described.log:
        return Control(step=1 if described.kind == "integer" else 0.01)
    step = 1 if described.kind == "integer" else float(f"{(high - low) / 100.0:.1g}")
    inside = (low + step if described.open_minimum else low, high - step if described.open_maximum else high)
    return Control(step=step, slider=inside)


_INDENT = 14  # of the note, as of the names of the rows


class FoldingSection(QWidget):
    """A heading, an optional note, and rows 8 pixels apart. *Advanced* is folded at first."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.head = FoldButton(title)
        self.body = QWidget()
        self._rows = QVBoxLayout(self.body)
        self._rows.setContentsMargins(0, 4, 0, 0)
        self._rows.setSpacing(8)
        self.note = QLabel()
        self.note.setWordWrap(True)
        self.note.setContentsMargins(_INDENT, 0, 0, 0)
        self.note.setProperty("quiet", True)
        self.note.hide()
        self._rows.addWidget(self.note)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addWidget(self.head)
        self._column.addWidget(self.body)
        self._bare = False
        self.head.toggled.connect(self._show_body)
        self.head.setChecked(title != ADVANCED)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def add(self, row: QWidget) -> None:
        """Add a row."""
        self._rows.addWidget(row)

    @property
    def layouts(self) -> tuple[QLayout, QLayout]:
        """The layouts of the section and of its rows."""
        return self._column, self._rows

    def set_note(self, text: str) -> None:
        """Show a note above the rows; "" removes it."""
        self.note.setText(text)
        self.note.setVisible(bool(text) and not self._bare)

    def set_bare(self, bare: bool) -> None:
        """Show only the rows, without heading and note, or return to the usual state."""
        if bare != self._bare:
            self._bare = bare
            self.head.setVisible(not bare)
            self.set_note(self.note.text())
            self._show_body()

    def _show_body(self) -> None:
        self.body.setVisible(self._bare or self.head.isChecked())

    def open(self) -> None:
        """Unfold the section, so that its rows are shown."""
        self.head.setChecked(True)


class AsideLine(QWidget):
    """A line such as ``▸ Time stepping   11 settings`` that opens into a heading with these settings."""

    toggled = pyqtSignal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.content = Aside()
        self.head = FoldButton("")
        self.words = QLabel()
        self.words.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.head)
        self.words.setProperty("quiet", True)
        row.addWidget(self.words, 1)
        self.head.setChecked(False)
        self.head.toggled.connect(lambda _on: self.toggled.emit())
        self.hide()

    @property
    def opened(self) -> bool:
        """Whether the settings below the line are shown."""
        return self.head.isChecked()

    def open(self) -> None:
        """Show the settings below the line."""
        self.head.setChecked(True)

    def show_content(self, content: Aside) -> None:
        """Represent these settings; hidden if there are none."""
        self.content = content
        self.head.set_title(content.name)
        count = len(content.keys)
        self.words.setText(f"{count} settings")
        tip = f"{content.name}: {count} settings, used only with the method {content.used_by}"
        for widget in (self.head, self.words):
            widget.setToolTip(tip)
