"""The folder of `run --out`: it holds the results of one run, never a mixture of two."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.errors import InputError

NAMES = (
    "scenario.toml",
    "trajectory.gsd",
    "final.aggsession",
    "final.gsd",
    "final.csv",
    "final.csv-metadata.json",
    "final-contacts.csv",
    "series.csv",
    "summary.json",
)
"""All files that a run may write, in the order in which they come to their places."""

_RECORDING = "trajectory.gsd"


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
            if not (beside / _RECORDING).exists():
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
