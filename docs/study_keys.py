"""A Sphinx directive that lists the keys of one table of a study, from the model that checks them.

    ```{study-keys} vary
    ```

Without a name it lists the keys that stand before the first table.
"""

from __future__ import annotations

from typing import Any, Literal, get_args, get_origin

from docutils import nodes
from docutils.statemachine import StringList
from pydantic.fields import FieldInfo
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from engine.scenario.section import Section
from engine.study.model import (
    Claim,
    CurveSlope,
    Fit,
    KeptQuantities,
    Pool,
    Seeds,
    SinglePoint,
    Skip,
    Study,
    StudyFigure,
    StudyLimits,
    ValueRange,
    Vary,
)

TABLES: dict[str, type[Section]] = {
    "": Study, "vary": Vary, "range": ValueRange, "skip": Skip, "seeds": Seeds, "stop": StudyLimits,
    "measure": KeptQuantities,
    "slope": CurveSlope, "figure": StudyFigure, "fit": Fit, "claim": Claim, "pool": Pool, "point": SinglePoint,
}  # fmt: skip
"""The tables of a study by name."""


class StudyKeys(SphinxDirective):
    """See the module."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The list of keys; an error of the build for a table that there is not."""
        table = self.arguments[0] if self.arguments else ""
        if table not in TABLES:
            raise self.error(f"a study has no table {table}")
        lines = [line for name, info in TABLES[table].model_fields.items() for line in entry(name, info)]
        node = nodes.container()
        node.document = self.state.document
        self.state.nested_parse(StringList(lines, self.get_source_info()[0]), self.content_offset, node)
        return [node]


def entry(name: str, info: FieldInfo) -> list[str]:
    """A key as an item of a definition list: meaning, what is allowed, default."""
    facts = [f"allowed: {allowed(info)}", "must be given" if info.is_required() else f"default: {_default(info)}"]
    return [f"`{info.alias or name}`", f": {info.description}", "", f"  *{'; '.join(facts)}.*", ""]


def allowed(info: FieldInfo) -> str:
    """What a key may be, in words."""
    if get_origin(info.annotation) is Literal:
        return ", ".join(f'"{one}"' if isinstance(one, str) else str(one) for one in get_args(info.annotation) if one)
    extra = info.json_schema_extra
    text = str(extra["allowed"]) if isinstance(extra, dict) else ""
    bounds = {name: getattr(one, name) for one in info.metadata for name in ("ge", "le") if name in one.__slots__}
    if "ge" in bounds:
        text += f" from {bounds['ge']:g} to {bounds['le']}" if "le" in bounds else f" of at least {bounds['ge']:g}"
    return text


def _default(info: FieldInfo) -> str:
    value = info.get_default(call_default_factory=True)
    if value in (None, "", (), {}) or isinstance(value, Section):
        return "none"
    return str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else str(value)


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_directive("study-keys", StudyKeys)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
