"""The user's studies: a folder for each, and the processes that run them, ``aggviewer study`` at low priority.

A study records each run in its folder as it ends, so its process can be stopped, or crash, at any moment. The window
itself computes nothing."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import platformdirs
import tomli_w
from PyQt6.QtCore import QObject, QProcess, QTimer, pyqtSignal

from aggviewer.names import name_with, next_number, oldest_first
from engine.files.writing import cannot_write, replacing
from engine.study import Study, load_study
from engine.study.folder import plugin_files
from engine.study.machine import usable
from engine.study.store import NAME

_NICE = 10
_PATIENCE = 800  # milliseconds that a process has to stop before it is killed
_DEATH = 30_000  # milliseconds to wait for a killed process; it ends at once unless all processors are busy
_WORDS = "aggviewer: "  # how an error message of a process begins

StudyState = Literal["idle", "running", "pausing", "paused", "stopping", "stopped", "finished", "failed"]


def workers() -> int:
    """The number of processes for a study: one core is left for the window."""
    return max(1, usable() - 1)


class _Child(QObject):
    """A process of this program. Signal ``ended``: it has ended."""

    ended = pyqtSignal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process = QProcess(self)
        self._process.started.connect(self._be_modest)
        self._process.finished.connect(self._on_finished)
        self._process.errorOccurred.connect(self._on_error)
        self._kill_timer = QTimer(self)
        self._kill_timer.setSingleShot(True)
        self._kill_timer.setInterval(_PATIENCE)
        self._kill_timer.timeout.connect(self._process.kill)

    @property
    def alive(self) -> bool:
        """Whether the process is still running."""
        return self._process.state() != QProcess.ProcessState.NotRunning

    def start(self, arguments: Sequence[str]) -> None:
        """Run a command; a running process is ended first."""
        self.kill()
        plug_ins = [part for file in plugin_files() for part in ("--plugin", str(file))]
        self._process.start(sys.executable, ["-m", "aggviewer", *plug_ins, "study", *arguments])

    def interrupt(self, *, wait_long: bool = False) -> None:
        """Ask it to end, as Ctrl-C would. wait_long : if false, it is killed after a second."""
        if not self.alive:
            return
        # a program started in a shell script with & ignores SIGINT, and so do its child processes
        with suppress(ProcessLookupError):
            os.kill(self._process.processId(), signal.SIGTERM)
        if not wait_long:
            self._kill_timer.start()

    def kill(self) -> None:
        """End it now."""
        self._kill_timer.stop()
        if self.alive:
            self._process.kill()
            self._process.waitForFinished(_DEATH)

    def output(self) -> dict[str, Any]:
        """The JSON that it has written, empty if there is none."""
        text = self._process.readAllStandardOutput().data().decode(errors="replace")
        try:
            found = json.loads(text)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    def why(self) -> str:
        """The error message of the process that has failed, one sentence."""
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
        with suppress(OSError):  # it may already have ended
            os.setpriority(os.PRIO_PROCESS, self._process.processId(), _NICE)

    def _on_finished(self) -> None:
        self._kill_timer.stop()
        self.ended.emit()

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self.ended.emit()


class Estimating(QObject):
    """Estimates how long a study takes and which quantities its runs have. Signals: ``answered(dict)``, the JSON of
    ``--dry-run``; ``refused(str)``, why the study cannot be run."""

    answered = pyqtSignal(dict)
    refused = pyqtSignal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = tempfile.TemporaryDirectory(prefix="aggviewer-study-")
        self._child = _Child(self)
        self._child.ended.connect(self._on_ended)
        self._has_request = False

    def ask(self, tables: dict[str, Any]) -> None:
        """Estimate this study; an earlier estimate is cancelled."""
        self.forget()
        file = Path(self._folder.name) / "study.toml"
        try:
            file.write_text(tomli_w.dumps(tables), encoding="utf-8")
        except OSError as error:
            self.refused.emit(f"{file} cannot be written: {error.strerror or error}")
            return
        self._has_request = True
        self._child.start([str(file), "--dry-run", "--json"])

    def forget(self) -> None:
        """Cancel the estimate."""
        self._has_request = False
        self._child.kill()

    def close(self) -> None:
        """Cancel the estimate and end the process."""
        self.forget()
        self._folder.cleanup()

    def _on_ended(self) -> None:
        if not self._has_request:
            return
        self._has_request = False
        found = self._child.output()
        if found:
            self.answered.emit(found)
        else:
            self.refused.emit(self._child.why())


class StudyProcess(QObject):
    """The process of one study. Signal ``changed``: `state` has changed.

    Parameters
    ----------
    kept_study : the study.
    keep : whether final states are kept.

    Attributes
    ----------
    state : ``pausing`` and ``stopping`` last until the process has ended.
    message : why it failed, a sentence.
    """

    changed = pyqtSignal()

    def __init__(self, kept: KeptStudy, keep: bool, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.kept_study = kept
        self._keep = ("--keep", "final") if keep else ()
        self.state: StudyState = "idle"
        self.message = ""
        self._again = False
        self._child = _Child(self)
        self._child.ended.connect(self._on_ended)

    def start(self) -> None:
        """Start the study, or run what is missing."""
        if self._child.alive:
            return
        self.message = ""
        kept = self.kept_study
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
        """End the process and start another one, which reads the study again."""
        if self._child.alive:
            self._again = True
            self.pause()
        else:
            self.start()

    def pause(self) -> None:
        """End the process; recorded runs are kept."""
        if self.state == "running":
            self._become("pausing")
            self._child.interrupt()

    def stop(self) -> None:
        """Stop the study for good, and write tables and report of the finished runs."""
        self.kept_study.set_unfinished(False)
        if self.state == "running":
            self._become("stopping")
            self._child.interrupt(wait_long=True)
        elif self.state in ("idle", "paused", "failed"):
            self._become("stopped")

    def close(self) -> None:
        """End the process at once; no more signals are emitted."""
        self._child.blockSignals(True)
        self._child.kill()

    def _on_ended(self) -> None:
        found, wanted = self._child.output(), self.state
        if found.get("complete"):
            self.kept_study.set_unfinished(False)
            self._become("finished")
        elif self._again:
            self._become("paused")
        elif wanted in ("pausing", "stopping"):
            self._become("paused" if wanted == "pausing" else "stopped")
        elif found:  # all runs were tried, and some failed
            self.kept_study.set_unfinished(False)
            self._become("finished")
        else:
            self.message = self._child.why()
            self._become("failed")
        if self._again:
            self._again = False
            self.start()

    def _become(self, state: StudyState) -> None:
        self.state = state
        self.changed.emit()


_ASKED, _RESULTS, _OPEN = "study.toml", "results", "unfinished"
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d\.\d\d")


@dataclass(frozen=True)
class KeptStudy:
    """A study that is kept in a folder.

    folder : with its settings and results.
    """

    folder: Path

    @property
    def moment(self) -> str:
        """The date and time at which it was made, such as ``2026-11-28 17:43``."""
        found = _MOMENT.search(self.folder.name)
        return self.folder.name if found is None else found[0].replace(".", ":")

    @property
    def file(self) -> Path:
        """The TOML of the study, as ``aggviewer study`` reads it."""
        return self.folder / _ASKED

    @property
    def results(self) -> Path:
        """The folder of its rows, tables and report."""
        return self.folder / _RESULTS

    @property
    def report(self) -> Path:
        """The path of the report; the file exists once the study has ended."""
        return self.results / "report.html"

    @property
    def began(self) -> bool:
        """Whether the study was started, so that there may be results."""
        return (self.results / NAME).is_file()

    @property
    def unfinished(self) -> bool:
        """Whether it can be continued: neither finished nor stopped for good."""
        return (self.folder / _OPEN).exists()

    def set_unfinished(self, value: bool) -> None:
        """Set whether it can be continued."""
        if value:
            (self.folder / _OPEN).touch()
        else:
            (self.folder / _OPEN).unlink(missing_ok=True)

    def read(self) -> Study:
        """The study. InputError if its file is no longer a study."""
        return load_study(self.file)

    def write(self, tables: Mapping[str, Any]) -> None:
        """Write the study."""
        with replacing(self.file) as partial:
            partial.write_text(tomli_w.dumps(tables), encoding="utf-8")


class Kept:
    """All studies. root : their folder, None for that in the user's data folder."""

    def __init__(self, root: Path | None = None) -> None:
        self._root = root or Path(platformdirs.user_data_dir("aggviewer", appauthor=False)) / "studies"

    def new(self, tables: Mapping[str, Any]) -> KeptStudy:
        """Make a folder for a new study. InputError if it cannot be written."""
        folder = self._root
        try:
            stem = f"{datetime.now():%Y-%m-%d %H.%M.%S} {os.getpid()}"
            folder = self._root / name_with(next_number(self._root), stem)
            folder.mkdir(parents=True)
            found = KeptStudy(folder)
            found.write(tables)
            found.set_unfinished(True)
        except OSError as error:
            raise cannot_write(folder, error) from None
        return found

    def all(self) -> list[KeptStudy]:
        """All studies that are kept, the newest first."""
        if not self._root.is_dir():
            return []
        found = (folder for folder in self._root.iterdir() if (folder / _ASKED).is_file())
        return [KeptStudy(folder) for folder in reversed(oldest_first(found))]
