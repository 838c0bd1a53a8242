"""The message above the panes of a plot."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PyQt6.QtCore import QRect, Qt
from PyQt6.QtWidgets import QLabel, QSizePolicy

from aggviewer.plots.drawing import Message
from aggviewer.plots.runs import RunStyle, looks
from aggviewer.style.theme import Colors, tabular

_LINK = '<a href="where">Show&nbsp;where</a>'


class MessageLine(QLabel):
    """Text in a space of fixed height, so that plots do not move when it gets longer; a height that depended on the
    width would make all plots request their full height.

    longest : the longest message of a run; the line is never shown if it is empty.
    """

    def __init__(self, longest: str) -> None:
        super().__init__()
        self._longest = longest
        self.setFont(tabular(self.font()))
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.setContentsMargins(8, 4, 8, 0)
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        self.hide()

    def hasHeightForWidth(self) -> bool:
        """No."""
        return False

    def show_messages(self, messages: Sequence[Message | None], runs: Sequence[RunStyle], theme: Colors) -> None:
        """Show the message of each run, in the colour of errors if it reports a problem."""
        if not self._longest:
            return
        lines = []
        for run, one, look in zip(runs, messages, looks(runs, theme), strict=True):
            if one is not None:
                words = one.text
                if one.problem:
                    words = f'<span style="color:{theme.error}">{words}</span> {_LINK}'
                lines.append(words if look.alone else f"{look.swatch}&nbsp;{escape(run.name)}: {words}")
        self.setVisible(bool(lines))
        self.setText("<br>".join(lines))

    def keep_room(self, names: Sequence[str], width: int) -> None:
        """Reserve space for the longest message of each run that can have one.

        names : of these runs, "" for a single one; width : of the plot.
        """
        if not self._longest:
            return
        margins = self.contentsMargins()
        room = QRect(0, 0, max(1, width - margins.left() - margins.right()), 1000)
        heads = [f"● {name}: " if name else "" for name in names]
        text = "\n".join(f"{head}{self._longest} Show where" for head in heads)
        needed = self.fontMetrics().boundingRect(room, Qt.TextFlag.TextWordWrap, text).height()
        self.setFixedHeight(needed + margins.top() + margins.bottom())
