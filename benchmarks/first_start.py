"""The first start, while kernels are compiled, with a heart that beats: what `benchmarks.test_heartbeat` starts.

``python -m benchmarks.first_start`` with an empty folder for caches opens the window as the program does, opens a
scenario of each system as soon as the one before runs, and prints what `WatchedHeartbeat` has found, as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict

from PyQt6.QtCore import QTimer

from aggviewer.cli import entry
from benchmarks.heartbeat import WatchedHeartbeat

_SCENARIOS = ("stepping-2500", "maxwell-2500", "jam-256")
_RUNS = 2.0  # seconds for which each is let run


def main() -> int:
    """Start, and end when the last scenario runs."""
    entry.load_installed()
    from aggviewer.window import app
    from aggviewer.window.main_window import MainWindow

    class Watched(MainWindow):
        """The window, with a heart from the moment at which it is shown."""

        def open_first(self, files: list[str], default: str) -> None:
            self._heart = WatchedHeartbeat()
            self._heart.doing = "the first picture of the window"
            self._left, self._runs_since = list(_SCENARIOS), 0.0
            self._began = time.perf_counter()
            self._doing = f"the first start, {default}"
            super().open_first(files, default)
            self._look = QTimer(self)
            self._look.timeout.connect(self._next)
            self._look.start(50)

        def _next(self) -> None:
            now = time.perf_counter()
            self._heart.doing = self._doing
            if self.session.status().state not in ("running", "finished"):
                self._runs_since = 0.0
            elif not self._runs_since:
                self._runs_since = now
            elif now - self._runs_since > _RUNS:
                self._runs_since = 0.0
                if not self._left:
                    self._tell()
                    return
                name = self._left.pop(0)
                self._doing = f"the first start, {name}"
                self.commands.run(f"scenario.{name}")

        def _tell(self) -> None:
            self._look.stop()
            heart = self._heart
            heart.stop()
            found = {
                "seconds": time.perf_counter() - self._began,
                "waits": heart.take().milliseconds.tolist(),
                "busy": [beat[1] for beat in heart.busy],
                "gaps": [asdict(gap) for gap in heart.take_gaps()],
            }
            print(json.dumps(found), flush=True)
            self.close()

    app.MainWindow = Watched  # type: ignore[attr-defined]
    return app.run_window([])


if __name__ == "__main__":
    sys.exit(main())
