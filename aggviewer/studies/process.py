"""The processes that work on studies: the window itself computes nothing of them.

Both are ``aggviewer study`` at low priority. A study records each run in its folder as it ends, so that its process may
be ended, or die, at any moment.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import tomli_w
from PyQt6.QtCore import QObject, QProcess, QTimer, pyqtSignal

from aggviewer.studies.kept import KeptStudy
from engine.study.folder import plugin_files
from engine.study.processors import usable

_NICE = 10
_PATIENCE = 800  # milliseconds that a process has to end before it is killed
_DEATH = 30_000  # milliseconds that one that was killed is waited for; it goes at once, unless all processors are busy
_WORDS = "aggviewer: "  # begins what a process says of an error

State = Literal["idle", "running", "pausing", "paused", "stopping", "stopped", "finished", "failed"]


def workers() -> int:
    """How many processes a study has: one core is left to the window."""
    return max(1, usable() - 1)


class _Child(QObject):
    """A process of this program. ``ended``: it has gone."""

    ended = pyqtSignal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process = QProcess(self)
        self._process.started.connect(self._be_modest)
        self._process.finished.connect(self._on_finished)
        self._process.errorOccurred.connect(self._on_error)
        self._gone = QTimer(self)
        self._gone.setSingleShot(True)
        self._gone.setInterval(_PATIENCE)
        self._gone.timeout.connect(self._process.kill)

    @property
    def alive(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.state() != QProcess.ProcessState.NotRunning

    def start(self, arguments: Sequence[str]) -> None:
        """Have it do this; one that is at work is ended first."""
        self.kill()
        plug_ins = [part for file in plugin_files() for part in ("--plugin", str(file))]
        self._process.start(sys.executable, ["-m", "aggviewer", *plug_ins, "study", *arguments])

    def interrupt(self, *, wait_long: bool = False) -> None:
        """Ask it to end, as Ctrl-C would. wait_long : else it is killed where it takes longer than a second."""
        if not self.alive:
            return
        # a program that a shell script starts with & ignores SIGINT, and all that it starts does so too
        with suppress(ProcessLookupError):
            os.kill(self._process.processId(), signal.SIGTERM)
        if not wait_long:
            self._gone.start()

    def kill(self) -> None:
        """End it now."""
        self._gone.stop()
        if self.alive:
            self._process.kill()
            self._process.waitForFinished(_DEATH)

    def output(self) -> dict[str, Any]:
        """The JSON that it has written, empty if it has written none."""
        text = self._process.readAllStandardOutput().data().decode(errors="replace")
        try:
            found = json.loads(text)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    def why(self) -> str:
        """What it has said of an error, one sentence."""
        lines = self._process.readAllStandardError().data().decode(errors="replace").splitlines()
        said = [line.removeprefix(_WORDS) for line in lines if line.startswith(_WORDS)]
        if said:
            return said[-1]
        if self._process.error() == QProcess.ProcessError.FailedToStart:
            return f"the process could not be started: {self._process.errorString()}"
        if self._process.exitStatus() == QProcess.ExitStatus.CrashExit:
            return "another program ended the process; finished runs are kept, and Continue runs the rest"
        return f"the process ended with status {self._process.exitCode()}"

    def _be_modest(self) -> None:
        with suppress(OSError):  # it may have ended already
            os.setpriority(os.PRIO_PROCESS, self._process.processId(), _NICE)

    def _on_finished(self) -> None:
        self._gone.stop()
        self.ended.emit()

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self.ended.emit()


class Estimating(QObject):
    """Asks how long a study takes and which quantities its runs have. ``told(dict)``: the JSON of ``--dry-run``;
    ``refused(str)``: the study cannot be run, and why."""

    told = pyqtSignal(dict)
    refused = pyqtSignal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = tempfile.TemporaryDirectory(prefix="aggviewer-study-")
        self._child = _Child(self)
        self._child.ended.connect(self._on_ended)
        self._asked = False

    def ask(self, tables: dict[str, Any]) -> None:
        """About this study; what was asked before is forgotten."""
        self.forget()
        file = Path(self._folder.name) / "study.toml"
        try:
            file.write_text(tomli_w.dumps(tables), encoding="utf-8")
        except OSError as error:
            self.refused.emit(f"{file} cannot be written: {error.strerror or error}")
            return
        self._asked = True
        self._child.start([str(file), "--dry-run", "--json"])

    def forget(self) -> None:
        """Ask nothing more."""
        self._asked = False
        self._child.kill()

    def close(self) -> None:
        """The end, also of the process."""
        self.forget()
        self._folder.cleanup()

    def _on_ended(self) -> None:
        if not self._asked:
            return
        self._asked = False
        found = self._child.output()
        if found:
            self.told.emit(found)
        else:
            self.refused.emit(self._child.why())


class StudyProcess(QObject):
    """The process of one study. ``changed``: `state` is another one.

    Parameters
    ----------
    kept : the study.
    keep : final states are kept too.

    Attributes
    ----------
    state : ``pausing`` and ``stopping`` last until the process has gone.
    message : why it has failed, a sentence.
    """

    changed = pyqtSignal()

    def __init__(self, kept: KeptStudy, keep: bool, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.kept = kept
        self._keep = ("--keep", "final") if keep else ()
        self.state: State = "idle"
        self.message = ""
        self._again = False
        self._child = _Child(self)
        self._child.ended.connect(self._on_ended)

    def go_on(self) -> None:
        """Begin, or do what is missing."""
        if self._child.alive:
            return
        self.message = ""
        kept = self.kept
        try:
            kept.set_unfinished(True)
        except OSError as error:
            self.message = f"{kept.folder} cannot be written: {error.strerror or error}"
            self._become("failed")
            return
        self._child.start(
            [str(kept.file), "--out", str(kept.results), "--workers", str(workers()), *self._keep, "--json"]
        )
        self._become("running")

    def begin_again(self) -> None:
        """End the process and begin another one, which reads the study again."""
        if self._child.alive:
            self._again = True
            self.pause()
        else:
            self.go_on()

    def pause(self) -> None:
        """End the process; what is recorded stays."""
        if self.state == "running":
            self._become("pausing")
            self._child.interrupt()

    def stop(self) -> None:
        """End the runs for good; the tables and the report of what there is are written."""
        self.kept.set_unfinished(False)
        if self.state == "running":
            self._become("stopping")
            self._child.interrupt(wait_long=True)
        elif self.state in ("idle", "paused", "failed"):
            self._become("stopped")

    def close(self) -> None:
        """End the process at once; nothing is told any more."""
        self._child.blockSignals(True)
        self._child.kill()

    def _on_ended(self) -> None:
        found, wanted = self._child.output(), self.state
        if found.get("complete"):
            self.kept.set_unfinished(False)
            self._become("finished")
        elif self._again:
            self._become("paused")
        elif wanted in ("pausing", "stopping"):
            self._become("paused" if wanted == "pausing" else "stopped")
        elif found:  # all runs have had their turn, and some have failed
            self.kept.set_unfinished(False)
            self._become("finished")
        else:
            self.message = self._child.why()
            self._become("failed")
        if self._again:
            self._again = False
            self.go_on()

    def _become(self, state: State) -> None:
        self.state = state
        self.changed.emit()
