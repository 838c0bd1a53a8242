"""What of the learner's doings is recognised."""

from __future__ import annotations

import pytest

from aggviewer.lessons.conditions import condition
from engine.errors import InputError
from engine.scenario import load_scenario
from tests.lessons.lesson_texts import Seen


def test_the_system_that_runs_is_known() -> None:
    jams = condition("system", "jamming")
    assert not jams.met(Seen())
    assert not jams.met(Seen(scenario=load_scenario("gas-10000")))
    assert jams.met(Seen(scenario=load_scenario("jam-256")))
    with pytest.raises(InputError, match=r"when\.system: it must be the name of a system: aggregation, hard-discs or"):
        condition("system", "sand")
