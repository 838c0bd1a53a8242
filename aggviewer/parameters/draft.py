"""The scenario being edited: the running scenario plus unapplied changes. No Qt."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from engine.scenario import Scenario, fields

# each distribution gets this spread when chosen, because the number has another meaning for each
_SPREADS = {"bidisperse": 1.4, "uniform": 0.5, "lognormal": 0.2}


class Draft:
    """Unapplied changes to the running scenario.

    base : the running scenario; changes : dotted key to value, only values that differ. They may be invalid;
    `Scenario.with_values` checks them.
    """

    def __init__(self, base: Scenario) -> None:
        self.base = base
        self.changes: dict[str, Any] = {}

    def value(self, key: str) -> Any:
        """The value of a dotted key."""
        return self.changes[key] if key in self.changes else self.base.value(key)

    def set(self, key: str, value: Any) -> None:
        """Change a key, and others that depend on it."""
        self._put(key, value)
        if key == "discs.radii" and value in _SPREADS:
            self._put("discs.spread", _SPREADS[value] if value != self.base.discs.radii else self.base.discs.spread)
        if key == "discs.arrangement" and value != "file" and self.value("velocities.distribution") == "file":
            self._put("velocities.distribution", fields()["velocities.distribution"].default)

    def _put(self, key: str, value: Any) -> None:
        if _same(value, self.base.value(key)):
            self.changes.pop(key, None)
        else:
            self.changes[key] = value

    def rebase(self, base: Scenario) -> None:
        """Set a new running scenario, and drop changes that it already contains."""
        changes, self.base, self.changes = self.changes, base, {}
        for key, value in changes.items():
            self._put(key, value)


def _same(a: Any, b: Any) -> bool:
    return bool(a == b) and isinstance(a, str) == isinstance(b, str)


def relevant(values: Mapping[str, Any]) -> dict[str, bool]:
    """Which keys have an effect, given the values of the choices. A key that is missing always has an effect."""
    from_file = values["discs.arrangement"] == "file"
    return {
        "discs.count": not from_file,
        "discs.file": from_file,
        "discs.fix_overlaps": from_file,
        "discs.radii": not from_file,
        "discs.spread": not from_file and values["discs.radii"] != "equal",
        "velocities.speed": values["velocities.distribution"] not in ("file", "rest"),
    }


def in_words(message: str) -> str:
    """A message with dotted keys replaced by their labels, and without command-line options."""

    def name(match: re.Match[str]) -> str:
        label = fields()[match.group()].label
        return label if match.start() == 0 else label[0].lower() + label[1:]

    return _dotted_keys().sub(name, re.sub(r" \(--[a-z-]+\)", "", message))


def keys_in(message: str) -> list[str]:
    """The dotted keys mentioned in a message."""
    return _dotted_keys().findall(message)


def _dotted_keys() -> re.Pattern[str]:
    keys = "|".join(re.escape(key) for key in sorted(fields(), key=len, reverse=True) if "." in key)
    return re.compile(rf"\b({keys})\b")
