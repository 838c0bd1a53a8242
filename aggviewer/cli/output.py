"""The folder of `run --out` and its files. It contains the results of one run, never a mixture of two."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aggviewer.cli.series import Series
from engine.errors import InputError
from engine.files import FileFrame, write, write_contacts
from engine.files.writing import check_folder, locked_folder, replacing
from engine.runs.summary import to_json

if TYPE_CHECKING:
    from aggviewer.cli.starting import Started
    from engine.frame import Frame
    from engine.scenario import Scenario
    from engine.simulation import Simulation

RECORDING = "trajectory.gsd"
NAMES = (
    "scenario.toml",
    RECORDING,
    "final.aggsession",
    "final.gsd",
    "final.csv",
    "final.csv-metadata.json",
    "final-contacts.csv",
    "series.csv",
    "summary.json",
)
"""All files that a run may write, in the order in which they are moved into the folder."""


class OutFolder:
    """A folder for the results of one run, locked against other processes.

    Attributes
    ----------
    path : the folder.
    failed : why a file could not be written, by name. The run continues.
    """

    def __init__(self, path: Path, replaces: bool) -> None:
        self.path = path
        self.failed: dict[str, str] = {}
        self._replaces = replaces
        self._kept: Path | None = None

    @staticmethod
    @contextmanager
    def opened(path: Path, *, overwrite: bool = False, used: Path | None = None) -> Iterator[OutFolder]:
        """Lock a folder for one run; it is created if it does not exist.

        overwrite : results of an earlier run may be replaced; used : a file that the run starts from. InputError if the
        folder cannot be written to, if another process writes to it, if it holds results that must not be replaced, or
        if replacing them would remove the file that the run starts from.
        """
        with locked_folder(path):
            check_folder(path)
            found = [name for name in NAMES if os.path.lexists(path / name)]
            if found and not overwrite:
                named = ", ".join(found[:3]) + (", …" if len(found) > 3 else "")
                raise InputError(
                    f"--out {path} already holds results ({named}); choose another folder, or add --overwrite to "
                    "replace them",
                    str(path),
                )
            if used is not None and used.resolve() in [(path / name).resolve() for name in found]:
                raise InputError(
                    f"--out {path} would replace {used.name}, which scenario.toml there would have to start from; "
                    "choose another folder",
                    str(path),
                )
            yield OutFolder(path, bool(found))

    @contextmanager
    def writing(self) -> Iterator[Path]:
        """Where the files are written: the folder itself, or, if it has results of an earlier run, a place beside them.
        When all files are complete they replace the earlier results.

        If something fails, the earlier results stay unchanged. The new files are then kept beside them if only some of
        them failed; a recording that was started is always kept.
        """
        if not self._replaces:
            yield self.path
            return
        beside = self.path / f".unfinished-{os.getpid()}"
        try:
            beside.mkdir(exist_ok=True)
        except OSError as error:
            raise _unwritable(self.path, error) from None
        try:
            yield beside
            if self.failed:
                self._kept = beside
                return
            for name in NAMES:
                if (beside / name).exists():
                    (beside / name).replace(self.path / name)
                else:
                    (self.path / name).unlink(missing_ok=True)
        finally:
            if self._kept is None and not (beside / RECORDING).exists():
                shutil.rmtree(beside, ignore_errors=True)

    def attempt(self, name: str, write: Callable[[], object]) -> None:
        """Write one of the files. If that fails, `failed` records why, and the other files are still written."""
        try:
            write()
        except OSError as error:
            self.failed[name] = (error.strerror or str(error)).lower()

    @property
    def problem(self) -> str:
        """A sentence about the files that are missing and why; "" if there are none."""
        reasons = dict.fromkeys(self.failed.values())
        missing = "; ".join(
            f"{_listed([name for name, why in self.failed.items() if why == reason])} cannot be written: {reason}"
            for reason in reasons
        )
        if not missing:
            return ""
        kept = f"{self._kept}; the earlier results are unchanged" if self._kept is not None else str(self.path)
        return f"{missing}; files written so far are in {kept}"


def _listed(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _unwritable(out: Path, error: OSError) -> InputError:
    return InputError(f"--out {out} cannot be written to: {error.strerror or error}", str(out))


def complete(scenario: Scenario, simulation: Simulation) -> Scenario:
    """The scenario with derived values written out: box size, and the count of a state file."""
    sides = simulation.box.tolist()
    return scenario.with_values(
        {"box.size": sides if len(set(sides)) > 1 else sides[0], "discs.count": simulation.count}
    )


def write_scenario(folder: Path, started: Started) -> None:
    """scenario.toml: running it again gives the same result. InputError if it cannot be written."""
    path = folder / "scenario.toml"
    try:
        _write_text(path, complete(started.scenario, started.simulation).to_toml())
    except OSError as error:
        raise InputError(f"{path} cannot be written: {(error.strerror or str(error)).lower()}", str(path)) from None


def write_results(
    place: Path, folder: OutFolder, started: Started, frame: Frame, series: Series, values: dict[str, Any]
) -> None:
    """Write the last frame, the series and the summary of a run that has ended.

    place : the folder that the files are written to; folder : keeps the names of files that cannot be written.
    """
    state = FileFrame.of(frame, started.simulation, complete(started.scenario, started.simulation).to_toml())
    writes: dict[str, Callable[[Path], object]] = {
        "final.csv": lambda path: write(path, state),
        "final.gsd": lambda path: write(path, state),
        "final-contacts.csv": lambda path: write_contacts(path, state),
        "series.csv": series.write,
        "final.aggsession": lambda path: _write_session(path, started),
        "summary.json": lambda path: _write_text(path, to_json(values, indent=1) + "\n"),
    }
    if frame.network is None:
        del writes["final-contacts.csv"]
    for name, write_file in writes.items():
        folder.attempt(name, partial(write_file, place / name))


def _write_session(path: Path, started: Started) -> None:
    """The exact state, which `run` and the window can continue. Other contents of a continued session are kept."""
    from aggviewer.document.document import Document
    from aggviewer.session.saved.session_file import write_session
    from aggviewer.session.saved.state import SessionState

    simulation, before = started.simulation, started.session
    changes: dict[str, Any] = {
        "lanes": [simulation.checkpoint()],
        "scenarios": [started.scenario.to_toml()],
        "time": simulation.time,
        "clusters": simulation.frame().clusters,
        "count": simulation.count,
        "saved_as": "paused",
    }
    if before is None:
        now = SessionState(document=Document().state, **changes)
    else:
        now = replace(before, program="", saved_at=0.0, **changes)
    write_session(path, now)


def _write_text(path: Path, text: str) -> None:
    with replacing(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")
