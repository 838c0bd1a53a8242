"""Values that change while it runs: sent at once, shown until the session says what it made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PyQt6.QtCore import QObject, QTimer

from engine.scenario import Scenario

_INTERVAL_MS = 33  # a drag sends no more often than this


class LiveValues(QObject):
    """What the person set and the session has not confirmed yet.

    wanted : dotted key to value, to be shown in place of what runs. The first value of a drag is sent at once, the
    next ones 30 times a second, and always the last one.
    """

    def __init__(self, send: Callable[[str, Any], None], parent: QObject) -> None:
        super().__init__(parent)
        self._send = send
        self.wanted: dict[str, Any] = {}
        self._waiting: dict[str, Any] = {}  # not sent yet
        self._under_way: dict[str, list[Any]] = {}  # sent, in order
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_INTERVAL_MS)
        self._timer.timeout.connect(self._flush)

    def set(self, key: str, value: Any) -> None:
        """Send a value, now or within the interval."""
        self.wanted[key] = self._waiting[key] = value
        if not self._timer.isActive():
            self._flush()

    def confirm(self, before: Scenario, now: Scenario) -> None:
        """The session runs `now`, and `before` until now: what it has taken over is wanted no more, and what someone
        else has changed meanwhile is theirs."""
        for key in list(self.wanted):
            value, sent = now.value(key), self._under_way.get(key, [])
            if value in sent:
                del sent[: sent.index(value) + 1]
                if not sent and key not in self._waiting:
                    self.drop(key)
            elif value != before.value(key):
                self.drop(key)

    def drop(self, key: str) -> None:
        """Back to what runs."""
        for values in (self.wanted, self._waiting, self._under_way):
            values.pop(key, None)

    def clear(self) -> None:
        """Back to what runs with all of them."""
        for key in list(self.wanted):
            self.drop(key)

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for key, value in waiting.items():
            self._under_way.setdefault(key, []).append(value)
            self._send(key, value)
        if waiting:
            self._timer.start()
