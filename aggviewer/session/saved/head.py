"""`session.json`: everything in a session file that is not an array, and the checks of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field, ValidationError

from aggviewer.document.mark_kinds import KINDS
from aggviewer.document.state import read_state
from aggviewer.document.view import ViewModel
from aggviewer.session.saved.arrays import SessionPart
from aggviewer.session.saved.log import LogHead, log_head, log_of
from aggviewer.session.saved.state import SavedAs, SessionState
from engine import __version__
from engine.checkpoint_checks import checked_scenario
from engine.errors import InputError
from engine.files.checks import MAX_SCENARIO, plain
from engine.limits import MAX_COUNT
from engine.simulation import Checkpoint
from engine.system import method_of

MAX_HEAD = 8 << 20  # bytes
FORMAT = 7  # CHANGELOG.md, version 0.2.0, says what is different from version 0.1.0
_READ = (4, 5, 6, FORMAT)  # 4, 5: other keys for what the document has now; up to 6: no log, perhaps a pool
_LONGEST_KIND = 40  # letters of the name of a kind of marks

_Name = Field(max_length=40)
_Toml = Field(max_length=MAX_SCENARIO)
_One = bool | int | float | str | None
_Value = _One | Annotated[Sequence[_One], Field(max_length=64)]
"""The value of a scenario key; a vector such as gravity is a sequence."""


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


class SessionHead(SessionPart):
    """The whole of `session.json`. Two fields are not part of the file: `marks_left_out` lists its kinds of marks that
    this version does not know, `pool_left_out` says whether it has a pool of packings."""

    format: int = Field(ge=FORMAT, le=FORMAT)
    program: str = _Name
    saved_at: float = Field(ge=0.0, le=1e12)
    time: float = Field(ge=0.0)
    clusters: int = Field(ge=1, le=MAX_COUNT)
    count: int = Field(ge=1, le=MAX_COUNT)
    lanes: list[LaneHead] = Field(min_length=1, max_length=2)
    document: dict[Annotated[str, _Name], Any] = Field(max_length=64)
    variant: dict[str, _Value] | None = Field(max_length=64)
    log: LogHead | None
    saved_as: SavedAs | None
    marks_left_out: list[str] = Field([], exclude=True)
    pool_left_out: bool = Field(False, exclude=True)


_LEFT_OUT = {"marks_left_out", "pool_left_out"}
_SAME = SessionHead.model_fields.keys() - {"format", "lanes", "document", "log", *_LEFT_OUT}
"""The keys of `session.json` whose values are those of a `SessionState` under the same names."""


def head_text(state: SessionState) -> bytes:
    """The text of `session.json` for a state. InputError if a session file cannot store it."""
    lanes = [
        LaneHead(
            system=lane.system,
            method=lane.method,
            checkpoint=lane.scenario,
            scenario=scenario,
        )
        for lane, scenario in zip(state.lanes, state.scenarios, strict=True)
    ]
    same = {name: vars(state)[name] for name in _SAME}
    document = state.document.dump("session", state.lanes[0].system)
    try:
        log = log_head(state.log)
        head = SessionHead(format=FORMAT, lanes=lanes, document=document, log=log, **same)
    except ValidationError as error:
        raise InputError(f"a session file cannot store the value of {_place(error)}") from None
    return head.model_dump_json(indent=1).encode()


def parse_head(data: bytes, where: str) -> SessionHead:
    """Parse and check `session.json` of a file from anywhere.

    Raises InputError, whose message begins with `where`, unless all of it is valid.
    """
    try:
        values = json.loads(data.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError):  # also for text that is not UTF-8, and numbers with thousands of digits
        raise InputError(f"{where}: session.json is not valid JSON") from None
    _check_format(values, where)
    try:
        head = SessionHead.model_validate(_without_unknown_marks(_upgraded(values)))
    except ValidationError as error:
        raise InputError(f"{where}: session.json is damaged at {_place(error)}") from None
    try:
        read_state(head.document, "session")
    except InputError as error:
        raise InputError(f"{where}: in session.json, {error}") from None
    if (head.variant is not None) != (len(head.lanes) == 2):
        raise InputError(f"{where}: session.json is damaged: a comparison needs two simulations and their difference")
    for lane in head.lanes:
        scenario = checked_scenario(lane.scenario)
        if (scenario.system, method_of(scenario)) != (lane.system, lane.method):
            raise InputError(f"{where}: session.json is damaged: its scenario belongs to another method")
        scenario.with_values(head.variant or {})
    return head


def state_of(head: SessionHead, arrays: list[dict[str, Any]]) -> SessionState:
    """The state from a checked `session.json` and the arrays of its lanes."""
    lanes = [
        Checkpoint(lane.system, lane.method, lane.checkpoint, of) for lane, of in zip(head.lanes, arrays, strict=True)
    ]
    same = {name: vars(head)[name] for name in _SAME | _LEFT_OUT}
    document = read_state(head.document, "session")
    scenarios = [lane.scenario for lane in head.lanes]
    return SessionState(lanes, scenarios, document=document, log=log_of(head.log, head.count), **same)


def _upgraded(values: Any) -> Any:
    """Convert a head of format 4, 5 or 6 to the present format; others are unchanged."""
    if not isinstance(values, dict):
        return values
    if values.get("format") == 4:
        values = _with_document(values)
    if values.get("format") == 5:
        values = _with_pace_and_marks(values)
    if values.get("format") == 6:
        packings = values.pop("packings", [])
        values.pop("colors", None)  # when clusters had changed colours, which follow from the state alone
        values = values | {"format": FORMAT, "log": None, "pool_left_out": bool(packings)}
    return values


def _with_pace_and_marks(values: dict[str, Any]) -> dict[str, Any]:
    """Convert a head of format 5 to format 6, whose document has the speed and the marks."""
    document = values.get("document")
    today = {name: value for name, value in values.items() if name not in ("speed", "fast", "picked", "marks")}
    pace = {"limit": "speed", "speed": values.get("speed")}
    if pace["speed"] is None:
        pace = {"limit": "frames" if values.get("fast") else "none"}
    run = {"marks": {"discs": values.get("picked", ""), "marks": values.get("marks", [])}}
    if isinstance(document, dict):
        document = document | {"pace": pace, "run": run}
    return today | {"format": 6, "document": document}


def _with_document(values: dict[str, Any]) -> dict[str, Any]:
    """Convert a head of format 4 to format 5."""
    today = {name: value for name, value in values.items() if name not in ("view", "plots", "plot_alone", "plot_looks")}
    view, alone, looks = values.get("view"), values.get("plot_alone"), values.get("plot_looks")
    usual = ViewModel().model_dump(mode="json")
    plots: dict[str, Any] = {"chosen": () if alone is None else (alone,)}
    if looks is not None:
        plots["looks"] = looks
    view = usual | view if isinstance(view, dict) else view
    return today | {"format": 5, "document": {"view": view, "plots": plots}}


def _without_unknown_marks(values: Any) -> Any:
    """A head without marks of unknown kinds, which `marks_left_out` lists."""
    try:
        marks = values["document"]["run"]["marks"]
        unknown = [mark for mark in marks["marks"] if _is_unknown(mark)]
        known = [mark for mark in marks["marks"] if not _is_unknown(mark)]
    except (KeyError, TypeError):  # there are none, or they are damaged
        return values | {"marks_left_out": []} if isinstance(values, dict) else values
    document = values["document"]
    run = document["run"] | {"marks": marks | {"marks": known}}
    return values | {"document": document | {"run": run}, "marks_left_out": [mark["kind"] for mark in unknown]}


def _is_unknown(mark: Any) -> bool:
    kind = mark.get("kind") if isinstance(mark, dict) else None
    return isinstance(kind, str) and 0 < len(kind) <= _LONGEST_KIND and kind not in KINDS


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


def _place(error: ValidationError) -> str:
    """The faulty key, safe for a message."""
    return plain(".".join(str(part) for part in error.errors(include_url=False)[0]["loc"])) or "its first key"
