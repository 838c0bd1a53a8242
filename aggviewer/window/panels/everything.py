"""The switch between the simple and the full window."""

from __future__ import annotations

from collections.abc import Iterator

from aggviewer.parameters import ParametersPanel
from aggviewer.plots import PlotsPanel
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.part import Context, Part


class Everything(Part):
    """Makes the panels show everything, or a few parameters and one plot. The top bar follows by itself."""

    def __init__(self, context: Context) -> None:
        self._model = context.document.panels
        self._commands = context.commands
        self._parameters, self._plots = context[ParametersPanel], context[PlotsPanel]
        self._parameters.everything_asked.connect(self.toggle)
        self._model.events.everything.connect(self._show)
        self._show(self._model.everything)

    def commands(self) -> Iterator[Command]:
        """The command for the switch."""
        yield Command(
            "view.everything",
            "Show everything",
            self.toggle,
            tooltip="Show all parameters, plots and tools, or only the basic ones",
            checked=lambda: self._model.everything,
            menu=Place("View", 0, 0),
            words="simple advanced expert all parameters plots tools beginner",
        )

    def toggle(self) -> None:
        """Show everything, or only the simple window."""
        self._model.everything = not self._model.everything

    def _show(self, everything: bool) -> None:
        self._parameters.show_everything(everything)
        self._plots.show_everything(everything)
        self._commands.update()

    def close(self) -> None:
        """Stop following the model."""
        self._model.events.everything.disconnect(self._show)
