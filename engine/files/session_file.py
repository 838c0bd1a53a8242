"""The checkpoints in a session file (``.aggsession``): a ZIP of `session.json` and the arrays of the checkpoints.

What else it holds, the document and the log of the run, is the application's, which reads and writes whole session
files (`aggviewer.session.saved`). Layout: docs/sessions.md. It contains no pickled objects and no code. Untrusted files
are read within limits and checked before kernels use them.
"""

from __future__ import annotations

import json
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.errors import MAX_COUNT, InputError
from engine.files.checks import MAX_SCENARIO, plain, size_of
from engine.files.session_arrays import MAX_BYTES, NAME, check_directory, check_sizes, read_array, record_of
from engine.saved import check_checkpoint, checked_scenario
from engine.scenario import Scenario
from engine.simulation import Checkpoint
from engine.system import method_of
from engine.version import __version__

SUFFIX = ".aggsession"
HEAD = "session.json"
MAX_HEAD = 8 << 20  # most bytes of it
FORMAT = 7  # CHANGELOG.md, version 0.2.0, says what is different from version 0.1.0
_READ = (4, 5, 6, FORMAT)  # 4, 5: other keys for what the document has now; up to 6: no log, perhaps a pool
_ARRAY = re.compile(rf"lane([01])/({NAME})(?:\.({NAME}))?\.npy")
_POOL = re.compile(r"packings/(?:extended|bucklers|gaps)\.npy")  # of formats up to 6, which is not read
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    KeyError,
    IndexError,
    OverflowError,
)


class SessionPart(BaseModel):
    """Base of the parts of `session.json`: no unknown keys, no conversion of types, no NaN or infinity."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, hide_input_in_errors=True)


_Name = Field(max_length=40)
_Toml = Field(max_length=MAX_SCENARIO)


class LaneHead(SessionPart):
    """A lane: everything except the arrays of its checkpoint, and the scenario as the user sees it.

    Attributes
    ----------
    system, method, checkpoint : of the checkpoint; `checkpoint` is its scenario, TOML.
    scenario : the scenario as the user sees it, TOML.
    records : of older files, the layout of each structured array; nothing is read of it.
    """

    system: str = _Name
    method: str = _Name
    checkpoint: str = _Toml
    scenario: str = _Toml
    records: dict[str, Any] = Field(default={}, exclude=True)


class _LanesHead(SessionPart):
    """What the engine reads of `session.json`."""

    model_config = ConfigDict(extra="ignore")

    format: int = Field(ge=_READ[0], le=FORMAT)
    count: int = Field(ge=1, le=MAX_COUNT)
    lanes: list[LaneHead] = Field(min_length=1, max_length=2)


def read_checkpoints(path: Path) -> list[Checkpoint]:
    """The checkpoints of a session file, one, or two of a comparison, checked so that `engine.restore` can be given
    them.

    Raises
    ------
    InputError
        The file cannot be used. The message names the file.
    """
    with opened(path) as file:
        values = parse_json(head_bytes(path, file), str(path))
        try:
            head = _LanesHead.model_validate(values)
        except ValidationError as error:
            raise InputError(f"{path}: {HEAD} is damaged at {place_of(error)}") from None
        check_lanes(head.lanes, str(path))
        return checkpoints(path, file, head.lanes, head.count)


def checkpoints(path: Path, file: zipfile.ZipFile, lanes: Sequence[LaneHead], count: int) -> list[Checkpoint]:
    """The checkpoints of these lanes of an open session file, checked. count : of the discs, as `session.json` says."""
    arrays = _lane_arrays(path, file, len(lanes))
    found = [Checkpoint(one.system, one.method, one.checkpoint, of) for one, of in zip(lanes, arrays, strict=True)]
    for checkpoint in found:
        check_checkpoint(checkpoint)
        if len(checkpoint.arrays["radii"]) != count:
            raise InputError(f"{path}: {HEAD} is damaged: it gives another number of discs")
    return found


def check_lanes(lanes: Sequence[LaneHead], where: str) -> list[Scenario]:
    """The scenarios of lanes as the user sees them. InputError unless each is valid and of the lane's method."""
    found = []
    for lane in lanes:
        scenario = checked_scenario(lane.scenario)
        if (scenario.system, method_of(scenario)) != (lane.system, lane.method):
            raise InputError(f"{where}: {HEAD} is damaged: its scenario belongs to another method")
        found.append(scenario)
    return found


@contextmanager
def opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open a session file and check its list of members. Any error in the block becomes an InputError."""
    size = size_of(path)
    if size > MAX_BYTES:
        raise InputError(f"{path} is too large for a session file", str(path))
    try:
        with path.open("rb") as raw:
            check_directory(path, raw, size)
            with zipfile.ZipFile(raw) as file:
                check_sizes(path, file, size, _allowed)
                yield file
    except InputError as error:
        message = str(error)
        raise InputError(message if str(path) in message else f"{path}: {message}", str(path)) from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}", str(path)) from None
    except MemoryError:
        raise InputError(f"{path}: not enough memory to open it", str(path)) from None
    except _DAMAGED:
        raise InputError(f"{path} is damaged", str(path)) from None


def _lane_arrays(path: Path, file: zipfile.ZipFile, count: int) -> list[dict[str, NDArray[Any]]]:
    """The arrays of the checkpoint of each lane."""
    arrays: list[dict[str, NDArray[Any]]] = [{} for _ in range(count)]
    fields: dict[tuple[int, str], list[re.Match[str]]] = {}
    for found in _members(file, _ARRAY):
        if int(found[1]) >= len(arrays):
            raise InputError(f"{path} contains something that does not belong in a session file", str(path))
        fields.setdefault((int(found[1]), found[2]), []).append(found)
    for (lane, name), members in fields.items():
        columns = {found[3] or "": read_array(path, file, found[0]) for found in members}
        if "" not in columns:
            arrays[lane][name] = record_of(path, f"lane{lane}/{name}", columns)
        elif len(columns) == 1:
            arrays[lane][name] = columns[""]
        else:
            raise InputError(
                f"{path}: {members[0][0]} is damaged: it is an array with fields, and one without", str(path)
            )
    return arrays


def _members(file: zipfile.ZipFile, pattern: re.Pattern[str]) -> list[re.Match[str]]:
    return [found for name in file.namelist() if (found := pattern.fullmatch(name)) is not None]


def _allowed(name: str) -> bool:
    return name == HEAD or any(kind.fullmatch(name) is not None for kind in (_ARRAY, _POOL))


def head_bytes(path: Path, file: zipfile.ZipFile) -> bytes:
    """The text of `session.json`, of which only the length is checked."""
    if HEAD not in file.namelist():
        raise InputError(f"{path} is not a session file: it has no {HEAD}", str(path))
    if file.getinfo(HEAD).file_size > MAX_HEAD:
        raise InputError(f"{path}: {HEAD} is too long", str(path))
    with file.open(HEAD) as source:
        return source.read(MAX_HEAD)


def parse_json(data: bytes, where: str) -> Any:
    """The values in a `session.json` from anywhere. Raises InputError, whose message begins with `where`, for one that
    is not JSON, or of a format that this version does not read."""
    try:
        values = json.loads(data.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError):  # also for text that is not UTF-8, and numbers with thousands of digits
        raise InputError(f"{where}: {HEAD} is not valid JSON") from None
    _check_format(values, where)
    return values


def _check_format(values: Any, where: str) -> None:
    """Raise InputError, naming the version that wrote it, for a session of another format."""
    found, program = (values.get("format"), values.get("program")) if isinstance(values, dict) else (None, None)
    if not isinstance(found, int) or isinstance(found, bool) or found in _READ:
        return
    writer = f"aggviewer {plain(program)}" if isinstance(program, str) and program else "another version"
    if found > FORMAT:
        what = f"version {__version__} reads format {FORMAT} and not {plain(str(found))}"
        raise InputError(f"{where} was written by a newer version, {writer}; {what}")
    raise InputError(
        f"{where} was written by {writer}, and {__version__} cannot continue from its state; "
        "unpacked as a ZIP file, it has its scenario in session.json, which can be opened from its start"
    )


def _no_constant(name: str) -> float:
    raise ValueError(name)


def place_of(error: ValidationError) -> str:
    """The key in which a session file is wrong, as text that is safe in a message."""
    return plain(".".join(str(part) for part in error.errors(include_url=False)[0]["loc"])) or "its first key"
