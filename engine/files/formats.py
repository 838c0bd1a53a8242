"""The formats of files with states of discs: what each can read, write and hold, in one registry.

Endings in messages, the filters of file dialogs, the help of the command line and the checks before writing follow from
what stands here. A format is added by one call of `register`; docs/extending.md has a worked example.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from engine.errors import InputError, either
from engine.files.frame import FileFrame
from engine.files.trajectory import Trajectory

_NEEDED = {"box": "a box", "radii": "radii", "velocities": "velocities", "masses": "masses", "cluster": "clusters"}


@dataclass(frozen=True)
class RecordingPlan:
    """What is known of a recording before its first frame.

    scenario : complete TOML text; contacts : frames will have contacts, the first one need not; sync_every : seconds
    between waits for the disk.
    """

    scenario: str = ""
    contacts: bool = False
    sync_every: float = 1.0


class FrameWriter(Protocol):
    """A file that grows frame by frame. `append` and `close` raise OSError where the file cannot be written, `append`
    ValueError for a frame that does not fit to the first one."""

    @property
    def bytes(self) -> int:
        """Length of what is in the file."""

    def append(self, frame: FileFrame) -> None:
        """Write a frame, which is whole in the file on return; its arrays are not kept."""

    def close(self) -> None:
        """End the file; called once, also after a failure."""


@dataclass(frozen=True)
class Format:
    """A kind of file that holds states of discs.

    Parameters
    ----------
    name : as in "a CSV file holds one state".
    label : as file dialogs show it, "Table".
    suffixes : the endings of such files, in small letters with their dot; the first one is proposed.
    reads : opens a file, None where the format is only written. It raises InputError, one sentence with the path.
    recognizes : whether a file of one of these endings is of this format, for formats that share an ending.
    writes : ``writes(path, frames, times)`` makes a whole file of frames, None where the format is only read. What goes
        wrong on the way leaves no file. times : see `engine.files.write`.
    written_as : the endings with which files are written, where these are not all.
    records : begins a recording that grows frame by frame, None where the format is not made for that.
    needs : names of the parts of a `FileFrame` without which a frame cannot be written: "box", "radii", …
    one_frame : a file holds exactly one state.
    beside : ``beside(path, frames)`` writes what the format itself cannot hold into files beside a written one.
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
        """InputError, which names `path`, for frames that the format cannot hold."""
        if not frames:
            raise InputError(f"{path}: there is no frame to write", str(path))
        if self.one_frame and len(frames) != 1:
            raise InputError(f"{path}: a {self.name} file holds one state, not {len(frames)}", str(path))
        for part in self.needs:
            if any(getattr(frame, part) is None for frame in frames):
                needed = _NEEDED.get(part, part)
                raise InputError(f"{path}: {path.suffix.lower()} files need {needed}, and a frame has none", str(path))


_formats: list[Format] = []


def register(format: Format) -> Format:
    """Make a format known, and return it.

    Raises ValueError for a name that is taken, and for an ending that another format has where neither of them can tell
    its files.
    """
    if any(known.name == format.name for known in _formats):
        raise ValueError(f"there is a format {format.name} already")
    for known in _formats:
        shared = set(known.suffixes) & set(format.suffixes)
        if shared and known.recognizes is None and format.recognizes is None:
            raise ValueError(
                f"files that end in {min(shared)} are {known.name}; {format.name} has to say in `recognizes` which of "
                "them are its own"
            )
    _formats.append(format)
    return format


def remove(format: Format) -> None:
    """Forget one that was registered, of a plug-in that has failed."""
    _formats.remove(format)


def known() -> tuple[Format, ...]:
    """All formats, in the order in which they were registered."""
    return tuple(_formats)


def readable() -> tuple[str, ...]:
    """The endings of files that can be read."""
    return _endings(format.suffixes for format in _formats if format.reads is not None)


def writable() -> tuple[str, ...]:
    """The endings of files to which states can be written."""
    return _endings(format.written_as or format.suffixes for format in _formats if format.writes is not None)


def recordable() -> tuple[str, ...]:
    """The endings of files to which a run can be recorded, frame by frame."""
    return _endings(format.suffixes for format in _formats if format.records is not None)


def is_readable(path: Path) -> bool:
    """Whether the ending of a file is one that can be read."""
    return path.suffix.lower() in readable()


def to_read(path: Path) -> Format:
    """The format of a file, by its ending and, where several share it, by how it begins. InputError where none is."""
    suffix = path.suffix.lower()
    found = [format for format in _formats if format.reads is not None and suffix in format.suffixes]
    if not found:
        raise InputError(f"{path}: a state file must end in {either(readable())}", str(path))
    recognized = (format for format in found if format.recognizes is not None and format.recognizes(path))
    others = (format for format in found if format.recognizes is None)
    chosen = next(recognized, None) or next(others, None)
    if chosen is None:
        names = either([format.name for format in found])
        raise InputError(f"{path} is not {names}, whatever its ending says", str(path))
    return chosen


def to_write(path: Path) -> Format:
    """The format in which states are written to a file with this ending. InputError where none is."""
    suffix = path.suffix.lower()
    for format in _formats:
        if format.writes is not None and suffix in (format.written_as or format.suffixes):
            return format
    raise InputError(f"{path}: a state is written to a file that ends in {either(writable())}", str(path))


def to_record(path: Path) -> Format:
    """The format in which a run is recorded into a file with this ending. InputError where none is."""
    suffix = path.suffix.lower()
    for format in _formats:
        if format.records is not None and suffix in format.suffixes:
            return format
    raise InputError(f"{path}: a recording is a file that ends in {either(recordable())}", str(path))


def _endings(groups: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(suffix for group in groups for suffix in group))
