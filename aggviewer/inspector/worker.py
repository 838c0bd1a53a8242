"""Makes tables on a thread of its own, the latest that was asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import perf_counter

from aggviewer.inspector.tables import Ask, Table, TableSource, tabulate
from aggviewer.priority import BESIDE, give_way
from engine.errors import InputError

Answer = Callable[[Table | InputError], None]


class TableWorker:
    """Makes one table at a time. `answer` is called on its thread.

    Attributes
    ----------
    took : seconds that the last table has taken.
    """

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._wake = threading.Condition()
        self._job: tuple[TableSource, Ask] | None = None
        self._calls: list[Callable[[], None]] = []
        self._busy = self._closed = False
        self.took = 0.0
        self._thread = threading.Thread(target=self._run, name="inspector", daemon=True)
        self._thread.start()

    @property
    def busy(self) -> bool:
        """Whether a table is being made, or waits."""
        with self._wake:
            return self._busy or self._job is not None or bool(self._calls)

    def post(self, source: TableSource, ask: Ask) -> None:
        """Have a table made; one that waits is not made any more."""
        with self._wake:
            if self._closed:
                return
            self._job = (source, ask)
            self._wake.notify()

    def call(self, work: Callable[[], None]) -> None:
        """Have something else done on its thread, such as writing a table; it must not raise."""
        with self._wake:
            if not self._closed:
                self._calls.append(work)
                self._wake.notify()

    def close(self) -> None:
        """End and join the thread."""
        with self._wake:
            self._closed, self._job = True, None
            self._wake.notify()
        self._thread.join()

    def _run(self) -> None:
        give_way(BESIDE)
        while True:
            with self._wake:
                self._busy = False
                while self._job is None and not self._calls and not self._closed:
                    self._wake.wait()
                call = self._calls.pop(0) if self._calls else None
                if call is None:
                    if self._job is None:
                        return
                    (source, ask), self._job = self._job, None
                self._busy = True
            if call is not None:
                call()
                continue
            begun = perf_counter()
            try:
                made: Table | InputError = tabulate(source, ask)
            except InputError as error:
                made = error
            except Exception as error:  # a field of a plug-in may raise anything
                made = InputError(f"the table cannot be made: {type(error).__name__}: {error}")
            self.took = perf_counter() - begun
            if not self._closed:
                self._answer(made)
