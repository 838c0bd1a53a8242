"""A Sphinx directive that lists the keys of one table of a scenario, from the model that checks them.

    ```{scenario-keys} discs
    ```

makes a table with key, symbol, what is allowed, default, unit and meaning of every key in ``[discs]``, not of
those in its tables. Without a name it lists the keys that stand before the first table.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from aggviewer.style.formulas import plain_text
from engine.scenario import FieldDescription, scenario_keys


class ScenarioKeys(SphinxDirective):
    """See the module."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The list of keys; an error of the build for a table that there is not."""
        table = self.arguments[0] if self.arguments else ""
        found = [one for one in scenario_keys().values() if one.key.rpartition(".")[0] == table]
        if not found:
            raise self.error(f"a scenario has no table {table}")
        text = "\n".join(line for one in found for line in _entry(one))
        node = nodes.container()
        node.document = self.state.document
        self.state.nested_parse(StringList(text.splitlines(), self.get_source_info()[0]), self.content_offset, node)
        return [node]


def _entry(one: FieldDescription) -> list[str]:
    """A key as an item of a definition list."""
    facts = [f"allowed: {one.allowed}", f"default: {_toml(one.default)}"]
    if one.unit:
        facts.append(f"unit: {one.unit}")
    facts.append("changes only with a new start" if one.restart else "may change while it runs")
    symbol = f" ({one.symbol})" if one.symbol else ""
    choices = "; ".join(f"`{value}`: {text}" for value, text in one.choices.items() if value != text)
    lines = [f"`{one.key}`", f": **{one.label}**{symbol}. {plain_text(one.tooltip)}", "", f"  *{'; '.join(facts)}.*"]
    return [*lines, *(["", f"  {choices}."] if choices else []), ""]


def _toml(value: Any) -> str:
    if value is None:
        return "left out"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(list(value) if isinstance(value, tuple) else value)


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_directive("scenario-keys", ScenarioKeys)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
