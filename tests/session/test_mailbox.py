from __future__ import annotations

import threading

import numpy as np
import pytest

from aggviewer.session.publisher import FrameMailbox


def filled() -> FrameMailbox[list[int]]:
    box: FrameMailbox[list[int]] = FrameMailbox()
    box.refill(lambda: [0])
    return box


def write(box: FrameMailbox[list[int]], value: int) -> None:
    box.back[0] = value
    box.publish()


def test_a_mailbox_is_empty_before_the_first_frame() -> None:
    assert filled().take() is None
    with pytest.raises(RuntimeError, match="no buffers"):
        _ = FrameMailbox().back


def test_the_latest_wins_and_is_taken_once() -> None:
    box = filled()
    write(box, 1)
    write(box, 2)
    assert box.take() == [2]
    assert box.take() is None


def test_the_mailbox_knows_whether_the_last_frame_was_taken() -> None:
    box = filled()
    assert box.frame_taken
    write(box, 1)
    assert not box.frame_taken
    box.take()
    assert box.frame_taken


def test_the_reader_may_keep_a_buffer_while_it_takes_others() -> None:
    box = filled()
    write(box, 1)
    mine = box.take()
    for value in range(2, 12):
        write(box, value)
        latest = box.take(keep=mine)
        write(box, 100 + value)
        write(box, 200 + value)
        assert (mine, latest) == ([1], [value])
        assert box.take(keep=mine) == [200 + value]
    write(box, 20)
    kept = box.take()
    write(box, 21)
    assert box.take(keep=kept) is not mine, "it still belongs to nobody else"
    assert kept == [20]


def test_a_frame_that_the_reader_has_looked_for_in_vain_is_told_once() -> None:
    told: list[int] = []
    box: FrameMailbox[list[int]] = FrameMailbox(lambda: told.append(box.back[0]))
    box.refill(lambda: [0])
    write(box, 1)
    assert not told, "nobody has looked"
    box.take()
    write(box, 2)
    assert box.take() == [2]
    assert not told, "it was there in time"
    assert box.take() is None
    assert box.take() is None
    write(box, 3)
    write(box, 4)
    assert len(told) == 1
    assert box.take() == [4]


def test_refill_drops_what_waits() -> None:
    box = filled()
    write(box, 1)
    box.refill(lambda: [5])
    assert box.take() is None


def test_two_threads_never_see_a_torn_or_older_frame() -> None:
    box: FrameMailbox[np.ndarray] = FrameMailbox()
    box.refill(lambda: np.zeros(4096, np.int64))
    last = 3000

    def produce() -> None:
        for value in range(1, last + 1):
            box.back[:] = value
            box.publish()

    thread = threading.Thread(target=produce)
    thread.start()
    seen = 0
    while seen < last:
        frame = box.take()
        if frame is None:
            continue
        assert frame.min() == frame.max(), "a frame changed while it was read"
        assert frame[0] > seen, "an older frame after a newer one"
        seen = int(frame[0])
    thread.join()
