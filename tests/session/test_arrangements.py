"""What the session takes from the table of arrangements: what it shows while kernels compile."""

from __future__ import annotations

import pytest

from aggviewer.session.builder import Engine
from engine.arrangements.table import ARRANGEMENTS
from engine.scenario import Scenario


@pytest.mark.parametrize("name", ARRANGEMENTS)
def test_discs_are_shown_before_the_kernels_are_there_where_they_need_none(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Engine, "_warm", set())
    one = ARRANGEMENTS[name]
    count = 27 if one.crystal is None else one.crystal.fitting(27)[-1]
    discs = {"discs.arrangement": name, "discs.count": count, "discs.volume_fraction": 0.01}
    scenario = Scenario().with_values({"dimensions": one.dimensions[0], **discs})
    state = Engine().preview(scenario)
    assert (state is None) == (name == "random")
    assert state is None or len(state.positions) == count
