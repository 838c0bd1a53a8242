"""What every scenario (TOML, ``format = 1``) has, whatever its system: keys, defaults, ranges, what each of them means.

Each system defines its own table (``section.py``); `engine.scenario.Scenario` combines them. Every field carries its
title, symbol, unit and a description that names the equation where it enters, so that the parameter panel, the messages
and the documentation are built from this one place (see `engine.scenario.fields`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from engine.arrangements.table import ARRANGEMENTS, Arrangement
from engine.boundary import BOUNDARIES, Periodic
from engine.errors import MAX_COUNT, MAX_SIDE, MIN_SIDE, InputError, either, fault_of_box
from engine.scenario.kinds import DiscKind, read_kinds
from engine.scenario.section import (
    Positive,
    PositivePair,
    PositiveTriple,
    Section,
    a_number_an_axis,
    about,
    as_list,
    as_tuple,
)

MAX_SEED = 2**63 - 1

_PLACES = ", ".join(dict.fromkeys(one.says for one in ARRANGEMENTS.values()))
_AGGREGATED = ", ".join(one.title for one in ARRANGEMENTS.values() if one.aggregated)

if TYPE_CHECKING:
    ArrangementName = str
else:
    ArrangementName = Literal[(*ARRANGEMENTS, "file")]


_End = Literal["walls", "periodic"]
Boundary = Annotated[_End | tuple[_End, ...], BeforeValidator(as_tuple)]
"""The boundary along all axes, or one for each."""


class Box(Section):
    """The box [0, L_x] x [0, L_y] with the discs."""

    boundary: Boundary = about(
        "Boundary",
        "Walls reflect a whole cluster when one of its {discs} touches them (2.2). A periodic box has no edges. A "
        "list has one for each axis: a channel has walls along one axis and is periodic along the others.",
        "walls",
        kind="choice",
        allowed='"walls" or "periodic", or a list with one of them for each axis, such as ["periodic", "walls"]',
        choices={one: Periodic.of_boundary(one, 2 if isinstance(one, str) else len(one)).title for one in BOUNDARIES},
        only_in={one: (len(one),) for one in BOUNDARIES if isinstance(one, tuple)},
    )
    size: Positive | PositivePair | PositiveTriple | None = about(
        "Box size",
        r"Side $L$ of the box, or all its sides. If left out, the box has the area 1 per disc, $L = \sqrt{N}$, or the "
        r"volume 1 per sphere. It enters $V_f = \sum_i \pi R_i^2 / (L_x L_y)$.",
        None,
        symbol="L",
        unit="length",
        allowed="a number above 0, or two of them [x, y], or three [x, y, z] in three dimensions",
    )

    @model_validator(mode="after")
    def _size_fits(self) -> Box:
        sides = self.size if isinstance(self.size, tuple) else (self.size,)
        for side in sides:
            if side is not None and not MIN_SIDE <= side <= MAX_SIDE:
                raise InputError(f"box.size must be from {MIN_SIDE:g} to {MAX_SIDE:g}, not {side:g}", "box.size")
        if isinstance(self.size, tuple) and (fault := fault_of_box(np.array(self.size))):
            raise InputError(f"box.size: {fault}", "box.size")
        return self

    def given_sides(self, dimensions: int) -> tuple[float, ...] | None:
        """The sides if the scenario gives them, else None."""
        return self.size if self.size is None or isinstance(self.size, tuple) else (self.size,) * dimensions


class DiscsSection(Section):
    """How many discs there are, how large, and where they start."""

    count: int = about(
        "Number of {discs}",
        "$N$ {discs} at the start, and as many clusters $M$ before the first merge.",
        2500,
        symbol="N",
        unit="{discs}",
        ge=1,
        le=MAX_COUNT,
        log=True,
    )
    volume_fraction: float = about(
        "Volume fraction",
        r"Share of the box that the {discs} cover: $V_f = \sum_i \pi R_i^2 / (L_x L_y)$. With $N$ and $L$ it sets the "
        r"radii. A square lattice of equal discs holds at most $\pi/4 \approx 0.785$.",
        0.2,
        symbol="V_f",
        unit="",
        gt=0.0,
        lt=1.0,
    )
    arrangement: ArrangementName = about(
        "Arrangement",
        f"Where the {{discs}} start: {_PLACES}, or as a file says. One cluster from the start: {_AGGREGATED}.",
        "lattice",
        choices={name: one.title for name, one in ARRANGEMENTS.items()} | {"file": "From a file"},
        only_in={name: one.dimensions for name, one in ARRANGEMENTS.items()},
    )
    file: str = about(
        "State file",
        "File with x, y, vx, vy, radius, cluster of each {disc}, relative to the scenario's folder. It sets the count "
        "and, if it has a radius column, the radii.",
        "",
        allowed="the path of a file",
    )
    radii: Literal["equal", "bidisperse", "uniform", "lognormal"] = about(
        "Radii",
        r"Distribution of $R_i$. All radii are scaled so that $V_f = \sum_i \pi R_i^2 / (L_x L_y)$ holds; masses grow "
        "as $R_i^2$ and have the mean 1.",
        "equal",
        choices={
            "equal": "All equal",
            "bidisperse": "Two sizes, half each",
            "uniform": "Uniform",
            "lognormal": "Log-normal",
        },
    )
    spread: float = about(
        "Spread of the radii",
        "Two sizes: ratio of the larger to the smaller radius. Uniform: full width over the mean, "
        r"$\langle R\rangle (1 \pm \sigma/2)$. Log-normal: standard deviation over the mean. No effect on equal radii.",
        0.0,
        symbol="σ",
        unit="",
        ge=0.0,
        le=20.0,
    )
    kinds: Annotated[tuple[DiscKind, ...] | str, BeforeValidator(read_kinds)] = about(
        "Kinds",
        r"Sizes from a table, instead of a distribution: radius, share and, if wanted, mass of each kind. Radii are "
        r"scaled so that $V_f = \sum_i \pi R_i^2 / (L_x L_y)$ holds, masses so that their mean is 1; without masses "
        "they grow as $R_i^2$. Shares may have any sum. Or a file with these columns.",
        (),
        unit="",
        kind="kinds",
        allowed="tables [[discs.kinds]] with radius, mass and share, or the path of a file with these columns",
    )
    fix_overlaps: bool = about(
        "Fix overlaps",
        "Move {discs} from a file apart if they overlap or reach beyond a wall, each by at most the deepest overlap; "
        "clusters move as a whole. Such overlaps come from numbers with few digits.",
        False,
        unit="",
    )

    @property
    def placed(self) -> Arrangement | None:
        """The arrangement of the discs; None if a file gives their positions."""
        return ARRANGEMENTS.get(self.arrangement)

    @model_validator(mode="after")
    def _spread_fits(self) -> DiscsSection:
        if self.kinds and self.radii != "equal":
            raise InputError(
                f'discs.radii must be left out when discs.kinds gives the sizes, not "{self.radii}"', "discs.radii"
            )
        if self.radii == "bidisperse" and self.spread == 0.0:
            raise InputError(
                "discs.spread must be the ratio of the two radii, above 0 (1.4 for instance), when discs.radii is "
                '"bidisperse", not 0',
                "discs.spread",
            )
        if self.radii == "uniform" and self.spread >= 2.0:
            raise InputError(
                f'discs.spread must be below 2 when discs.radii is "uniform", not {self.spread:g}', "discs.spread"
            )
        if self.radii == "lognormal" and self.spread > 2.0:
            raise InputError(
                f'discs.spread must be at most 2 when discs.radii is "lognormal", not {self.spread:g}', "discs.spread"
            )
        return self


class VelocitiesSection(Section):
    """How fast the discs start."""

    distribution: Literal["circle", "square", "maxwell", "file", "rest"] = about(
        "Velocities",
        r"Circle: $|V_i| = v$ at uniform angles. Square: uniform in $v \cdot [-1/2, 1/2]^2$. Maxwell: each component "
        r"normal with standard deviation $v \sqrt{\langle m\rangle / m_i}$. File: from the state file. Rest: all 0. "
        "Random velocities of hard {discs} in a periodic box have zero total momentum, even of {discs} from a file.",
        "circle",
        choices={
            "circle": "Unit vectors",
            "square": "Uniform in a square",
            "maxwell": "Maxwell",
            "file": "From the file",
            "rest": "At rest",
        },
    )
    speed: float = about(
        "Speed",
        "Scale $v$ of the velocities: $V_i$ is the chosen distribution times this number. It sets the unit of time.",
        1.0,
        symbol="v",
        unit="length/time",
        ge=0.0,
        le=1e6,
    )
    exact: bool = about(
        "Exact temperature",
        r"Scale random velocities so that the temperature at the start is exactly the mean of their distribution: "
        r"$\langle m\rangle v^2$ for Maxwell, a $d$-th of it for unit vectors, a twelfth for the square.",
        False,
        unit="",
    )
    spin: Literal["thermal"] | Annotated[float, Field(ge=-1e6, le=1e6)] = about(
        "Spin",
        r"$\omega$ of each {disc} at the start, where clusters turn, in space about an axis of any direction. Thermal: "
        r"normal, with the mean energy of a degree of freedom, $\frac{1}{2} I \langle\omega^2\rangle = "
        r"\frac{1}{2} k T$ and $k T = \langle m V^2 \rangle / d$.",
        0.0,
        symbol="ω",
        unit="1/time",
        choices={"thermal": "Thermal"},
    )


class ShearSection(Section):
    """The shear flow in a periodic box."""

    rate: float = about(
        "Shear rate",
        r"$\dot\gamma$: the {discs} flow along x with the velocity $\dot\gamma\,(y - L_y/2)$, and the images above and "
        r"below the box move with the flow at their height (Lees and Edwards 1972). Only in a periodic box. A change "
        "during the run changes the flow of all {discs} at once.",
        0.0,
        symbol="γ̇",
        unit="1/time",
        ge=-1e6,
        le=1e6,
        restart=False,
    )


def system_field(choices: dict[str, str]) -> Any:
    """The field ``system``. `choices` has the title of each system by its name."""
    return about(
        "System",
        "{Discs} that stick (aggregation), bounce (hard {discs}) or grow until they jam (jamming).",
        "aggregation",
        choices=choices,
    )


class Model(Section):
    """The part of a scenario that all systems share. `engine.scenario.Scenario` adds their tables."""

    format: Literal[1] = about("Format", "Version of the scenario's format.", 1, allowed="1", choices={1: "1"})
    system: str = system_field({})
    dimensions: Literal[2, 3] = about(
        "Dimensions",
        "2 for discs in a plane, 3 for spheres in space.",
        2,
        unit="",
        allowed="2 or 3",
        choices={2: "2", 3: "3"},
    )
    seed: int = about(
        "Seed",
        "Seed of the random numbers; the same scenario with the same seed gives the same bits.",
        1,
        unit="",
        ge=0,
        le=MAX_SEED,
    )
    box: Box = Box()
    discs: DiscsSection = DiscsSection()
    velocities: VelocitiesSection = VelocitiesSection()
    shear: ShearSection = ShearSection()

    @model_validator(mode="before")
    @classmethod
    def _one_word_for_all_axes(cls, values: Any) -> Any:
        """Replace ["walls", "walls"] by "walls", so that scenarios with equal boxes are equal."""
        box = values.get("box") if isinstance(values, dict) else None
        ends = box.get("boundary") if isinstance(box, dict) else None
        if (
            isinstance(box, dict)
            and isinstance(ends, list | tuple)
            and ends
            and list(ends) == [ends[0]] * values.get("dimensions", 2)
        ):
            return values | {"box": box | {"boundary": ends[0]}}
        return values

    @property
    def periodic(self) -> Periodic:
        """Along which axes the box is periodic; along the others it has walls."""
        return Periodic.of_boundary(self.box.boundary, self.dimensions)

    @model_validator(mode="after")
    def _fits_its_dimensions(self) -> Model:
        size, boundary = self.box.size, self.box.boundary
        if isinstance(boundary, tuple) and len(boundary) != self.dimensions:
            raise InputError(
                f'box.boundary must be "walls", "periodic" or a list of {self.dimensions} of them when dimensions = '
                f"{self.dimensions}, not a list of {len(boundary)}",
                "box.boundary",
            )
        if isinstance(size, tuple) and len(size) != self.dimensions:
            wanted, found = a_number_an_axis(self.dimensions), as_list(size)
            raise InputError(
                f"box.size must be a number or {wanted} when dimensions = {self.dimensions}, not {found}", "box.size"
            )
        placed = self.discs.placed
        if placed is not None and self.dimensions not in placed.dimensions:
            known = (one.name for one in ARRANGEMENTS.values() if self.dimensions in one.dimensions)
            able = either(f'"{name}"' for name in (*known, "file"))
            raise InputError(
                f'discs.arrangement must be {able} when dimensions = {self.dimensions}, not "{self.discs.arrangement}"',
                "discs.arrangement",
            )
        if placed is not None and placed.crystal is not None:
            sides = self.box.given_sides(self.dimensions)
            placed.crystal.check(self.discs.count, None if sides is None else np.array(sides))
        return self

    @model_validator(mode="after")
    def _file_named(self) -> Model:
        if self.discs.arrangement == "file" and not self.discs.file:
            raise InputError('discs.file must name a file when discs.arrangement is "file"', "discs.file")
        if self.velocities.distribution == "file" and self.discs.arrangement != "file":
            raise InputError(
                'velocities.distribution can be "file" only when discs.arrangement is "file"',
                "velocities.distribution",
            )
        return self
