"""What the window lends to the commands of a system."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from PyQt6.QtWidgets import QWidget

from aggviewer.session import Analysis, Session, Shown
from aggviewer.session.notices import Notify
from engine.scenario import Scenario


class AskSave(Protocol):
    """Asks for a file to save to."""

    def __call__(self, use: str, name: str, title: str, name_filter: str) -> Path | None:
        """The file, None when the person thinks better of it.

        Parameters
        ----------
        use : what is saved: each has its folder.
        name : proposed for the file.
        title : of the dialog.
        name_filter : the kinds of files, as Qt's file dialogs want them.
        """


@dataclass(frozen=True)
class SystemContext:
    """What the commands of a system work with, see `SystemView.commands`.

    Parameters
    ----------
    window : the parent of dialogs and of objects that live as long as the window.
    session : what runs.
    offers(what) : whether the system on the screen offers something, see `SystemView.offers`.
    shown() : the frame on the screen, None before there is one.
    ask_save : asks for a file to save to.
    new_start() : a file for the state that a new simulation begins from.
    notify(notice) : shows a message.
    begin(about) : removes messages about the last try, see `Notice.about`.
    clear_news() : takes away the messages that would go by themselves.
    on_scenario(call), on_analysis(call) : have `call(scenario)` called when another scenario runs, `call(lane,
        analysis)` when a state was measured; on the GUI thread.
    """

    window: QWidget
    session: Session
    offers: Callable[[str], bool]
    shown: Callable[[], Shown | None]
    ask_save: AskSave
    new_start: Callable[[], Path]
    notify: Notify
    begin: Callable[[str], object]
    clear_news: Callable[[], None]
    on_scenario: Callable[[Callable[[Scenario], None]], object]
    on_analysis: Callable[[Callable[[int, Analysis], None]], object]
