"""Messages: over the picture, and at the field that they are about."""

from __future__ import annotations

from dataclasses import replace

from aggviewer.parameters import ParametersPanel, in_words
from aggviewer.session import Notice
from aggviewer.window.stage.toasts import ToastStack


class Messages:
    """Shows what there is to tell."""

    def __init__(self, toasts: ToastStack, parameters: ParametersPanel) -> None:
        self._toasts = toasts
        self._parameters = parameters

    def show(self, notice: Notice) -> None:
        """A message over the picture, and at the field that it is about."""
        at_field = notice.key in self._parameters.rows
        self._toasts.show(replace(notice, title=in_words(notice.title)) if at_field else notice)
        if at_field and notice.level == "error":
            self._parameters.show_error(notice.key, notice.title)
