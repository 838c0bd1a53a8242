"""What the ball on the plate does in exact arithmetic, to many more digits than a float has.

The floats that are given (r_plate, h, eps, g, sigma) are taken for exactly what they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction

from engine.hard_discs.ball.fall import Drop

DIGITS = 60
"""Significant digits of the square root, the only number here that is rounded."""


@dataclass(frozen=True)
class ExactImpact:
    """The n-th impact: its time t_n, and the velocity right after it, upwards."""

    time: Fraction
    velocity: Fraction


def exact_contact(drop: Drop) -> Fraction:
    """r_plate + sigma/2, unrounded: mostly no float."""
    return Fraction(drop.plate) + Fraction(drop.sigma) / 2


def exact_impacts(drop: Drop, count: int) -> list[ExactImpact]:
    """The first `count` impacts: t_n = sqrt(2 h / g) (1 + 2 eps + … + 2 eps^(n-1)), v_n = eps^n sqrt(2 g h)."""
    with localcontext(Context(prec=DIGITS)):
        height, gravity, restitution = Decimal(drop.drop), Decimal(drop.gravity), Decimal(drop.restitution)
        first = (2 * height / gravity).sqrt()
        time, speed = first, first * gravity
        found = []
        for _ in range(count):
            speed *= restitution
            found.append(ExactImpact(Fraction(time), Fraction(speed)))
            time += 2 * speed / gravity
    return found
