"""The one thread that owns the simulation. It takes commands between slices of work, in the order they were given."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Protocol

Command = Callable[[], None]


class ClosingError(Exception):
    """Ends long work early: the session closes."""


class Work(Protocol):
    """What the thread does between commands. Nothing may escape from `guard`."""

    def wait(self) -> float | None:
        """Seconds until `slice` is due: 0 for now, None for never (until a command comes)."""
        ...

    def slice(self) -> None:
        """Some milliseconds of work."""
        ...

    def guard(self, command: Command) -> None:
        """Run `command`; whatever it raises is told, and the thread lives on."""
        ...


class SimulationWorker:
    """Runs `work` on a thread of its own. Commands are left with `post` and never wait for one another's callers."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._commands: queue.SimpleQueue[Command | None] = queue.SimpleQueue()
        self._closing = threading.Event()
        self._urgent = 0  # commands that wait and end what is going on
        self._counting = threading.Lock()
        self._thread = threading.Thread(target=self._loop, name="aggviewer-simulation", daemon=True)

    @property
    def closing(self) -> bool:
        """True when long work should end early."""
        return self._closing.is_set()

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def post(self, command: Command) -> None:
        """Leave a command; it runs on the thread after those that were left before. Any thread."""
        self._commands.put(command)

    def post_urgent(self, command: Command) -> None:
        """Leave a command that ends what is going on: until its turn comes, long work is `hurried`. Any thread."""

        def carry_out() -> None:
            with self._counting:
                self._urgent -= 1
            command()

        with self._counting:
            self._urgent += 1
        self.post(carry_out)

    @property
    def hurried(self) -> bool:
        """True while a command waits that ends what is going on."""
        return self._urgent > 0

    def stop(self) -> None:
        """No further slice nor command begins. Any thread."""
        self._closing.set()

    def close(self, patience: float | None = None) -> bool:
        """Stop and join the thread, after the command or slice that it is at; False where that takes longer.

        patience : seconds to wait, None for as long as it takes.
        """
        self._closing.set()
        self._commands.put(None)
        if self._thread.ident is not None:
            self._thread.join(patience)
        return not self._thread.is_alive()

    def _loop(self) -> None:
        while not self.closing:
            self._take_commands(self._work.wait())
            if not self.closing and self._work.wait() == 0.0:
                self._work.guard(self._work.slice)

    def _take_commands(self, timeout: float | None) -> None:
        """Wait for a command as long as there is nothing else to do, then run those that are there."""
        try:
            command = self._commands.get(timeout=timeout)
            while command is not None and not self.closing:
                self._work.guard(command)
                command = self._commands.get_nowait()
        except queue.Empty:
            pass
