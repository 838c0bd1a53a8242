"""The registry of file formats: which endings each format has, whether it can be read and written, and what it needs.

Error messages, the filters of file dialogs, the help of the command line and the checks before writing are all made
from this registry. One call of `register` adds a format; docs/extending.md has a worked example.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from engine.errors import InputError, either
from engine.files.checks import Location
from engine.files.frame import FileFrame
from engine.files.trajectory import Trajectory
from engine.registry import Registry

_NEEDED = {"box": "a box", "radii": "radii", "velocities": "velocities", "masses": "masses", "cluster": "clusters"}


@dataclass(frozen=True)
class RecordingPlan:
    """What is known of a recording before its first frame; see `engine.files.TrajectoryWriter`.

    Parameters
    ----------
    scenario : complete TOML text, or "".
    contacts : whether later frames have contacts of a packing; the first one need not.
    sync_every : seconds between two waits until the data are on the disk.
    """

    scenario: str = ""
    contacts: bool = False
    sync_every: float = 1.0


class FrameWriter(Protocol):
    """What writes a recording in one format, frame by frame.

    `append` and `close` raise OSError if the file cannot be written. `append` raises ValueError for a frame that does
    not have the parts or the number of discs of the first one.
    """

    @property
    def bytes(self) -> int:
        """The size of the file so far."""

    def append(self, frame: FileFrame) -> None:
        """Write a frame completely before returning. The arrays of the frame are not kept."""

    def close(self) -> None:
        """Close the file. Called once, also after `append` has failed."""


@dataclass(frozen=True)
class Format:
    """A kind of file that holds states of discs.

    Parameters
    ----------
    name : the name in messages, as in "a CSV file holds one state".
    label : the name in file dialogs, such as "Table".
    suffixes : the endings of such files, in lower case with their dot. File dialogs propose the first one.
    reads : ``reads(path)`` opens a file, and raises InputError if that fails; None for a format that is not read.
    recognizes : ``recognizes(path)`` says whether a file has this format; needed where formats share an ending.
    writes : ``writes(path, frames, times)`` writes a file with all frames; None for a format that is not written.
        `path` is a temporary file, which is removed if this raises. For `times` see `engine.files.write`.
    written_as : the endings that files are written with, where these are only some of `suffixes`.
    records : ``records(path, plan)`` begins a recording; None for a format that cannot grow frame by frame.
    needs : the attributes of `FileFrame` that a frame must have to be written, such as "box" and "radii".
    one_frame : whether a file holds exactly one state.
    beside : ``beside(path, frames)`` writes what the format itself cannot hold into further files beside `path`.
    """

    name: str
    label: str
    suffixes: tuple[str, ...]
    reads: Callable[[Path], Trajectory] | None = None
    recognizes: Callable[[Path], bool] | None = None
    writes: Callable[[Path, Sequence[FileFrame], bool], None] | None = None
    written_as: tuple[str, ...] = ()
    records: Callable[[Path, RecordingPlan], FrameWriter] | None = None
    needs: tuple[str, ...] = ()
    one_frame: bool = False
    beside: Callable[[Path, Sequence[FileFrame]], None] | None = None

    def check(self, path: Path, frames: Sequence[FileFrame]) -> None:
        """Raise InputError if these frames cannot be written to `path` in this format."""
        if not frames:
            raise Location(path).error("there is no frame to write")
        if len({len(part) for frame in frames for part in (frame.positions.T, frame.box) if part is not None}) > 1:
            raise Location(path).error("all frames, and their boxes, must have the same number of dimensions")
        if self.one_frame and len(frames) != 1:
            raise Location(path).error(f"a {self.name} file holds one state, not {len(frames)}")
        for part in self.needs:
            if any(getattr(frame, part) is None for frame in frames):
                needed = _NEEDED.get(part, part)
                raise Location(path).error(f"{path.suffix.lower()} files need {needed}, and a frame has none")


def _fits(format: Format, others: Sequence[Format]) -> None:
    if any(known.name == format.name for known in others):
        raise InputError(f"there is a format {format.name} already")
    for known in others:
        shared = set(known.suffixes) & set(format.suffixes)
        if shared and known.recognizes is None and format.recognizes is None:
            raise InputError(
                f"files that end in {min(shared)} are {known.name}; {format.name} must define `recognizes` to tell "
                "its own files from them"
            )


FORMATS: Registry[Format] = Registry(_fits)
"""All formats."""


def register(format: Format) -> Format:
    """Add a format to the registry, and return it.

    Raises
    ------
    InputError
        The name is taken, or another format has the same ending and neither has `recognizes`.
    """
    return FORMATS.add(format)


def known() -> tuple[Format, ...]:
    """All formats, in the order in which they were registered."""
    return FORMATS.parts


def readable() -> tuple[str, ...]:
    """The endings of files that can be read."""
    return _endings(format.suffixes for format in FORMATS.parts if format.reads is not None)


def writable() -> tuple[str, ...]:
    """The endings of files to which states can be written."""
    return _endings(format.written_as or format.suffixes for format in FORMATS.parts if format.writes is not None)


def recordable() -> tuple[str, ...]:
    """The endings of files to which a run can be recorded, frame by frame."""
    return _endings(format.suffixes for format in FORMATS.parts if format.records is not None)


def is_readable(path: Path) -> bool:
    """Whether the ending of a file is one that can be read."""
    return path.suffix.lower() in readable()


def to_read(path: Path) -> Format:
    """The format to read a file with, by its ending and, where several formats share that, by `Format.recognizes`.

    Raises InputError if no format fits.
    """
    suffix = path.suffix.lower()
    found = [format for format in FORMATS.parts if format.reads is not None and suffix in format.suffixes]
    if not found:
        raise Location(path).error(f"a state file must end in {either(readable())}")
    recognized = (format for format in found if format.recognizes is not None and format.recognizes(path))
    others = (format for format in found if format.recognizes is None)
    chosen = next(recognized, None) or next(others, None)
    if chosen is None:
        names = either([format.name for format in found])
        raise Location(path).fault(f"is not {names}, despite its ending")
    return chosen


def to_write(path: Path) -> Format:
    """The format to write states to a file of this ending. Raises InputError if there is none."""
    suffix = path.suffix.lower()
    for format in FORMATS.parts:
        if format.writes is not None and suffix in (format.written_as or format.suffixes):
            return format
    raise Location(path).error(f"a state file must end in {either(writable())}")


def to_record(path: Path) -> Format:
    """The format to record a run to a file of this ending. Raises InputError if there is none."""
    suffix = path.suffix.lower()
    for format in FORMATS.parts:
        if format.records is not None and suffix in format.suffixes:
            return format
    raise Location(path).error(f"a recording must end in {either(recordable())}")


def _endings(groups: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(suffix for group in groups for suffix in group))
