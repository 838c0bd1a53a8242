"""Scenarios: descriptions of what is simulated, read from TOML (``format = 1``) and validated.

A `Scenario` cannot be changed; `Scenario.with_values` makes a changed, validated copy. `scenario_keys` and `describe`
give what is known about each key. Each registered system adds a table of its own (`engine.system`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

import tomli_w
from pydantic import ValidationError, create_model, model_validator

from engine.arrangements.table import unit_density
from engine.errors import InputError, either, typed_path
from engine.scenario.fields import FieldDescription, describe, input_error, scenario_keys, sections, tunable
from engine.scenario.model import Box, DiscsSection, Model, ShearSection, VelocitiesSection, system_field
from engine.scenario.section import Section, SystemTable, registered, written_in
from engine.scenario.source import BundledScenario, bundled, bundled_text, parse_setting, parse_toml, read_text

__all__ = [
    "Box",
    "BundledScenario",
    "DiscsSection",
    "FieldDescription",
    "Scenario",
    "ShearSection",
    "VelocitiesSection",
    "bundled",
    "describe",
    "load_scenario",
    "parse_setting",
    "scenario_keys",
    "sections",
    "tunable",
]

T = TypeVar("T", bound=Section)

_PLUGIN = "plugin"  # a key that only files have


class Scenario(Model):
    """A validated scenario. ``Scenario()`` is the default one: 2 500 discs on a lattice, event-driven aggregation.

    Making one gives an instance of a subclass, which has a table for each system that is registered at that moment.
    `section` gives a table by its type.
    """

    def __new__(cls, **values: Any) -> Self:
        complete: Any = _complete(registered()) if cls is Scenario else cls
        made: Self = super().__new__(complete)
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scenario) and self.to_values() == other.to_values()

    def __hash__(self) -> int:
        return hash((self.system, self.seed, self.box, self.discs, self.velocities))

    @model_validator(mode="after")
    def _fits_its_system(self) -> Scenario:
        for known in registered():
            if known.name == self.system:
                if self.dimensions not in known.dimensions:
                    able = either(f'"{other.name}"' for other in registered() if self.dimensions in other.dimensions)
                    raise InputError(
                        f'dimensions must be 2 when system = "{self.system}"; only {able} runs in three dimensions',
                        "dimensions",
                    )
                if self.shear.rate != 0.0:
                    self._check_shear(known)
                known.check(self)
        return self

    def _check_shear(self, system: SystemTable) -> None:
        """Raise InputError if this system has no shear flow, or if the box is not periodic along every axis."""
        if not system.shears:
            able = either(f'"{other.name}"' for other in registered() if other.shears)
            raise InputError(
                f'shear.rate must be 0 when system = "{self.system}"; only {able} can be sheared', "shear.rate"
            )
        if not self.periodic.all:
            raise InputError(
                'shear.rate must be 0 unless box.boundary = "periodic": the images above and below drive the flow',
                "shear.rate",
            )

    @staticmethod
    def from_values(values: Mapping[str, Any]) -> Scenario:
        """A scenario from nested tables, as TOML gives them.

        The key ``plugin`` names the plug-in that the system comes from. It is only used in the message where that
        plug-in is not loaded.

        Raises
        ------
        InputError
            A value is not allowed; it names the key at fault.
        """
        values = dict(values)
        plugin = values.pop(_PLUGIN) if isinstance(values.get(_PLUGIN), str) else ""
        _check_system(values.get("system"), plugin)
        try:
            return _complete(registered()).model_validate(values)
        except ValidationError as error:
            raise input_error(error, values) from None

    @staticmethod
    def from_toml(text: str, folder: Path | None = None, name: str = "the scenario") -> Scenario:
        """A scenario from a TOML text.

        Parameters
        ----------
        text : the TOML.
        folder : the folder to which relative paths in ``discs.file`` and ``discs.kinds`` refer.
        name : what messages call the text.

        Raises
        ------
        InputError
            The text is not TOML, or a value is not allowed.
        """
        values = parse_toml(text, name)
        discs = values.get("discs")
        if folder is not None and isinstance(discs, dict):
            for key in ("file", "kinds"):
                if isinstance(discs.get(key), str) and discs[key]:
                    discs[key] = str((folder / typed_path(discs[key])).resolve())
        return Scenario.from_values(values)

    def to_values(self) -> dict[str, Any]:
        """The scenario as nested tables with every key, also those with default values.

        Left out are ``box.size`` where it is not set, and the tables of other systems that come from plug-ins. Where
        the scenario's own system comes from a plug-in, the key ``plugin`` names it.
        """
        values = {
            key: value
            for key, value in self._all_values().items()
            if key in Model.model_fields or key == "system" or written_in(key, self.system)
        }
        origin = next((known.origin for known in registered() if known.name == self.system), "")
        if not origin:
            return values
        return {"format": values.pop("format"), "system": values.pop("system"), _PLUGIN: origin} | values

    def _all_values(self) -> dict[str, Any]:
        """Every table, as JSON has it."""
        values: dict[str, Any] = self.model_dump(mode="json", exclude_none=True)
        return values

    def to_toml(self) -> str:
        """The complete scenario as TOML, with all default values. Reading it gives an equal scenario."""
        return tomli_w.dumps(self.to_values())

    def section(self, kind: type[T]) -> T:
        """The table of a system, by its type: ``scenario.section(HardDiscs).restitution``.

        A system that was registered after this scenario was made has its defaults.
        """
        for name in type(self).model_fields:
            found = getattr(self, name)
            if isinstance(found, kind):
                return found
        return kind()

    def value(self, key: str) -> Any:
        """The value of a dotted key. Raises InputError for a key that does not exist.

        A key of a plug-in that was loaded after this scenario was made has its default.
        """
        described = describe(key)
        found: Any = self
        for part in key.split("."):
            if part not in type(found).model_fields:
                return described.default
            found = getattr(found, part)
        return found

    def with_values(self, changes: Mapping[str, Any]) -> Scenario:
        """A validated copy with dotted keys set: ``scenario.with_values({"discs.count": 100})``.

        The value None removes a key, so that it has its default again. Raises InputError as `from_values` does.
        """
        values = self._all_values()
        for key, value in changes.items():
            describe(key)
            *tables, name = key.split(".")
            table = values
            for part in tables:
                table = table.setdefault(part, {})
            if value is None:
                table.pop(name, None)
            else:
                table[name] = value
        return Scenario.from_values(values)

    def with_settings(self, settings: Iterable[str]) -> Scenario:
        """A validated copy with settings as the command line takes them: ``section.key=value``."""
        return self.with_values(dict(parse_setting(text) for text in settings))

    def first_difference(self, other: Scenario, *, apart_from: str) -> str | None:
        """The first dotted key whose value differs from that in `other`, None if there is none.

        Keys of the table `apart_from` are not compared.
        """
        mine, theirs = _flat(self.to_values()), _flat(other.to_values())
        for key in mine | theirs:
            if not key.startswith(f"{apart_from}.") and mine.get(key) != theirs.get(key):
                return key
        return None

    def box_size(self) -> tuple[float, ...]:
        """The sides of the box, L_x, L_y and, in three dimensions, L_z.

        Where the scenario does not give them, they follow from the arrangement: a cell of the lattice with vacant sites
        has the area 1, else there is an area of 1 for each disc. For each sphere there is a volume of 1.
        """
        given = self.box.given_sides(self.dimensions)
        if given is not None:
            return given
        arrangement = self.discs.placed
        return (unit_density if arrangement is None else arrangement.box)(self.discs.count, self.dimensions)


def _check_system(name: object, plugin: str) -> None:
    """Raise InputError for an unknown system, saying what to do, before its table is reported as an unknown key."""
    if not isinstance(name, str) or any(known.name == name for known in registered()):
        return
    allowed = describe("system").allowed
    if plugin:
        raise InputError(
            f'system "{name}" comes from the plug-in {plugin}, which is not loaded: load it with --plugin FILE.py; '
            f"without it, system must be {allowed}",
            "system",
        )
    raise InputError(
        f'system must be {allowed}, not "{name}"; the system of a plug-in needs --plugin FILE.py', "system"
    )


@lru_cache(maxsize=4)  # each plug-in that adds a system makes a further one
def _complete(systems: tuple[SystemTable, ...]) -> type[Scenario]:
    """The subclass of `Scenario` with the tables of these systems."""
    titles = {system.name: system.title for system in systems}
    tables: dict[str, Any] = {system.table: (system.section, system.section()) for system in systems}
    tables["system"] = (Literal[tuple(titles)], system_field(titles))
    return create_model("Scenario", __base__=Scenario, __module__=__name__, **tables)


def _flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested tables as a single one with dotted keys."""
    found: dict[str, Any] = {}
    for key, value in values.items():
        found |= _flat(value, f"{prefix}{key}.") if isinstance(value, Mapping) else {prefix + key: value}
    return found


def load_scenario(path_or_name: str | Path) -> Scenario:
    """Read a scenario from a TOML file, or give the bundled one of this name (``"lattice-2500"``).

    Raises
    ------
    InputError
        There is no such file or bundled scenario, or it is not a valid scenario.
    """
    path = typed_path(path_or_name)
    text = bundled_text(str(path_or_name))
    if text is not None and not path.is_file():
        return Scenario.from_toml(text, name=f"{path_or_name}.toml")
    if not path.exists() and path.suffix != ".toml" and path.name == str(path_or_name):
        names = ", ".join(scenario.name for scenario in bundled())
        raise InputError(
            f"{path_or_name} is neither a file nor a bundled scenario; the bundled ones are {names}",
            str(path_or_name),
        )
    return Scenario.from_toml(read_text(path), folder=path.resolve().parent, name=str(path))
