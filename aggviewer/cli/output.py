"""The folder of `run --out` and its files. It holds the results of one run, never a mixture of two."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aggviewer.cli.series import Series
from engine.errors import InputError
from engine.files import FileFrame, write, write_contacts
from engine.files.atomic import replacing
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
"""All files that a run may write, in the order in which they come to their places."""


class OutFolder:
    """A folder for results, made where it is not there.

    overwrite : results of an earlier run may be replaced; used : a file that the run starts from. InputError where the
    folder cannot be written to, holds results that must not be replaced, or the file that a new run would start from.
    """

    def __init__(self, path: Path, *, overwrite: bool = False, used: Path | None = None) -> None:
        self.path = path
        _make(path)
        found = [name for name in NAMES if os.path.lexists(path / name)]
        if found and not overwrite:
            named = ", ".join(found[:3]) + (", …" if len(found) > 3 else "")
            raise InputError(
                f"--out {path} holds results already ({named}); choose another folder, or replace them with "
                "--overwrite",
                str(path),
            )
        if used is not None and used.resolve() in [(path / name).resolve() for name in found]:
            raise InputError(
                f"--out {path} would replace {used.name}, which scenario.toml there would have to start from; choose "
                "another folder",
                str(path),
            )
        self._replaces = bool(found)

    @contextmanager
    def writing(self) -> Iterator[Path]:
        """Where the files are written to: the folder itself, or, where there are results of an earlier run, a place
        beside them until all are complete. Then these take the place of all that the earlier run has left.

        Where something goes wrong the earlier results stay; a recording that has been begun is then kept at its place
        beside them.
        """
        if not self._replaces:
            yield self.path
            return
        beside = self.path / f".unfinished-{os.getpid()}"
        beside.mkdir(exist_ok=True)
        try:
            yield beside
            for name in NAMES:
                if (beside / name).exists():
                    (beside / name).replace(self.path / name)
                else:
                    (self.path / name).unlink(missing_ok=True)
        finally:
            if not (beside / RECORDING).exists():
                shutil.rmtree(beside, ignore_errors=True)


def _make(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"--out {out} cannot be a folder: {error.strerror or error}", str(out)) from None
    try:
        with tempfile.TemporaryFile(dir=out):
            pass
    except OSError as error:
        raise InputError(f"--out {out} cannot be written to: {error.strerror or error}", str(out)) from None


def complete(scenario: Scenario, simulation: Simulation) -> Scenario:
    """The scenario with what was left to follow from the rest written out: box size, and count of a state file."""
    x, y = simulation.box.tolist()
    return scenario.with_values({"box.size": x if x == y else [x, y], "discs.count": simulation.count})


def write_scenario(folder: Path, started: Started) -> None:
    """scenario.toml: running it again gives the same result."""
    _write_text(folder / "scenario.toml", complete(started.scenario, started.simulation).to_toml())


def write_results(folder: Path, started: Started, frame: Frame, series: Series, values: dict[str, Any]) -> None:
    """Everything that is known at the end of a run: the last frame, the series and the summary."""
    state = FileFrame.of(frame, started.simulation, complete(started.scenario, started.simulation).to_toml())
    write(folder / "final.csv", state)
    write(folder / "final.gsd", state)
    if frame.network is not None:
        write_contacts(folder / "final-contacts.csv", state)
    series.write(folder / "series.csv")
    _write_session(folder / "final.aggsession", started)
    _write_text(folder / "summary.json", to_json(values, indent=1) + "\n")


def _write_session(path: Path, started: Started) -> None:
    """The exact state, which `run` and the window carry on. What a session that was carried on has besides, stays."""
    from aggviewer.session.saved.session_file import write_session
    from aggviewer.session.saved.state import SessionState
    from aggviewer.session.view import ViewModel

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
        now = SessionState(view=ViewModel().model_dump(), **changes)
    else:
        now = replace(before, program="", saved_at=0.0, **changes)
    write_session(path, now)


def _write_text(path: Path, text: str) -> None:
    with replacing(path) as partial:
        partial.write_text(text, encoding="utf-8")
