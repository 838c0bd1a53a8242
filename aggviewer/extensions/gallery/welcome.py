"""The welcome strip: a row above the picture with a scenario of each system, the lessons, and the last work. It covers
nothing and disappears once the user starts something."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from PyQt6.QtCore import QEvent, QRect, QSize, Qt
from PyQt6.QtGui import QPixmap, QResizeEvent
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from aggviewer.extensions.gallery.popup import Scenarios
from aggviewer.parameters import ParametersPanel
from aggviewer.session.saved.autosave import Recoverable
from aggviewer.widgets.buttons import icon
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.part import Context, Part, Tile, ground_in_use
from aggviewer.window.canvases import Canvases
from aggviewer.window.files import SessionFiles, described
from aggviewer.window.settings import WindowSettings
from aggviewer.window.stage import Stage
from aggviewer.window.transport import RunTransport

_WIDEST, _NARROWEST = 208, 64  # pixels of a card
_WITH_PICTURE = 120  # pixels of a card in which two lines of words fit beside its picture
_PICTURE = QSize(44, 32)
_PAD, _GAP = 4, 8
_LINES = 2  # of the words of a card
_STAYS_WITH = ("help.welcome", "help.keys", "help.palette", "view.leave", "file.scenarios")
"""Commands that do not dismiss the strip, because they only show or explain something."""


class WelcomeStrip(QFrame):
    """A row of cards with a button to dismiss it."""

    def __init__(
        self, cards: Sequence[Tile], on_choose: Callable[[Tile], None], on_dismiss: Callable[[], None], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setObjectName("welcome")
        self._on_dismiss = on_dismiss
        close = QToolButton()
        close.setIcon(icon("mdi6.close", "muted"))
        close.setAutoRaise(True)
        close.setAccessibleName("Dismiss")
        close.setToolTip("Dismiss (Esc)")
        close.clicked.connect(self.dismiss)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 8, 8, 8)
        row.setSpacing(_GAP)
        self.cards = [CardButton(card) for card in cards]
        for button in self.cards:
            button.clicked.connect(lambda _checked, card=button.card: on_choose(card))
            row.addWidget(button, 1)
        row.addStretch(0)
        row.addWidget(close)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def dismiss(self) -> None:
        """Dismiss it permanently."""
        self.hide()
        self._on_dismiss()


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
        self.setMaximumWidth(_WIDEST)
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
        return QSize(_WIDEST, words + 2 * _PAD + 2)

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
    """Shows the strip, and dismisses it permanently once the user starts something."""

    leaves = 40

    def __init__(self, context: Context) -> None:
        self._stage, self._settings = context[Stage], context[WindowSettings]
        self._sessions = context[SessionFiles]
        scenarios, parameters = context[Scenarios], context[ParametersPanel]
        self._cards, self._to_picture = scenarios.cards, context.focus_picture
        for signal in (
            context[Canvases].asked,
            self._stage.touched,
            parameters.applied,
            context[RunTransport].pace_changed,
            scenarios.gallery.chosen,
        ):
            signal.connect(self._on_begun)
        context.commands.used.connect(self._on_command)
        if not self._settings.welcome_dismissed:
            self.show()

    def commands(self) -> Iterator[Command]:
        """The command that shows the strip again."""
        yield Command(
            "help.welcome",
            "Welcome",
            self.show,
            tooltip="Scenarios to start with, and the lessons",
            menu=Place("Learn", 4, 9),
        )

    def show(self) -> None:
        """Create the strip with its cards; the last work comes first."""
        kept = [self._continue(found) for found in self._sessions.kept_work()[:1]]
        self._stage.set_welcome(WelcomeStrip([*kept, *self._cards()], self._choose, self.dismiss, self._stage.picture))

    def offer_work(self) -> None:
        """Offer to continue the work kept at the last closing, if any, unless a crashed run is offered."""
        if self._sessions.kept_work() and not self._sessions.crashed:
            self.show()

    def _continue(self, found: Recoverable) -> Tile:
        def use() -> None:
            self._on_begun()
            self._sessions.opener(found)()

        line = f"{described(found)}. You also find it under File, Kept work."
        return Tile("Continue where I left off", line, use, {}, "mdi6.history")

    def ways_back(self) -> Iterator[tuple[bool, Callable[[], object]]]:
        """Dismiss the strip."""
        yield self._stage.welcome is not None, self.dismiss

    def _choose(self, card: Tile) -> None:
        """Run the chosen card. Opening the list of lessons does not dismiss the strip."""
        card.use()
        if self._stage.welcome is None:
            self._to_picture()

    def dismiss(self) -> None:
        """Dismiss the strip on the user's request."""
        self._on_begun()
        self._to_picture()

    def _on_begun(self) -> None:
        """Dismiss the strip, because the user has started something."""
        if self._stage.welcome is not None:
            self._settings.welcome_dismissed = True
            self._stage.set_welcome(None)

    def _on_command(self, command_id: str) -> None:
        """Dismiss the strip after a command that starts something."""
        if command_id not in _STAYS_WITH:
            self._on_begun()
