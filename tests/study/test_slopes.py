"""Exponents of the curves of each run, as quantities of a study."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from engine import study
from engine.errors import InputError
from engine.study.model import CurveSlope
from engine.study.quantities import CurveQuantity, slope_of
from tests.study.studies import TINY, tiny

D_F: dict[str, Any] = {"name": "D_f", "curve": "box_counting", "sign": -1}
M: dict[str, Any] = {"name": "slope of M", "curve": "history.clusters", "decades": 1.0}


def power(**more: Any) -> CurveSlope:
    """A slope of a curve."""
    return CurveSlope.model_validate({"name": "s", "curve": "c"} | more)


def test_an_exponent_is_that_of_the_points_in_its_range() -> None:
    x = np.geomspace(1.0, 1000.0, 31)
    curve = CurveQuantity(x, np.where(x > 99.0, x**-2.0, x), "x", "y")
    assert slope_of(curve, power(between=[100.0, 1000.0])) == pytest.approx(-2.0)
    assert slope_of(curve, power(decades=1.0, sign=-1)) == pytest.approx(2.0)
    assert slope_of(curve, power(between=[1.0, 90.0])) == pytest.approx(1.0)
    assert slope_of(curve, power(between=[1.0, 1.1])) is None, "one point"
    assert slope_of(None, power()) is None
    assert slope_of(CurveQuantity(x, np.zeros(31), "x", "y"), power()) is None
    assert slope_of(CurveQuantity(np.zeros(0), np.zeros(0), "x", "y"), power()) is None


def test_a_study_has_them_beside_its_quantities() -> None:
    wanted = tiny(
        measure={"quantities": ["fractal_dimension"], "slope": [D_F, M]},
        figure=[{"y": "D_f", "x": "discs.count"}],
        claim=[{"says": "It is so", "y": "D_f", "expect": 1.5, "within": 5.0}],
    )
    result = study.run(wanted, workers=0)
    assert not list(result.curves().index), "curves that are only read are not kept"
    runs = result.runs
    assert (runs["status"] == "done").all()
    # over all sizes of cells N(ε) levels off: the dimension over the range of (4.15) is larger
    assert (runs["D_f"] < runs["fractal_dimension"]).all()
    assert (runs["slope of M"] < 0.0).all()
    means = result.summary()
    (one,) = means[(means["quantity"] == "D_f") & (means["point"] == 0)].to_dict("records")
    values = runs[runs["point"] == 0]["D_f"]
    assert one["error"] == pytest.approx(values.std(ddof=1) / math.sqrt(3))
    assert study.Study.from_values(wanted.to_values()) == wanted


@pytest.mark.parametrize(
    ("slopes", "message"),
    [
        ([D_F | {"between": [1.0, 2.0], "decades": 1.0}], "either between or decades"),
        ([{"name": "D_f"}], "curve is missing"),
        ([D_F, M | {"name": "D_f"}], "two quantities D_f"),
        ([D_F | {"decades": 0.0}], "above 0|greater than 0"),
        ([D_F | {"sign": 2}], "sign"),
        ([D_F | {"curve": "history.nothing"}], "history.nothing is not a curve"),
        ([D_F | {"name": "contacts_relative"}], "contacts_relative is already the name of a quantity"),
    ],
)
def test_impossible_slopes_are_refused(slopes: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        study.run(tiny(measure={"slope": slopes}, vary=TINY["vary"][:1], seeds={"count": 1}), workers=0)
