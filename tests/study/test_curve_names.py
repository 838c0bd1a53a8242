"""Which names of curves a study accepts, from the summary of a small run in which some have no value."""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import InputError
from engine.study.quantities import check_curves
from engine.system import System, find

PACKING = {"contacts": 12, "extended_forces": {"edges": [1, 2], "density": [3]}, "buckler_forces": None}
REHEARSED: dict[str, Any] = {"indicators": {"packing": PACKING, "box_counting": None}, "iterations": 5}


@pytest.fixture
def jamming() -> System:
    """The system of packings."""
    found = find("jamming")
    assert found is not None
    return found


def test_a_curve_without_a_value_in_a_small_run_is_accepted(jamming: System) -> None:
    check_curves(["packing.extended_forces", "packing.buckler_forces", "history.volume_fraction"], jamming, REHEARSED)


@pytest.mark.parametrize("name", ["packing.contacts", "packing.nothing", "iterations"])
def test_a_wrong_name_of_a_curve_is_refused(jamming: System, name: str) -> None:
    with pytest.raises(InputError, match=f"{name} is not a curve"):
        check_curves([name], jamming, REHEARSED)


def test_an_unknown_name_is_refused(jamming: System) -> None:
    with pytest.raises(InputError, match="is not a quantity of a run of"):
        check_curves(["gibberish"], jamming, REHEARSED)
