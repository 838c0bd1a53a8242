"""The simulation's thread changes neither the document nor the undo history: it leaves calls for their owner, here the
thread of the test, which makes them when it likes."""

from __future__ import annotations

import random
import threading
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from aggviewer.document.run import CameraPlace, RunMarks, RunModel
from aggviewer.session import Notice, Session
from aggviewer.session.data import DiscSet
from aggviewer.session.saved.session_file import read_session
from engine.errors import InputError
from engine.selection import Selection
from tests.session.driving import PATIENCE, discs, real_session, settle
from tests.session.fakes import FakeEngine


class Inbox:
    """Calls for this thread, in the order in which they were left."""

    def __init__(self) -> None:
        self._calls: deque[Callable[[], None]] = deque()

    def leave(self, call: Callable[[], None]) -> None:
        """Any thread."""
        self._calls.append(call)

    def make(self, most: int = 10**9) -> None:
        """Make the calls that wait, or the first of them."""
        for _ in range(min(most, len(self._calls))):
            self._calls.popleft()()

    @property
    def empty(self) -> bool:
        return not self._calls


def all_through(session: Session, inbox: Inbox) -> None:
    """Every command has been carried out, and the owner has heard of it."""
    settle(session)
    inbox.make()
    settle(session)
    inbox.make()
    assert inbox.empty


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


@pytest.fixture
def owned(engine: FakeEngine, inbox: Inbox) -> Iterator[Session]:
    """A session whose document belongs to this thread."""
    made = Session(engine, measuring_view_of=engine.measuring_view_of, post_to_owner=inbox.leave)
    yield made
    assert made.close(PATIENCE)


def saved(session: Session, path: Path) -> list[int]:
    """The selected discs in a session file that is saved now."""
    session.save_session(path)
    settle(session)
    return read_session(path).document.part(RunModel).marks.selected.numbers.tolist()


def test_a_file_has_the_marks_of_the_discs_in_it_before_the_owner_knows_that_they_have_begun(
    inbox: Inbox, tmp_path: Path
) -> None:
    path, other = tmp_path / "a.aggsession", tmp_path / "b.aggsession"
    with real_session(discs(12), post_to_owner=inbox.leave) as session:
        all_through(session, inbox)
        session.marking.select(Selection.discs([3], 12))
        assert saved(session, path) == [3]
        session.load(discs(9))
        assert saved(session, other) == []
        assert session.marking.value.selected.numbers.tolist() == [3], "of the discs that the owner knows"
        all_through(session, inbox)
        assert session.marking.value == RunMarks.none(9)
        session.history.undo()
        assert saved(session, other) == [3], "they have come back"
        all_through(session, inbox)
        session.marking.select(Selection.discs([5], 12))
        session.load(discs(10))
        session.open(path, run=False)
        assert saved(session, other) == [3], "from the file"
        all_through(session, inbox)
        assert session.marking.value.selected.numbers.tolist() == [3]
        session.history.undo()
        session.history.undo()
        all_through(session, inbox)
        assert session.marking.value.selected.numbers.tolist() == [5]


def test_a_command_can_be_undone_before_the_owner_knows_what_it_has_done(owned: Session, inbox: Inbox) -> None:
    owned.load(discs(12))
    all_through(owned, inbox)
    owned.load(discs(9))
    owned.compare(None)  # nothing is compared: no step
    assert owned.history.undo_text == "Undo end of the comparison"
    owned.history.undo()
    owned.history.undo()
    settle(owned)
    assert owned.status().count == 12
    inbox.make()
    assert (owned.history.undo_text, owned.history.redo_text) == ("", "Redo N = 9")
    owned.history.redo()
    all_through(owned, inbox)
    assert owned.status().count == 9


def test_a_run_is_kept_that_is_replaced_while_the_owner_says_which_ones_undo_needs(
    owned: Session, inbox: Inbox
) -> None:
    owned.load(discs(12))
    settle(owned)
    free = threading.Event()
    owned.after_commands(lambda: free.wait(PATIENCE))
    owned.load(discs(9))
    inbox.make()  # the run of 12 discs still goes on
    free.set()
    all_through(owned, inbox)
    assert owned.history.undo_text == "Undo N = 9", "and not that it begins again"
    owned.history.undo()
    settle(owned)
    assert owned.status().count == 12


def test_a_step_that_cannot_be_undone_goes_when_the_owner_hears_of_it(
    owned: Session, inbox: Inbox, engine: FakeEngine
) -> None:
    owned.load(discs(12))
    owned.load(discs(9))
    all_through(owned, inbox)
    threads: set[int] = set()
    owned.history.changed.connect(lambda: threads.add(threading.get_ident()))
    owned._loader.runs.shelf.budget = 0  # the earlier run is not kept, and has to begin again
    owned.restart()
    all_through(owned, inbox)
    engine.refuse = InputError("no", "discs.count")
    owned.history.undo()
    settle(owned)
    assert owned.history.redo_text == "Redo restart"
    all_through(owned, inbox)
    assert owned.history.redo_text == "", "there is nothing to do again"
    assert threads == {threading.get_ident()}


@pytest.mark.parametrize("seed", range(5))
def test_marks_and_views_that_a_person_changes_while_discs_arrive_stay_with_their_discs(
    owned: Session, inbox: Inbox, seed: int
) -> None:
    notices: list[Notice] = []
    owned.notices.sent.connect(notices.append)
    threads: set[int] = set()
    owned.document.changed.connect(lambda _change: threads.add(threading.get_ident()))
    owned.history.changed.connect(lambda: threads.add(threading.get_ident()))
    rng, marking, run = random.Random(seed), owned.marking, owned.document.run
    owned.load(discs(20))
    all_through(owned, inbox)
    for number in range(300):
        count = marking.value.count
        deed = rng.randrange(8)
        if deed == 0:
            owned.load(discs(rng.randint(18, 22)))
        elif deed == 1:
            owned.restart(rng.choice((None, number)))
        elif deed == 2:
            owned.history.undo()
        elif deed == 3:
            owned.history.redo()
        elif deed == 4:
            marking.select(Selection.discs([number % count], count))
        elif deed == 5:
            run.camera = CameraPlace(x=float(count), y=0.0, scale=1.0)
        else:
            inbox.make(rng.randint(1, 3))
        followed = owned.document.state.discs
        assert isinstance(followed, DiscSet)
        assert marking.value.count == followed.count, "marks are those of the discs that are followed"
    all_through(owned, inbox)
    assert marking.value.count == owned.status().count
    assert threads == {threading.get_ident()}
    assert not notices
