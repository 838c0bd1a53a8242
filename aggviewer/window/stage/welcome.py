"""The first start: a strip over the picture with three scenarios, never in the way, gone as soon as one has begun."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import resources

from PyQt6.QtCore import QRect, QSize, Qt
from PyQt6.QtGui import QPixmap
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from aggviewer.widgets.command import Command, Place
from aggviewer.window.settings import WindowSettings
from aggviewer.window.stage.stage import Stage, Strip


@dataclass(frozen=True)
class Card:
    """A scenario of the strip: bundled name, title, picture in ``resources/icons``."""

    name: str
    title: str
    picture: str


CARDS = (
    Card("lattice-2500", "2 500 discs", "welcome-lattice-2500.png"),
    Card("polydisperse-2500", "Many sizes", "welcome-polydisperse-2500.png"),
    Card("cooling-16384", "Grains that cool", "welcome-cooling-16384.png"),
)
_WIDEST, _NARROWEST = 176, 72  # pixels of a card
_ASPECT = 2.6  # of its picture: a strip, not a window
_PAD, _GAP = 8, 8
_STAYS_WITH = ("help.welcome", "help.keys", "help.palette", "view.leave")  # commands that leave the strip where it is


class WelcomeStrip(Strip):
    """Three cards and a way to send it away; choosing one does so too."""

    def __init__(
        self, available: set[str], on_open: Callable[[str], None], on_dismiss: Callable[[], None], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setObjectName("welcome")
        self._on_open = on_open
        self._on_dismiss = on_dismiss
        self.title = QLabel("Discs fly, meet, stick or bounce")
        self.title.setObjectName("welcomeTitle")
        self.hint = QLabel("Space runs and pauses, the wheel zooms, ? shows all keys.")
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
        cards = QHBoxLayout()
        cards.setSpacing(_GAP)
        self.cards = [CardButton(card) for card in CARDS if card.name in available]
        for button in self.cards:
            button.clicked.connect(lambda _checked, name=button.card.name: self._choose(name))
            cards.addWidget(button)
        cards.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 4, 12, 8)
        layout.setSpacing(4)
        layout.addLayout(top)
        layout.addLayout(cards)
        layout.addWidget(self.hint)

    def fit(self, width: int) -> None:
        """As wide as the cards want to be, at most `width`: then the cards shrink and the texts wrap."""
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

    def _choose(self, name: str) -> None:
        self._on_open(name)
        self.dismiss()

    def dismiss(self) -> None:
        """Send it away, for good."""
        self.hide()
        self._on_dismiss()


class CardButton(QToolButton):
    """A picture with a title under it; both shrink with the card."""

    def __init__(self, card: Card) -> None:
        super().__init__()
        self.card = card
        self.setObjectName("welcomeCard")
        self.setAccessibleName(card.title)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._pixmap = QPixmap()
        file = resources.files("resources") / "icons" / card.picture
        if file.is_file():
            self._pixmap.loadFromData(file.read_bytes())
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

    def fit(self, width: int) -> int:
        """Cut the picture for a card `width` pixels wide; returns the height that picture and title need then."""
        inner = max(1, width - 2 * _PAD)
        self.picture.setPixmap(self._cut(QSize(inner, round(inner / _ASPECT))))
        layout = self.layout()
        assert layout is not None
        layout.invalidate()
        return layout.totalHeightForWidth(width)

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


class Welcome:
    """Shows the strip, and takes it away for good as soon as the person has begun.

    available : names of the bundled scenarios; open_bundled(name) : runs one; to_picture() : gives it the focus.
    """

    def __init__(
        self,
        stage: Stage,
        settings: WindowSettings,
        available: set[str],
        open_bundled: Callable[[str], None],
        to_picture: Callable[[], None],
    ) -> None:
        self._stage = stage
        self._settings = settings
        self._available = available
        self._open_bundled = open_bundled
        self._to_picture = to_picture

    def commands(self) -> Iterator[Command]:
        """Bring the strip back."""
        yield Command(
            "help.welcome", "Welcome", self.show, tooltip="Three scenarios to begin with", menu=Place("Help", 1, 3)
        )

    def show(self) -> None:
        """The strip with three scenarios."""
        stage = self._stage
        stage.set_welcome(WelcomeStrip(self._available, self._open_bundled, self.dismiss, stage.picture))

    def dismiss(self) -> None:
        """The person has sent it away."""
        self.begun()
        self._to_picture()

    def begun(self) -> None:
        """The person has begun."""
        if self._stage.welcome is not None:
            self._settings.welcome_dismissed = True
            self._stage.set_welcome(None)

    def on_command(self, command_id: str) -> None:
        """A command was used."""
        if command_id not in _STAYS_WITH:
            self.begun()
