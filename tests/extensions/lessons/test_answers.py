"""Which answers are right, and what stands beside them."""

from __future__ import annotations

import pytest

from aggviewer.extensions.lessons.answers import Measurement, comparison_sentence, is_right
from aggviewer.extensions.lessons.model import MeasuredQuantity, Question


def question(**values: object) -> Question:
    """A question for a number, as the test says."""
    return Question.model_validate({"id": "speed", "ask": "How fast?"} | values)


@pytest.mark.parametrize(
    ("room", "found", "right", "wrong"),
    [
        ({"tolerance": 0.1}, Measurement(2.0), (1.91, 2.09), (1.89, 2.11)),
        ({"ratio": 0.1}, Measurement(20.0), (18.1, 21.9), (17.9, 22.1)),
        ({"ratio": 0.1}, Measurement(-20.0), (-18.1, -21.9), (-17.9, -22.1)),
        ({"tolerance": 1.0, "ratio": 0.1}, Measurement(2.0), (1.1, 2.9), (0.9, 3.1)),
        ({"tolerance": 1.0, "ratio": 0.1}, Measurement(20.0), (18.1, 21.9), (17.9, 22.1)),
        ({"tolerance": 0.1}, Measurement(2.0, 0.2), (1.71, 2.29), (1.69, 2.31)),
    ],
)
def test_an_answer_is_right_within_tolerance_ratio_and_error(
    room: dict[str, float], found: Measurement, right: tuple[float, ...], wrong: tuple[float, ...]
) -> None:
    asked = question(**room)
    assert all(is_right(asked, answer, found) for answer in right)
    assert not any(is_right(asked, answer, found) for answer in wrong)


@pytest.mark.parametrize(("error", "right"), [(float("nan"), [0]), (0.01, [0]), (0.035, [0, 1]), (0.09, [0, 2])])
def test_a_choice_is_right_within_the_error(error: float, right: list[int]) -> None:
    choices = [
        {"text": "Less", "when": "< 0.98"},
        {"text": "One", "when": "<= 1.02"},
        {"text": "More", "when": "> 1.02"},
    ]
    asked = question(choices=choices)
    assert [k for k in range(3) if is_right(asked, k, Measurement(0.965, error))] == right


@pytest.mark.parametrize(("own", "said", "shown"), [("", "0.5", "(m/s)"), ("km / h", "0.5 (m/s)", "(km/h)")])
def test_a_unit_stands_once_unless_the_answer_has_another(own: str, said: str, shown: str) -> None:
    asked = question(tolerance=0.1, unit="m / s")
    measure = MeasuredQuantity.model_validate({"of": "speed", "value": "x", "name": "Speed", "unit": own})
    words = comparison_sentence(asked, 0.5, measure, Measurement(0.48, 0.02))
    assert words == f"You predicted {said}; this run gave 0.48 ± 0.02 {shown}."
    assert comparison_sentence(asked, None, measure, Measurement(0.48)) == f"This run gave 0.48 {shown}."


@pytest.mark.parametrize("says", ["", "You predicted “{said}”; this run gave {found}."])
def test_a_measured_number_names_the_choice_that_it_means_unless_that_was_predicted(says: str) -> None:
    asked = question(choices=[{"text": "Nothing", "when": "<= 2"}, {"text": "They move", "when": "> 2"}])
    measure = MeasuredQuantity.model_validate({"of": "speed", "value": "x", "name": "Steps", "says": says})
    found = Measurement(7.0)
    assert comparison_sentence(asked, None, measure, found) == "This run gave 7: “They move”."
    assert comparison_sentence(asked, 1, measure, found) == "You predicted “They move”; this run gave 7."
    assert comparison_sentence(asked, 0, measure, found) == "You predicted “Nothing”; this run gave 7: “They move”."
