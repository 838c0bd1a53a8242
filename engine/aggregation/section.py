"""The table ``[aggregation]`` of a scenario: the method and its coefficients."""

from __future__ import annotations

from typing import Literal

from engine.scenario.section import Positive, Section, about

METHODS = ("event-driven", "time-stepping")
"""The methods of ballistic aggregation. A saved history names a method by its index here."""


class EventDrivenSection(Section):
    """The event-driven method."""

    search: Literal["trees", "all-pairs"] = about(
        "Search",
        "How the next impact is found. Box trees compare only nearby clusters. All pairs compares every {disc} with "
        "every other at each event, as in appendix A: $N^2$ work per event. Both give the same run.",
        "trees",
        choices={"trees": "Box trees", "all-pairs": "All pairs"},
        restart=False,
        carried=True,
    )


class TimeSteppingSection(Section):
    """The time-stepping method."""

    step: Literal["adaptive"] | Positive = about(
        "Time step",
        r"$\Delta t$ of a step. Adaptive: $\Delta t = f R_\max / \max_k |V_k|$ (3.3), where clusters turn with the "
        r"speed of their farthest {disc} in place of $|V_k|$. A number: fixed.",
        "adaptive",
        symbol="Δt",
        unit="time",
        choices={"adaptive": "Adaptive"},
        restart=False,
    )
    fraction: float = about(
        "Radius fraction",
        r"Adaptive step: the fastest cluster travels $f$ radii, $\Delta t = f R_\max / \max_k |V_k|$ (3.3).",
        0.5,
        symbol="f",
        unit="",
        gt=0.0,
        le=1.0,
        restart=False,
    )
    clusters: Literal["deformable", "rigid"] = about(
        "Clusters",
        "Deformable: all {discs} of clusters in contact can move in the minimisation (3.5). Rigid: each cluster moves "
        "as a whole.",
        "deformable",
        choices={"deformable": "Deformable", "rigid": "Rigid"},
        restart=False,
        carried=True,
    )


class Damping(Section):
    """The minimisation inside a time step."""

    scheme: Literal["damped", "arrow-hurwicz"] = about(
        "Scheme",
        "Damped second-order system (3.22) or the Arrow–Hurwicz algorithm (3.17).",
        "damped",
        choices={"damped": "Damped second order", "arrow-hurwicz": "Arrow–Hurwicz"},
        restart=False,
    )
    alpha: float = about(
        "Step of the positions",
        r"$\alpha$: the positions follow $X \leftarrow X - \alpha \, \partial L/\partial X$ (3.17), (3.22).",
        0.1,
        symbol="α",
        unit="",
        gt=0.0,
        le=10.0,
        restart=False,
    )
    beta: float = about(
        "Step of the multipliers",
        r"$\beta$: the multipliers follow $\lambda \leftarrow \max(0, \lambda + \beta \varphi)$ (3.17), (3.22).",
        0.05,
        symbol="β",
        unit="",
        gt=0.0,
        le=10.0,
        restart=False,
    )
    gamma: float = about(
        "Weight of the constraint force",
        r"$\gamma$: the term $\gamma \sum \lambda \varphi \, \partial \varphi/\partial X$ of the damped system (3.22).",
        0.1,
        symbol="γ",
        unit="",
        ge=0.0,
        le=10.0,
        restart=False,
    )
    c: float = about(
        "Friction",
        r"$c$: the term $-c \dot{X}$ of the damped system (3.22).",
        0.6,
        symbol="c",
        unit="",
        ge=0.0,
        lt=2.0,
        restart=False,
    )
    adaptive: bool = about(
        "Adapt the coefficients",
        r"Adapt $\alpha$, $\beta$, $\gamma$ and $c$ during a minimisation to keep it from diverging.",
        True,
        restart=False,
    )
    tolerance: float = about(
        "Tolerance",
        r"A minimisation ends when $\max |\varphi|$ over the links is below this, relative to $R^2$.",
        1e-3,
        symbol="max |φ| / R²",
        unit="",
        gt=0.0,
        le=1.0,
        log=True,
        restart=False,
    )
    max_iterations: int = about(
        "Maximum iterations",
        "A minimisation that needs more iterations counts as not converged, and the plot says so.",
        5000,
        unit="iterations",
        ge=1,
        le=10_000_000,
        log=True,
        restart=False,
    )


class Aggregation(Section):
    """How ballistic aggregation is computed."""

    method: Literal["event-driven", "time-stepping"] = about(
        "Method",
        r"Event-driven: exact, from contact to contact (appendix A). Time stepping: a step $\Delta t$ and a "
        "minimisation without overlap (section 3).",
        "event-driven",
        choices={"event-driven": "Event-driven", "time-stepping": "Time-stepping"},
        restart=False,
        carried=True,
    )
    rotation: bool = about(
        "Clusters turn",
        r"Clusters are rigid bodies that also turn about their centre of mass, with $\omega = I^{-1} L$: a merge keeps "
        "momentum and angular momentum. Off: clusters only translate, as in the paper.",
        False,
        restart=False,
        carried=True,
    )
    event_driven: EventDrivenSection = EventDrivenSection()
    time_stepping: TimeSteppingSection = TimeSteppingSection()
    damping: Damping = Damping()
