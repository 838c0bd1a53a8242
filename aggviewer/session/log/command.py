"""What all commands have in common: their words, what each does to the present run, and how the log repeats it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from pydantic import TypeAdapter, ValidationError

from engine import plugins
from engine.errors import InputError
from engine.registry import Registry

if TYPE_CHECKING:
    from engine.scenario import Scenario
    from engine.simulation import Simulation

NOT_TUNED = "a recording cannot be changed; start a new simulation from one of its frames"

C = TypeVar("C", bound="RepeatableCommand")


@dataclass(frozen=True)
class RunCommand(ABC):
    """Something that was asked of a run: a value that is never changed.

    A command is given to `Session.give`. It is carried out on the simulation's thread, is one step of *Undo*, and
    stands in the log of the run (`aggviewer.session.log.log`). Of one that begins or replaces a run a file keeps only
    its words; one that changes a run is a `RepeatableCommand`.

    Attributes
    ----------
    at_once : whether long work is interrupted to do it now.
    replaces : whether a run that is being built is abandoned for it. True for scenarios and files, of which a slider or
        a list may give many in a row; never for a command that starts from the present run, which must be built first.
    """

    at_once: ClassVar[bool] = True
    replaces: ClassVar[bool] = False

    @property
    def subject(self) -> str:
        """What it changes: commands of one gesture with the same subject, as in a drag, are one step of *Undo*."""
        return ""

    @abstractmethod
    def words(self, scenario: Scenario | None) -> str:
        """Its name in the history, such as "restart" or "α = 0.2". scenario : the running one."""

    def against_recording(self) -> InputError | None:
        """Why it cannot be done to a recording; None if it can. Then it is not carried out."""
        return None

    @abstractmethod
    def carry_out(self, loader: Any) -> Sequence[RunCommand]:
        """Do it to the present run of the session's `Loader`, and note it in its log. On the simulation's thread.

        Returns the commands that undo it while the run goes on. It is empty for a command that has replaced the present
        run, since *Undo* then returns to the earlier one. InputError if it is not allowed; then nothing has changed.
        """


@dataclass(frozen=True)
class RepeatableCommand(RunCommand):
    """A command that changes a run, which the log makes again: it is saved with a session, and films and scripts repeat
    it.

    kind : its name in session files.
    """

    kind: ClassVar[str] = ""

    def against_recording(self) -> InputError | None:
        """A recording cannot be changed; see `RunCommand`."""
        return InputError(NOT_TUNED)

    @abstractmethod
    def again(self, simulation: Simulation, waiting: Mapping[str, Any]) -> Simulation:
        """Do to a simulation what was done to that of the run; the same one, or another that continues from it.

        waiting : values of keys set earlier, for which the method of that time had no use.
        """

    @abstractmethod
    def python(self, waiting: Mapping[str, Any]) -> Sequence[str]:
        """The lines of Python that do the same to the variable `simulation`. waiting : as for `again`."""

    @property
    def values(self) -> Mapping[str, Any]:
        """The keys of the scenario that the command sets, with their values."""
        return {}


@dataclass(frozen=True)
class Unknown(RunCommand):
    """A command of a session file that this program only knows by name: one that began a run, or one of a plug-in that
    is not loaded. It cannot be made again.

    name : its words.
    """

    name: str

    def words(self, scenario: Scenario | None) -> str:
        """Its name in the history, which was stored with it."""
        return self.name

    def carry_out(self, loader: Any) -> Sequence[RunCommand]:
        """InputError: this program does not know the command."""
        raise InputError(f"this program does not know the command {self.name}")


def _fits(command: type[RepeatableCommand], others: Sequence[type[RepeatableCommand]]) -> None:
    if not command.kind or command.kind in {other.kind for other in others}:
        raise InputError(f"the command {command.__name__} needs a kind of its own, not {command.kind!r}")


def _fits_of_plug_in(command: Any, others: Sequence[Any]) -> None:
    if not (isinstance(command, type) and issubclass(command, RunCommand)):
        raise InputError("its command of a run is not a class derived from RunCommand")
    if not issubclass(command, RepeatableCommand):
        raise InputError(f"the command {command.__name__} cannot be made again: derive it from RepeatableCommand")
    _fits(command, (*COMMANDS.parts, *others))


COMMANDS: Registry[type[RepeatableCommand]] = Registry(_fits)
"""The program's own commands that a session file may contain."""

plugins.check("run_command", _fits_of_plug_in)


def register(command: type[C]) -> type[C]:
    """Add a command to the registry; used as a decorator."""
    COMMANDS.add(command)
    return command


def commands() -> dict[str, type[RepeatableCommand]]:
    """All commands that a session file may contain, by their kind."""
    return {one.kind: one for one in (*COMMANDS.parts, *plugins.made("run_command"))}


@cache
def _adapter(command: type[RepeatableCommand]) -> TypeAdapter[RepeatableCommand]:
    return TypeAdapter(command)


def from_plain(kind: str, values: Mapping[str, Any]) -> RepeatableCommand | Unknown:
    """The command of a file; `Unknown` if this program has none of this kind. InputError if its arguments do not
    fit."""
    found = commands().get(kind)
    if found is None:
        return Unknown(kind)
    known = {field.name for field in fields(found)}
    if not values.keys() <= known:
        raise InputError(f"the command {kind} has no argument {min(values.keys() - known)}")
    try:
        return _adapter(found).validate_python(dict(values))
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors(include_url=False)[0]["loc"])
        raise InputError(f"the command {kind} is damaged at {place}") from None
