"""Where the states of one lane come out: the latest frame, and the latest indicators."""

from __future__ import annotations

from collections.abc import Callable

from aggviewer.session.analyst import Analyst
from aggviewer.session.data import Shown
from aggviewer.session.engine_face import EngineFace
from aggviewer.session.mailbox import FrameMailbox
from aggviewer.session.packing_pool import PackingPool
from aggviewer.session.publisher import Publisher
from aggviewer.session.view import ViewModel


class Outlet:
    """A mailbox, an analyst with a thread of its own, and the publisher that feeds both."""

    def __init__(
        self,
        engine: EngineFace,
        view: ViewModel,
        on_error: Callable[[Exception], None],
        on_contacts: Callable[[], None],
        pool: PackingPool,
    ) -> None:
        self.mailbox: FrameMailbox[Shown] = FrameMailbox()
        self.analyst = Analyst(engine, on_error, on_contacts, pool=pool)
        self.publisher = Publisher(self.mailbox, self.analyst, view)
