"""The welcome tiles: a scenario of each system, the lessons, and the last work, below the parameters of a first start.
They stay until they are dismissed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from PyQt6.QtCore import QEvent, QRect, QSize, Qt
from PyQt6.QtGui import QPixmap, QResizeEvent
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout

from aggviewer.extensions.gallery.popup import Scenarios
from aggviewer.parameters import ParametersPanel
from aggviewer.session import Notice
from aggviewer.session.saved.autosave import Recoverable
from aggviewer.widgets.buttons import icon
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.part import Context, Part, Tile, ground_in_use
from aggviewer.window.files import SessionFiles, described
from aggviewer.window.settings import WindowSettings
from aggviewer.window.side_panels import SidePanels

_NARROWEST = 64  # pixels of a card
_WITH_PICTURE = 120  # pixels of a card in which two lines of words fit beside its picture
_PICTURE = QSize(44, 32)
_PAD, _GAP = 4, 4
_LINES = 2  # of the words of a card
_BACK = "Learn, Welcome shows them again."


class WelcomeTiles(QFrame):
    """A column of cards below a heading with a button to dismiss it."""

    def __init__(
        self, cards: Sequence[Tile], on_choose: Callable[[Tile], None], on_dismiss: Callable[[], None]
    ) -> None:
        super().__init__()
        self.setObjectName("welcome")
        heading = QLabel("Start with")
        heading.setProperty("heading", True)
        self.close_button = QToolButton()
        self.close_button.setIcon(icon("mdi6.close", "muted"))
        self.close_button.setAutoRaise(True)
        self.close_button.setAccessibleName("Dismiss")
        self.close_button.setToolTip(f"Dismiss these tiles. {_BACK}")
        self.close_button.clicked.connect(on_dismiss)
        head = QHBoxLayout()
        head.addWidget(heading, 1)
        head.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 0, 0, 0)
        column.setSpacing(_GAP)
        column.addLayout(head)
        self.cards = [CardButton(card) for card in cards]
        for button in self.cards:
            button.clicked.connect(lambda _checked, card=button.card: on_choose(card))
            column.addWidget(button)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)


class CardButton(QToolButton):
    """A picture, or an icon instead, with a title beside it."""

    def __init__(self, card: Tile) -> None:
        super().__init__()
        self.card = card
        self.setObjectName("welcomeCard")
        self.setAccessibleName(card.title)
        self.setAccessibleDescription(card.line)
        self.setToolTip(card.line)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._ground = ""
        self.picture = QLabel()
        self.words = QLabel(card.title)
        self.words.setWordWrap(True)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(_PAD, _PAD, _PAD, _PAD)
        layout.setSpacing(8)
        for label in (self.picture, self.words):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        layout.addWidget(self.picture)
        layout.addWidget(self.words, 1)
        self._take_picture()

    def sizeHint(self) -> QSize:
        """Room for the picture and two lines."""
        words = max(_PICTURE.height(), _LINES * self.words.fontMetrics().lineSpacing())
        return QSize(_WITH_PICTURE, words + 2 * _PAD + 2)

    def hasHeightForWidth(self) -> bool:
        """No: a card that loses or takes its picture keeps its height."""
        return False

    def minimumSizeHint(self) -> QSize:
        """Text may wrap but is never cut off."""
        return QSize(_NARROWEST, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """A narrow card has no picture."""
        super().resizeEvent(event)
        self.picture.setVisible(self.width() >= _WITH_PICTURE)

    def changeEvent(self, event: QEvent | None) -> None:
        """Use the picture for another theme."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.StyleChange and self._ground != ground_in_use():
            self._take_picture()

    def _take_picture(self) -> None:
        self._ground = ground_in_use()
        path = self.card.pictures.get(self._ground)
        if path is None:
            self.picture.setPixmap(icon(self.card.icon).pixmap(_PICTURE.height() - 8))
        else:
            self.picture.setPixmap(self._cut(QPixmap(str(path))))

    def _cut(self, pixmap: QPixmap) -> QPixmap:
        """The centre of a picture, cropped to the displayed size."""
        if pixmap.isNull():
            return pixmap
        ratio = self.devicePixelRatioF()
        whole = pixmap.scaled(
            _PICTURE * ratio, Qt.AspectRatioMode.KeepAspectRatioByExpanding, Qt.TransformationMode.SmoothTransformation
        )
        part = QRect(0, 0, round(_PICTURE.width() * ratio), round(_PICTURE.height() * ratio))
        part.moveCenter(whole.rect().center())
        cut = whole.copy(part)
        cut.setDevicePixelRatio(ratio)
        return cut


class Welcome(Part):
    """Shows the tiles in the panel of the parameters until the user dismisses them.

    shown : the tiles; None after they were dismissed.
    """

    def __init__(self, context: Context) -> None:
        self._settings, self._sessions = context[WindowSettings], context[SessionFiles]
        self._parameters, self._panels = context[ParametersPanel], context[SidePanels]
        self._scenarios, self._to_picture, self._notify = context[Scenarios], context.focus_picture, context.notify
        self.shown: WelcomeTiles | None = None
        if not self._settings.welcome_dismissed:
            self._set_tiles(self._scenarios.cards())

    def commands(self) -> Iterator[Command]:
        """The command that shows the tiles again."""
        yield Command(
            "help.welcome",
            "Welcome",
            self.show,
            tooltip="Scenarios to start with, and the lessons",
            menu=Place("Learn", 4, 9),
        )

    def show(self) -> None:
        """Show the tiles again, in sight."""
        self._settings.welcome_dismissed = False
        self._set_tiles([*self._kept_work(), *self._scenarios.cards()])
        self._panels.show(self._panels.left)
        self._parameters.form.reveal_foot()

    def offer_work(self) -> None:
        """Offer to continue the work kept at the last closing, if any, unless a crashed run is offered."""
        if self._sessions.kept_work() and not self._sessions.crashed:
            self._set_tiles([*self._kept_work(), *self._usual_cards()])

    def _usual_cards(self) -> Sequence[Tile]:
        return () if self._settings.welcome_dismissed else self._scenarios.cards()

    def _kept_work(self) -> Iterator[Tile]:
        """The last work, if it was kept."""
        for found in self._sessions.kept_work()[:1]:
            yield self._continue(found)

    def _continue(self, found: Recoverable) -> Tile:
        def use() -> None:
            self._set_tiles(self._usual_cards())
            self._sessions.opener(found)()

        line = f"{described(found)}. You also find it under File, Kept work."
        return Tile("Continue where I left off", line, use, {}, "mdi6.history")

    def _set_tiles(self, cards: Sequence[Tile]) -> None:
        self.shown = WelcomeTiles(cards, self._choose, self.dismiss) if cards else None
        self._parameters.set_foot(self.shown)

    def _choose(self, card: Tile) -> None:
        """Use the chosen card: run its scenario, or open the list of lessons."""
        card.use()
        if not self._scenarios.gallery.isVisible():
            self._to_picture()

    def dismiss(self) -> None:
        """Dismiss the tiles on the user's request, and say how to get them back."""
        self._settings.welcome_dismissed = True
        self._set_tiles(())
        self._to_picture()
        self._notify(Notice("info", "Tiles dismissed", _BACK, about="welcome"))
