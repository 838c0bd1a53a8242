"""The first start: a strip over the picture with three scenarios, never in the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QIcon, QPixmap
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget


@dataclass(frozen=True)
class Card:
    """A scenario of the strip: bundled name, title, picture in ``resources/icons``."""

    name: str
    title: str
    picture: str


CARDS = (
    Card("lattice-2500", "2 500 discs on a lattice", "welcome-lattice-2500.png"),
    Card("polydisperse-2500", "Discs of all sizes", "welcome-polydisperse-2500.png"),
    Card("lattice-10000", "10 000 discs", "welcome-lattice-10000.png"),
)
_PICTURE = QSize(152, 87)


class WelcomeStrip(QFrame):
    """Three cards and a way to send it away; choosing one does so too."""

    def __init__(
        self, available: set[str], on_open: Callable[[str], None], on_dismiss: Callable[[], None], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setObjectName("welcome")
        self._on_open = on_open
        self._on_dismiss = on_dismiss
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 8, 16)
        layout.setSpacing(8)
        top = QHBoxLayout()
        title = QLabel("Discs fly, meet and stick")
        title.setObjectName("welcomeTitle")
        close = QToolButton()
        close.setText("✕")
        close.setProperty("flat", True)
        close.setAccessibleName("Dismiss")
        close.setToolTip("Dismiss (Esc)")
        close.clicked.connect(self.dismiss)
        top.addWidget(title)
        top.addStretch(1)
        top.addWidget(close)
        layout.addLayout(top)
        cards = QHBoxLayout()
        cards.setSpacing(8)
        self.cards: list[QToolButton] = []
        for card in CARDS:
            if card.name in available:
                button = self._card(card)
                self.cards.append(button)
                cards.addWidget(button)
        cards.addStretch(1)
        layout.addLayout(cards)
        text = QLabel("Space runs and pauses, the wheel zooms, ? shows all keys.")
        text.setObjectName("welcomeText")
        layout.addWidget(text)
        self.adjustSize()

    def fit(self, width: int) -> None:
        """Show as many cards as there is room for."""
        layout = self.layout()
        assert layout is not None
        for shown in range(len(self.cards), 0, -1):
            for number, card in enumerate(self.cards):
                card.setVisible(number < shown)
            layout.activate()  # else the hint is that of the cards before
            if self.sizeHint().width() <= width:
                break
        self.resize(min(self.sizeHint().width(), width), self.sizeHint().height())

    def _card(self, card: Card) -> QToolButton:
        button = QToolButton()
        button.setObjectName("welcomeCard")
        button.setText(card.title)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        picture = QPixmap()
        file = resources.files("resources") / "icons" / card.picture
        if file.is_file():
            picture.loadFromData(file.read_bytes())
            button.setIcon(QIcon(picture))
            button.setIconSize(_PICTURE)
        button.setMinimumSize(button.sizeHint())
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.clicked.connect(lambda: self._choose(card.name))
        return button

    def _choose(self, name: str) -> None:
        self._on_open(name)
        self.dismiss()

    def dismiss(self) -> None:
        """Send it away, for good."""
        self.hide()
        self._on_dismiss()
