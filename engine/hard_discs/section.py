"""The table ``[hard_discs]`` of a scenario: restitution, gravity, growth, and how a run ends."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from engine.errors import InputError
from engine.scenario.section import Components, Section, about

MAX_GRAVITY = 1e9


class HardDiscs(Section):
    """The settings of a gas of hard discs."""

    equilibration: float = about(
        "Equilibration",
        "Elastic collisions of each {disc} before $t = 0$, without gravity and growth, so that the run starts with a "
        "gas in equilibrium. The energy does not change. 0: the {discs} start where they are placed.",
        0.0,
        unit="collisions each",
        ge=0.0,
        le=1e4,
    )
    restitution: float = about(
        "Restitution",
        r"$\varepsilon$ of two {discs}: $v_n' = -\varepsilon v_n$ for their normal relative velocity in a collision "
        "(Bannerman et al. 2014, equation 5); 1 conserves the energy.",
        1.0,
        symbol="ε",
        unit="",
        ge=0.0,
        le=1.0,
        restart=False,
    )
    wall_restitution: float = about(
        "Restitution at walls",
        r"$\varepsilon_w$ of a {disc} and a wall: $v_n' = -\varepsilon_w v_n$ for the normal velocity in an impact.",
        1.0,
        symbol="ε_w",
        unit="",
        ge=0.0,
        le=1.0,
        restart=False,
    )
    gravity: Components = about(
        "Gravity",
        "$g$: acceleration of every {disc} between collisions, $X(t) = X + V t + g t^2 / 2$. Only between walls.",
        (0.0, 0.0),
        symbol="g",
        unit="length/time²",
        allowed="two numbers [x, y], or three [x, y, z] in three dimensions",
        restart=False,
    )
    growth_rate: float = about(
        "Growth rate",
        r"Lubachevsky–Stillinger compression: $\langle R\rangle(t) = \langle R\rangle + \dot{R}\,t$ at this rate "
        r"$\dot{R}$, all radii in the same ratio.",
        0.0,
        symbol="dR/dt",
        unit="length/time",
        ge=0.0,
        le=1e6,
        restart=False,
    )
    growth_to_fraction: float = about(
        "Grow to fraction",
        r"Growth ends at this volume fraction. Equal discs cover at most $\pi/(2\sqrt{3}) \approx 0.907$, at random "
        "about 0.84.",
        0.9,
        symbol="V_f",
        unit="",
        gt=0.0,
        lt=1.0,
        restart=False,
    )
    growth_to_pressure: float = about(
        "Grow to pressure",
        r"Growth ends when the compressibility $Z = \beta P / \rho$, over the last 50 collisions per {disc}, exceeds "
        "this.",
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
        "$t_c$: a collision conserves energy if one of its {discs} had another contact less than $t_c$ ago (Luding and "
        "McNamara 1998). This prevents inelastic collapse; 0 switches it off.",
        0.0,
        symbol="t_c",
        unit="time",
        ge=0.0,
        le=1e9,
        restart=False,
    )
    count_impacts: bool = about(
        "Count impacts",
        r"Count the separations at collisions, $|r_{ij}| - \sigma$ in units in the last place of "
        r"$\sigma$ (Bannerman et al. 2014, figure 3). This takes a little time and changes nothing else.",
        False,
    )
    plates: int = about(
        "Plates",
        "Also drop a ball on this many plates, at random heights in [0, 1], with the ε of walls, and count how often "
        "naive and stable detection find no next event (Bannerman et al. 2014, figure 7).",
        0,
        unit="plates",
        ge=0,
        le=10_000_000,
    )
    on_collapse: Literal["stop", "continue"] = about(
        "At a collapse",
        "What to do when more and more collisions happen while time stands still: stop and name the {discs}, or "
        "continue.",
        "stop",
        choices={"stop": "Stop", "continue": "Continue"},
        restart=False,
    )

    @model_validator(mode="after")
    def _gravity_is_bounded(self) -> HardDiscs:
        """InputError if gravity is so large that a run would overflow."""
        if any(abs(g) > MAX_GRAVITY for g in self.gravity):
            numbers = "two numbers" if len(self.gravity) == 2 else "three numbers"
            raise InputError(
                f"hard_discs.gravity must be {numbers} from -{MAX_GRAVITY:g} to {MAX_GRAVITY:g}, not "
                f"{list(self.gravity)}",
                "hard_discs.gravity",
            )
        return self

    def gravity_in(self, dimensions: int) -> tuple[float, ...]:
        """The gravity with a number for each axis."""
        return (*self.gravity, 0.0)[:dimensions]
