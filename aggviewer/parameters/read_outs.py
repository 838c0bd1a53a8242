"""What follows from the parameters: the numbers, and the part of the inspector that shows them."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, sqrt

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QFormLayout, QLabel, QWidget

from aggviewer.parameters.field_row import MARK_WIDTH
from aggviewer.parameters.section import Section
from aggviewer.style.theme import tabular
from aggviewer.widgets.formula_tips import set_tip
from engine.scenario import Scenario

_READ_OUTS = {
    "radius": ("Mean radius <i>R</i>", r"From $N \pi \langle R^2\rangle = V_f L_x L_y$."),
    "box": ("Box <i>L</i>", "Sides of the box."),
    "density": ("Number density <i>n</i>", "Discs per area, $n = N / (L_x L_y)$."),
    "mean_free_path": (
        "Mean free path <i>λ</i>",
        (
            r"Estimate for a gas of discs of diameter $d$: $\lambda = 1 / (2 \sqrt{2}\, n d \chi)$, "
            r"$\chi = (1 - 7 V_f / 16) / (1 - V_f)^2$."
        ),
    ),
}


@dataclass(frozen=True)
class Derived:
    """radius: mean R; box: sides L_x, L_y; density: n, discs per area; mean_free_path: λ. Lengths in the scenario's
    unit."""

    radius: float
    box: tuple[float, float]
    density: float
    mean_free_path: float


def derive(scenario: Scenario) -> Derived | None:
    """What follows from count, volume fraction, box and radii; None where a file decides them.

    N π ⟨R²⟩ = V_f L_x L_y gives ⟨R²⟩, the distribution's variance ⟨R⟩. The mean free path is that of a gas of
    discs of diameter d = 2⟨R⟩ in equilibrium, λ = 1 / (2 √2 n d χ), with Henderson's value at contact
    χ = (1 - 7 V_f / 16) / (1 - V_f)²: an estimate of how far discs fly at the start.
    """
    discs = scenario.discs
    if discs.arrangement == "file":
        return None
    sides = scenario.box_size()
    area = sides[0] * sides[1]
    spread = discs.spread
    variance = {
        "equal": 0.0,
        "bidisperse": ((spread - 1.0) / (spread + 1.0)) ** 2,
        "uniform": spread**2 / 12.0,
        "lognormal": spread**2,
    }[discs.radii]
    radius = sqrt(discs.volume_fraction * area / (discs.count * pi) / (1.0 + variance))
    density = discs.count / area
    contact = (1.0 - 7.0 * discs.volume_fraction / 16.0) / (1.0 - discs.volume_fraction) ** 2
    return Derived(radius, sides, density, 1.0 / (2.0 * sqrt(2.0) * density * 2.0 * radius * contact))


class ReadOuts(Section):
    """Numbers that cannot be edited."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Follows from these", parent)
        box = QWidget()
        form = QFormLayout(box)
        form.setContentsMargins(MARK_WIDTH, 0, 0, 0)
        form.setVerticalSpacing(4)
        form.setHorizontalSpacing(8)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.values: dict[str, QLabel] = {}
        for name, (label, tip) in _READ_OUTS.items():
            value = self.values[name] = QLabel()
            value.setFont(tabular(value.font()))
            value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            caption = QLabel(label)
            for widget in (caption, value):
                set_tip(widget, f"<p>{tip}</p>")
            form.addRow(caption, value)
        self.add(box)

    def show_derived(self, derived: Derived | None) -> str:
        """Show the numbers, dashes for None; returns the size of the box in words."""
        texts = dict.fromkeys(self.values, "–")
        sides = ""
        if derived is not None:
            sides = " × ".join(f"{side:.5g}" for side in dict.fromkeys(derived.box))  # a square names its side once
            texts = {
                "radius": f"{derived.radius:.4g}",
                "box": sides,
                "density": f"{derived.density:.4g}",
                "mean_free_path": f"≈ {derived.mean_free_path:.3g}",
            }
        for name, text in texts.items():
            self.values[name].setText(text)
        return sides
