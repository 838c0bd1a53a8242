"""The first start: a strip over the picture with a scenario of each system and the lessons, never in the way, gone as
soon as the person has begun."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from PyQt6.QtCore import QEvent, QRect, QSize, Qt
from PyQt6.QtGui import QPixmap
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from aggviewer.parameters import ParametersPanel
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.part import Context, Part
from aggviewer.window.bars.transport import RunTransport
from aggviewer.window.canvases.canvases import Canvases
from aggviewer.window.gallery.pictures import ground_in_use
from aggviewer.window.gallery.scenarios import Scenarios
from aggviewer.window.gallery.tiles import Tile
from aggviewer.window.settings import WindowSettings
from aggviewer.window.stage.stage import Stage, Strip

_WIDEST, _NARROWEST = 176, 72  # pixels of a card
_ASPECT = 2.6  # of its picture: a strip, not a window
_PAD, _GAP = 8, 8
_STAYS_WITH = ("help.welcome", "help.keys", "help.palette", "view.leave", "file.scenarios")
"""Commands that leave the strip where it is: reading and looking around is no beginning."""


class WelcomeStrip(Strip):
    """Cards and a way to send it away."""

    def __init__(
        self, cards: Sequence[Tile], on_choose: Callable[[Tile], None], on_dismiss: Callable[[], None], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setObjectName("welcome")
        self._on_dismiss = on_dismiss
        self.title = QLabel("Discs fly, meet, and stick, bounce or jam")
        self.title.setObjectName("welcomeTitle")
        self.hint = QLabel("Space runs and pauses, the wheel zooms, G shows all scenarios, ? all keys.")
        self.hint.setObjectName("welcomeText")
        for label in (self.title, self.hint):
            label.setWordWrap(True)
        close = QToolButton()
        close.setText("✕")
        close.setProperty("flat", True)
        close.setAccessibleName("Dismiss")
        close.setToolTip("Dismiss (Esc)")
        close.clicked.connect(self.dismiss)
        top = QHBoxLayout()
        top.addWidget(self.title, 1)
        top.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        row = QHBoxLayout()
        row.setSpacing(_GAP)
        self.cards = [CardButton(card) for card in cards]
        for button in self.cards:
            button.clicked.connect(lambda _checked, card=button.card: on_choose(card))
            row.addWidget(button)
        row.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 4, 12, 8)
        layout.setSpacing(4)
        layout.addLayout(top)
        layout.addLayout(row)
        layout.addWidget(self.hint)

    def fit(self, width: int) -> None:
        """Make it as wide as the cards want to be, at most `width`: then the cards shrink and the texts wrap."""
        layout = self.layout()
        assert layout is not None
        margins = layout.contentsMargins()
        frame = margins.left() + margins.right() + 2 * self.frameWidth()
        count = max(1, len(self.cards))
        room = (width - frame - _GAP * (count - 1)) // count
        card = min(max(room, _NARROWEST), _WIDEST)
        height = max((button.fit(card) for button in self.cards), default=0)
        for button in self.cards:
            button.setFixedSize(card, height)
        layout.invalidate()
        own = min(max(count * card + _GAP * (count - 1) + frame, 0), max(width, 1))
        self.resize(own, layout.totalHeightForWidth(own))

    def dismiss(self) -> None:
        """Send it away, for good."""
        self.hide()
        self._on_dismiss()


class CardButton(QToolButton):
    """A picture with a title under it; both shrink with the card."""

    def __init__(self, card: Tile) -> None:
        super().__init__()
        self.card = card
        self.setObjectName("welcomeCard")
        self.setAccessibleName(card.title)
        self.setAccessibleDescription(card.line)
        self.setToolTip(card.line)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._ground = ""
        self._pixmap = QPixmap()
        self._size = QSize()
        self.picture = QLabel()
        self.words = QLabel(card.title)
        self.words.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_PAD, _PAD, _PAD, _PAD)
        layout.setSpacing(4)
        for label in (self.picture, self.words):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            layout.addWidget(label)
        self._take_picture()

    def fit(self, width: int) -> int:
        """Cut the picture for a card `width` pixels wide; returns the height that picture and title need then."""
        inner = max(1, width - 2 * _PAD)
        self._size = QSize(inner, round(inner / _ASPECT))
        self.picture.setPixmap(self._cut(self._size))
        layout = self.layout()
        assert layout is not None
        layout.invalidate()
        return layout.totalHeightForWidth(width)

    def changeEvent(self, event: QEvent | None) -> None:
        """The picture on the ground of another theme."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.StyleChange and self._ground != ground_in_use():
            self._take_picture()

    def _take_picture(self) -> None:
        self._ground = ground_in_use()
        path = self.card.pictures.get(self._ground)
        self._pixmap = QPixmap() if path is None else QPixmap(str(path))
        if not self._size.isEmpty():
            self.picture.setPixmap(self._cut(self._size))

    def _cut(self, size: QSize) -> QPixmap:
        """The middle of the picture, `size` large as the person sees it."""
        if self._pixmap.isNull():
            return QPixmap()
        ratio = self.devicePixelRatioF()
        whole = self._pixmap.scaled(
            size * ratio, Qt.AspectRatioMode.KeepAspectRatioByExpanding, Qt.TransformationMode.SmoothTransformation
        )
        part = QRect(0, 0, round(size.width() * ratio), round(size.height() * ratio))
        part.moveCenter(whole.rect().center())
        cut = whole.copy(part)
        cut.setDevicePixelRatio(ratio)
        return cut


class Welcome(Part):
    """Shows the strip, and takes it away for good as soon as the person has begun."""

    def __init__(self, context: Context) -> None:
        self._stage, self._settings = context[Stage], context[WindowSettings]
        scenarios, parameters = context[Scenarios], context[ParametersPanel]
        self._cards, self._to_picture = scenarios.cards, context.focus_picture
        for signal in (
            context[Canvases].asked,
            self._stage.touched,
            parameters.applied,
            context[RunTransport].pace_changed,
            scenarios.gallery.chosen,
        ):
            signal.connect(self._begun)
        context.commands.used.connect(self._on_command)
        if not self._settings.welcome_dismissed:
            self.show()

    def commands(self) -> Iterator[Command]:
        """Bring the strip back."""
        yield Command(
            "help.welcome",
            "Welcome",
            self.show,
            tooltip="A scenario of each kind to begin with, and the lessons",
            menu=Place("Learn", 4, 9),
        )

    def show(self) -> None:
        """The strip with its cards."""
        stage = self._stage
        strip = WelcomeStrip(self._cards(), self._choose, self.dismiss, stage.picture)
        stage.set_welcome(strip)

    def ways_back(self) -> Iterator[tuple[bool, Callable[[], object]]]:
        """Send the strip away."""
        yield self._stage.welcome is not None, self.dismiss

    def _choose(self, card: Tile) -> None:
        """The person wants this. What only opens the list of lessons is no beginning."""
        card.use()
        if self._stage.welcome is None:
            self._to_picture()

    def dismiss(self) -> None:
        """The person has sent it away."""
        self._begun()
        self._to_picture()

    def _begun(self) -> None:
        """The person has begun."""
        if self._stage.welcome is not None:
            self._settings.welcome_dismissed = True
            self._stage.set_welcome(None)

    def _on_command(self, command_id: str) -> None:
        """A command was used."""
        if command_id not in _STAYS_WITH:
            self._begun()
