"""The table ``[jamming]`` of a scenario: rules, solver, when the chain of linear programs ends."""

from __future__ import annotations

from typing import Literal

from engine.scenario.section import Section, about


class Jamming(Section):
    """The chain of linear programs that jams a packing."""

    rules: Literal["trust-region", "calippso"] = about(
        "Rules",
        "How far {discs} can move in one iteration. Trust region: the bound $s_b$ follows the displacements. CALiPPSO: "
        "the cutoffs and bounds of the public package.",
        "trust-region",
        choices={"trust-region": "Trust region", "calippso": "CALiPPSO"},
    )
    solver: Literal["interior-point", "highs"] = about(
        "Solver",
        "Solver of the linear programs. Interior point: made for {discs}, fast. HiGHS: a general solver that finds a "
        "vertex; needs the optional package highs.",
        "interior-point",
        choices={"interior-point": "Interior point", "highs": "HiGHS"},
    )
    start: Literal["placed", "grown"] = about(
        "Start",
        "As placed: start from the arrangement. Grown: first compress the {discs} as bouncing hard {discs} "
        "(Lubachevsky and Stillinger) until they are nearly jammed.",
        "placed",
        choices={"placed": "As placed", "grown": "Grown"},
    )
    tolerance_inflation: float = about(
        "Tolerance of the inflation",
        r"The chain ends when $\sqrt{\Gamma} - 1$, the growth in one iteration, is below this.",
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
        "The chain ends when the largest displacement of an iteration, relative to the mean diameter, is below this.",
        1e-8,
        unit="",
        gt=0.0,
        lt=1.0,
        log=True,
        restart=False,
    )
    max_iterations: int = about(
        "Maximum iterations",
        "The chain ends after this many iterations.",
        1000,
        unit="iterations",
        ge=1,
        le=10_000_000,
        log=True,
        restart=False,
    )
