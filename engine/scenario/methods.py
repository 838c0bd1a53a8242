"""The tables of a scenario about how each system is computed."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from engine.errors import InputError
from engine.scenario.section import Pair, Positive, Section, about

MAX_GRAVITY = 1e9


class TimeStepping(Section):
    """The time-stepping method."""

    step: Literal["adaptive"] | Positive = about(
        "Time step",
        "Δt of a step: adaptive follows Δt = f R_max / max |V_k| (3.3), a number keeps it fixed.",
        "adaptive",
        symbol="Δt",
        unit="time",
        allowed='"adaptive" or a number above 0',
        above=0.0,
        restart=False,
    )
    fraction: float = about(
        "Radius fraction",
        "Adaptive step: the fastest cluster travels f radii, Δt = f R_max / max |V_k| (3.3).",
        0.5,
        symbol="f",
        unit="",
        gt=0.0,
        le=1.0,
        restart=False,
    )
    clusters: Literal["deformable", "rigid"] = about(
        "Clusters",
        "Deformable: all discs of the clusters in contact may move in the minimisation (3.5). Rigid: each moves as "
        "a whole.",
        "deformable",
        choices={"deformable": "Deformable", "rigid": "Rigid"},
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
        "α: X ← X - α ∂L/∂X (3.17), (3.22).",
        0.1,
        symbol="α",
        unit="",
        gt=0.0,
        le=10.0,
        restart=False,
    )
    beta: float = about(
        "Step of the multipliers",
        "β: λ ← max(0, λ + β φ) (3.17), (3.22).",
        0.05,
        symbol="β",
        unit="",
        gt=0.0,
        le=10.0,
        restart=False,
    )
    gamma: float = about(
        "Weight of the constraint force",
        "γ: the term γ Σ λ φ ∂φ/∂X of the damped system (3.22).",
        0.1,
        symbol="γ",
        unit="",
        ge=0.0,
        le=10.0,
        restart=False,
    )
    c: float = about(
        "Friction",
        "c: the term -c X' of the damped system (3.22).",
        0.6,
        symbol="c",
        unit="",
        ge=0.0,
        lt=2.0,
        restart=False,
    )
    adaptive: bool = about(
        "Let the coefficients evolve",
        "Adapt α, β, γ and c during a minimisation so that it does not diverge.",
        True,
        restart=False,
    )
    tolerance: float = about(
        "Tolerance",
        "A minimisation ends when max |φ| over the links is below this, relative to R².",
        1e-3,
        symbol="max |φ| / R²",
        unit="",
        gt=0.0,
        le=1.0,
        log=True,
        restart=False,
    )
    max_iterations: int = about(
        "Most iterations",
        "A minimisation that takes more iterations counts as not converged, and says so.",
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
        "Event-driven: exact, from contact to contact (appendix A). Time-stepping: a step Δt and a minimisation "
        "without overlap (section 3).",
        "event-driven",
        choices={"event-driven": "Event-driven", "time-stepping": "Time-stepping"},
    )
    time_stepping: TimeStepping = TimeStepping()
    damping: Damping = Damping()


class HardDiscs(Section):
    """Hard discs that bounce."""

    equilibration: float = about(
        "Equilibration",
        "Elastic collisions of each disc before t = 0, without gravity and growth: the run begins with a gas in "
        "equilibrium instead of a lattice. The energy stays what it was. 0: the discs start where they are placed.",
        0.0,
        unit="collisions per disc",
        ge=0.0,
        le=1e4,
    )
    restitution: float = about(
        "Restitution",
        "ε of two discs: their normal relative velocity after a collision is -ε times that before (Bannerman et al. "
        "2014, equation 5); 1 keeps the energy.",
        1.0,
        symbol="ε",
        unit="",
        ge=0.0,
        le=1.0,
        restart=False,
    )
    wall_restitution: float = about(
        "Restitution at walls",
        "ε of a disc and a wall: the normal velocity after an impact is -ε times that before.",
        1.0,
        symbol="ε_w",
        unit="",
        ge=0.0,
        le=1.0,
        restart=False,
    )
    gravity: Pair = about(
        "Gravity",
        "g: acceleration of every disc between collisions, X(t) = X + V t + g t²/2. Only between walls.",
        (0.0, 0.0),
        symbol="g",
        unit="length/time²",
        allowed="two numbers [x, y]",
        restart=False,
    )
    growth_rate: float = about(
        "Growth rate",
        "Lubachevsky–Stillinger compression: ⟨R⟩(t) = ⟨R⟩ + rate · t, all radii in the same ratio.",
        0.0,
        symbol="dR/dt",
        unit="length/time",
        ge=0.0,
        le=1e6,
        restart=False,
    )
    growth_to_fraction: float = about(
        "Grow to fraction",
        "Growth ends at this volume fraction. Equal discs fill at most π/(2√3) ≈ 0.907, at random about 0.84.",
        0.9,
        symbol="V_f",
        unit="",
        gt=0.0,
        lt=1.0,
        restart=False,
    )
    growth_to_pressure: float = about(
        "Grow to pressure",
        "Growth ends where the compressibility Z = β P / ρ, over the last 50 collisions of a disc, exceeds this.",
        1e9,
        symbol="Z",
        unit="",
        gt=1.0,
        le=1e15,
        log=True,
        restart=False,
    )
    contact_time: float = about(
        "Contact time",
        "t_c: a collision keeps the energy where one of the two discs had its last contact less than t_c ago (Luding "
        "and McNamara 1998). It ends inelastic collapse; 0 leaves it out.",
        0.0,
        symbol="t_c",
        unit="time",
        ge=0.0,
        le=1e9,
        restart=False,
    )
    on_collapse: Literal["stop", "continue"] = about(
        "At a collapse",
        "What to do where ever more collisions happen while the clock stands still: stop and name the discs, or go on.",
        "stop",
        choices={"stop": "Stop", "continue": "Go on"},
        restart=False,
    )

    @model_validator(mode="after")
    def _gravity_fits(self) -> HardDiscs:
        if any(abs(g) > MAX_GRAVITY for g in self.gravity):
            raise InputError(
                f"hard_discs.gravity must be two numbers from -{MAX_GRAVITY:g} to {MAX_GRAVITY:g}, not "
                f"{list(self.gravity)}",
                "hard_discs.gravity",
            )
        return self


class Jamming(Section):
    """The chain of linear programs that jams a packing."""

    rules: Literal["trust-region", "calippso"] = about(
        "Rules",
        "How far discs may move in one program. Trust region: the bound s_b follows the displacements. CALiPPSO: the "
        "cutoffs and bounds of the public package.",
        "trust-region",
        choices={"trust-region": "Trust region", "calippso": "CALiPPSO"},
    )
    solver: Literal["interior-point", "highs"] = about(
        "Solver",
        "Of the linear programs. Interior point: made for discs, fast. HiGHS: the general solver, finds a vertex.",
        "interior-point",
        choices={"interior-point": "Interior point", "highs": "HiGHS"},
    )
    start: Literal["placed", "grown"] = about(
        "Start",
        "Placed: the discs as they are arranged. Grown: compressed first as hard discs that bounce (Lubachevsky and "
        "Stillinger) until they are nearly jammed.",
        "placed",
        choices={"placed": "As placed", "grown": "Grown"},
    )
    tolerance_inflation: float = about(
        "Tolerance of the inflation",
        "The chain ends when √Γ - 1, the growth that a step still allows, is below this.",
        1e-8,
        symbol="√Γ - 1",
        unit="",
        gt=0.0,
        lt=1.0,
        log=True,
        restart=False,
    )
    tolerance_displacement: float = about(
        "Tolerance of the displacements",
        "The chain ends when the largest displacement of a step, relative to the mean diameter, is below this.",
        1e-8,
        unit="",
        gt=0.0,
        lt=1.0,
        log=True,
        restart=False,
    )
    max_iterations: int = about(
        "Most iterations",
        "The most linear programs in the chain.",
        1000,
        unit="iterations",
        ge=1,
        le=10_000_000,
        log=True,
        restart=False,
    )
