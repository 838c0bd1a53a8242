"""Which editor a key of the scenario gets."""

from __future__ import annotations

from aggviewer.parameters.editors import ChoiceEditor, Control, Editor, FileEditor, NumberEditor, SeedEditor, SizeEditor
from aggviewer.parameters.pair_editor import PairEditor
from aggviewer.parameters.switch_editors import StepEditor, SwitchEditor
from engine.scenario import FieldDescription


def make_editor(field: FieldDescription, control: Control) -> Editor:
    """The editor for a key."""
    if field.key == "seed":
        return SeedEditor(field)
    if field.kind in ("integer", "number"):
        return NumberEditor(field, control)
    if field.kind == "choice":
        return ChoiceEditor(field, control)
    if field.kind == "switch":
        return SwitchEditor(field)
    if field.kind == "step":
        return StepEditor(field, control)
    if field.kind == "pair":
        return PairEditor(field, control)
    if field.kind == "size":
        return SizeEditor(field)
    if field.kind == "text":
        return FileEditor(field)
    raise NotImplementedError(f"no editor for {field.kind}")
