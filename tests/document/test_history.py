"""The stack of steps: named, merged by gesture, undone and redone in order."""

from __future__ import annotations

from aggviewer.document.history import MOST_STEPS, Step, UndoHistory


class Number(Step):
    """A number of `values` has changed."""

    def __init__(self, values: dict[str, int], name: str, value: int, *, keeps_redo: bool = False) -> None:
        super().__init__(f"{name} = {value}", name, keeps_redo=keeps_redo)
        self._values, self._name, self._before, self._after = values, name, values.get(name, 0), value
        values[name] = value

    def undo(self) -> None:
        self._values[self._name] = self._before

    def redo(self) -> None:
        self._values[self._name] = self._after

    def absorb(self, newer: Step) -> None:
        super().absorb(newer)
        assert isinstance(newer, Number)
        self._after = newer._after


def test_steps_are_undone_and_redone_in_order() -> None:
    history, values = UndoHistory(), {}
    assert (history.undo_text, history.redo_text) == ("", "")
    for name, value in (("a", 1), ("b", 2), ("a", 3)):
        history.push(Number(values, name, value))
    assert history.undo_text == "Undo a = 3"
    history.undo()
    history.undo()
    assert values == {"a": 1, "b": 0}
    assert (history.undo_text, history.redo_text) == ("Undo a = 1", "Redo b = 2")
    history.redo()
    assert values == {"a": 1, "b": 2}
    history.push(Number(values, "b", 5))
    assert history.redo_text == "", "what was undone is another way that was not taken"
    for _ in range(5):
        history.undo()
    assert values == {"a": 0, "b": 0}


def test_a_step_that_keeps_redo_ends_only_the_redo_of_its_own_kind() -> None:
    history, values = UndoHistory(), {}

    def look(value: int) -> None:
        history.push(Number(values, "look", value, keeps_redo=True))

    history.push(Number(values, "a", 1))
    look(1)
    history.push(Number(values, "b", 2))
    for _ in range(3):
        history.undo()
    assert values == {"a": 0, "look": 0, "b": 0}
    look(5)
    assert (history.undo_text, history.redo_text) == ("Undo look = 5", "Redo a = 1")
    history.redo()
    history.redo()
    assert values == {"a": 1, "look": 5, "b": 2}, "the newer view stays"
    assert history.redo_text == ""
    for _ in range(3):
        history.undo()
    assert values == {"a": 0, "look": 0, "b": 0}
    history.push(Number(values, "b", 7))
    assert history.redo_text == "", "another step does end it"


def test_a_view_after_a_step_that_came_to_nothing_leaves_what_could_be_redone() -> None:
    history, values = UndoHistory(), {}
    history.push(Number(values, "a", 1))
    history.undo()
    failed = history.push(Number(values, "b", 2), sure=False)
    history.push(Number(values, "look", 3, keeps_redo=True))
    assert history.redo_text == ""
    history.withdraw(failed)
    assert (history.undo_text, history.redo_text) == ("Undo look = 3", "Redo a = 1")


def test_a_gesture_is_one_step_for_each_thing_it_changes() -> None:
    history, values = UndoHistory(), {}
    history.begin_gesture()
    for value in (1, 2, 3):
        history.push(Number(values, "a", value))
    assert history.undo_text == "Undo a = 3"
    history.begin_gesture()
    history.push(Number(values, "a", 4))
    assert len(history.steps) == 2
    history.undo()
    assert values["a"] == 3
    history.undo()
    assert values["a"] == 0
    history.redo()
    assert values["a"] == 3
    history.push(Number(values, "a", 9))
    assert len(history.steps) == 2, "what was redone is over"
    history.push(Number(values, "b", 1))
    history.push(Number(values, "a", 10))
    assert len(history.steps) == 4, "something else came between"


def test_a_step_that_came_to_nothing_leaves_what_could_be_redone() -> None:
    history, values = UndoHistory(), {}
    history.push(Number(values, "a", 1))
    history.undo()
    failed = [history.push(Number(values, name, 2), sure=False) for name in "bc"]
    assert history.redo_text == ""
    for step in failed:
        history.withdraw(step)
    assert (history.undo_text, history.redo_text) == ("", "Redo a = 1")
    history.redo()
    assert values["a"] == 1
    history.undo()
    first, second = (history.push(Number(values, name, 2), sure=False) for name in "bc")
    history.confirm(first)
    history.withdraw(second)
    assert (history.undo_text, history.redo_text) == ("Undo b = 2", "")


def test_steps_that_belong_to_another_go_with_it() -> None:
    history, values = UndoHistory(), {}
    history.push(Number(values, "a", 1))
    with history.attached():
        history.push(Number(values, "b", 2))
    assert len(history.steps) == 1
    history.undo()
    assert values == {"a": 0, "b": 0}
    history.redo()
    assert values == {"a": 1, "b": 2}


def test_a_history_tells_every_change_and_forgets_the_oldest_step() -> None:
    history, values = UndoHistory(), {}
    told: list[str] = []
    history.changed.connect(lambda: told.append(history.undo_text))
    for value in range(MOST_STEPS + 5):
        history.push(Number(values, "a", value))
    assert told[0] == "Undo a = 0"
    assert told[-1] == f"Undo a = {MOST_STEPS + 4}"
    assert len(history.steps) == MOST_STEPS
