"""Small windows over another, closed by Esc or a click elsewhere; one kind has a search field and a list of matches.

Matches are found in the lines of a list, best match first.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from PyQt6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PyQt6.QtGui import QHideEvent, QKeyEvent, QShowEvent
from PyQt6.QtWidgets import QApplication, QFrame, QLineEdit, QListWidget, QListWidgetItem, QWidget

from aggviewer.widgets.screen import available

_AROUND = 8  # pixels that stay free around it
BELOW_BAR = 56
"""Pixels from the top of the window to a popup below its bar."""


class Popup(QFrame):
    """Base class: a frame placed within its window.

    name : the object name, for the style sheet; title : for screen readers.
    """

    def __init__(self, name: str, title: str, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.setAttribute(Qt.WidgetAttribute.WA_NoMouseReplay)  # the button that opened it closes it

    def open_at(self, corner: QPoint, *, below: bool) -> None:
        """Show it with its right edge at a screen position, below or above it, always within the window."""
        self.adjustSize()
        room = self._window().adjusted(_AROUND, _AROUND, -_AROUND, -_AROUND)
        x = min(max(corner.x() - self.width(), room.left()), room.right() + 1 - self.width())
        y = corner.y() if below else corner.y() - self.height()
        self.move(x, min(max(y, room.top()), room.bottom() + 1 - self.height()))
        self.show()
        self.setFocus()

    def open_below_bar(self, width: int, height: int | None = None) -> None:
        """Show it centred below the top bar with this width and height; without a height, as high as its contents."""
        room = self._window()
        width = min(width, room.width() - 2 * _AROUND)
        self.setFixedWidth(width)
        if height is not None:
            self.setFixedHeight(min(height, room.height() - BELOW_BAR - _AROUND))
        self.move(room.x() + (room.width() - width) // 2, room.y() + BELOW_BAR)
        self.show()

    def showEvent(self, event: QShowEvent | None) -> None:
        """The window behind it can no more be used than behind a dialog."""
        super().showEvent(event)
        self._tell_window(QEvent.Type.WindowBlocked)

    def hideEvent(self, event: QHideEvent | None) -> None:
        """Let the window be used again."""
        self._tell_window(QEvent.Type.WindowUnblocked)
        super().hideEvent(event)

    def _tell_window(self, kind: QEvent.Type) -> None:
        QApplication.sendEvent(self.parentWidget(), QEvent(kind))

    def _window(self) -> QRect:
        """The part of the window that is on the screen."""
        parent = self.parentWidget()
        assert parent is not None
        return QRect(parent.mapToGlobal(QPoint(0, 0)), parent.size()).intersected(available(parent))


NO_MATCH = "No match"
"""The text of the list if nothing matches."""


class SearchPopup(Popup):
    """Base class of the palette and the gallery. A subclass fills the list (`_fill`) and carries out the chosen line
    (`_use`). Enter carries out the marked line, but only if the whole line is visible and the list matches the text in
    the field. At first the best match is marked; if that cannot be used now, no line is.

    name, title : see `Popup`; words : the placeholder of the field.
    """

    def __init__(self, name: str, title: str, words: str, parent: QWidget) -> None:
        super().__init__(name, title, parent)
        self.field = QLineEdit()
        self.field.setPlaceholderText(words)
        self.field.setAccessibleName(words)
        self.field.textChanged.connect(self.search)
        self.list = QListWidget()
        self.list.itemClicked.connect(self._use)
        self._searched = ""  # the text that the list was filled for
        for widget in (self.field, self.list):
            widget.installEventFilter(self)

    def begin(self) -> None:
        """Clear the field and fill the list."""
        self.field.blockSignals(True)
        self.field.clear()
        self.field.blockSignals(False)
        self.search()

    def search(self) -> None:
        """Show the lines that match the text in the field."""
        self._searched = self.field.text()
        self.list.clear()
        top = self._fill(self._searched)
        if not self.lines:
            self.add_heading(NO_MATCH)
        self.list.setCurrentItem(top if top is not None and _usable(top) else None)
        self.list.scrollToTop()

    @property
    def lines(self) -> list[QListWidgetItem]:
        """The lines that can be chosen, from the top to the bottom."""
        items = [self.list.item(row) for row in range(self.list.count())]
        return [item for item in items if item is not None and item.data(Qt.ItemDataRole.UserRole) is not None]

    def add_heading(self, text: str) -> None:
        """Add a line that cannot be chosen."""
        item = QListWidgetItem(text)
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        self.list.addItem(item)

    def _fill(self, query: str) -> QListWidgetItem | None:
        """Add the lines that match, each with its object as `UserRole`, and return the best one."""
        raise NotImplementedError

    def _use(self, item: QListWidgetItem | None) -> None:
        """Do what the line stands for."""
        raise NotImplementedError

    def _enter(self) -> None:
        if self.field.text() != self._searched:
            self.search()
        item = self.list.currentItem()
        if item is None or not _usable(item):
            return
        if self._in_full_view(item):
            self._use(item)
        else:
            self.list.scrollToItem(item)  # so that the line that Enter will use is visible

    def _in_full_view(self, item: QListWidgetItem) -> bool:
        view = self.list.viewport()
        if view is None:
            return False
        place = self.list.visualItemRect(item)
        seen = place.intersected(view.rect())
        return not seen.isEmpty() and seen.height() >= min(place.height(), view.height())

    def _step(self, step: int) -> None:
        """Move the mark by `step` lines, counting only those that can be used."""
        lines = [item for item in self.lines if _usable(item)]
        if not lines:
            return
        current = self.list.currentItem()
        place = lines.index(current) + step if current in lines else 0 if step > 0 else len(lines) - 1
        self.list.setCurrentItem(lines[min(max(place, 0), len(lines) - 1)])

    def _move(self, key: Qt.Key, plain: bool) -> bool:
        """Move in the list, if the key does that; returns whether it does. plain : without Shift and Ctrl."""
        raise NotImplementedError

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Enter uses the marked line, arrows move in the list, typing goes to the field."""
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._enter()
            return True
        if self._move(
            key, not event.modifiers() & (Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier)
        ):
            return True
        if watched is self.list and event.text().isprintable() and event.text().strip():
            self.field.setFocus()
            QApplication.sendEvent(self.field, event)
            return True
        return False


def _usable(item: QListWidgetItem) -> bool:
    return bool(item.flags() & Qt.ItemFlag.ItemIsEnabled)


_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_POWER = re.compile(r"([⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_GROUPED = re.compile(r"(?<![\w.,^])[1-9]\d{0,2}(?:([ ,.'’_])\d{3})(?:\1\d{3})*(?![\d^]|[.,]\d)")
_TIMES_POWER = re.compile(r"(?<=\d) ?[x×·*] ?10\^(\d+)")
_WORD = re.compile(r"\d+(?:\.\d+)?(?:e\+?\d+)?(?:\^\d+)?(?![^\W_])|[^\W_]+")
_SPELLINGS = {"colour": "color", "centre": "center", "grey": "gray", "neighbour": "neighbor"}
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe"})
_MOST_DIGITS = 30  # of a number that is written as a power
_ONE_SLIP, _TWO_SLIPS = 4, 8  # lengths of a word from which one or two typing errors are allowed

EXACT, PREFIX, SYNONYM, PHRASE, WORDS, OTHER_WORDS, ANYWHERE, INSIDE, FUZZY = range(9)
"""How well a line matches the search text, best first: the title is the text; it starts with it; the text is another
word for it; the title has its words next to each other; it has words that start with them; title or other words do;
title, other words or description do; they have them inside of words; they have words like them, with one or two typing
errors."""


@dataclass(frozen=True)
class Searched:
    """A line of a list. more : a description, such as its tool tip; synonyms : other words for it."""

    title: str
    more: str = ""
    synonyms: str = ""


@lru_cache(maxsize=4096)
def words_of(text: str) -> tuple[str, ...]:
    """The words of a text in the form in which they are compared, with numbers in plain digits."""
    text = _POWER.sub(lambda found: "^" + found[1].translate(_RAISED), text)
    text = unicodedata.normalize("NFKD", text.casefold())
    text = "".join(c for c in text if not unicodedata.combining(c)).translate(_LETTERS)
    text = re.sub(r"\s+", " ", text.replace("&", ""))
    text = re.sub(r" ?(?:\^|\*\*) ?", "^", text)
    text = _TIMES_POWER.sub(r"e\1", _GROUPED.sub(lambda found: re.sub(r"\D", "", found[0]), text))
    text = re.sub(r"(?<=\d),(?=\d)", ".", text)
    return tuple(_number(word) or _spelled(word) for word in _WORD.findall(text))


def found(query: str, lines: Iterable[Searched]) -> list[tuple[int, int]]:
    """The numbers of the lines that match, best first, each with its rank (`EXACT` … `FUZZY`). Lines of equal rank keep
    their order. Typing errors are allowed only if nothing else matches. An empty search text matches all lines."""
    typed = words_of(query)
    if not typed:
        return [(number, PREFIX) for number, _ in enumerate(lines)] if not query.strip() else []
    ranked = []
    for number, line in enumerate(lines):
        title = words_of(line.title)
        fit = _fit(typed, title, words_of(line.more), words_of(line.synonyms))
        if fit is not None:
            ranked.append((fit, sum(word not in title for word in typed), number))
    slips_too = all(fit == FUZZY for fit, _, _ in ranked)
    return [(number, fit) for fit, _, number in sorted(ranked) if fit < FUZZY or slips_too]


def _number(word: str) -> str:
    """The digits of a number, which may be written as a power; "" for other words."""
    if not word[0].isdigit():
        return ""
    mantissa, _, exponent = word.partition("e")
    base, _, power = word.partition("^")
    zeros = int(exponent) if exponent.lstrip("+").isdigit() else -1
    if power and int(power) * len(base) <= _MOST_DIGITS and base.isdigit():
        return str(int(base) ** int(power))
    if 0 <= zeros <= _MOST_DIGITS and mantissa.replace(".", "").isdigit():
        whole, _, part = mantissa.partition(".")
        return (whole + part[:zeros].ljust(zeros, "0")).lstrip("0") if len(part) <= zeros else word
    return word


def _spelled(word: str) -> str:
    for one, other in _SPELLINGS.items():
        word = word.replace(one, other)
    return word


def _fit(typed: Sequence[str], title: Sequence[str], more: Sequence[str], synonyms: Sequence[str]) -> int | None:
    """The rank of a line; None if it does not match."""
    if typed == title:
        return EXACT
    places = [at for at in range(len(title) - len(typed) + 1) if _run(typed, title[at : at + len(typed)])]
    if 0 in places:
        return PREFIX
    if len(typed) == 1 and typed[0] in synonyms:
        return SYNONYM
    if places:
        return PHRASE
    named = [*title, *synonyms]
    everything = [*named, *more]
    for fit, words in ((WORDS, title), (OTHER_WORDS, named), (ANYWHERE, everything)):
        if _each(typed, words, _begins):
            return fit
    if _each(typed, everything, _inside) or _joined(typed, title):
        return INSIDE
    unlike = [word for word in typed if not any(_begins(word, other) for other in everything)]
    return FUZZY if _each(unlike, title, _like) else None


def _run(typed: Sequence[str], words: Sequence[str]) -> bool:
    """Whether the words equal those typed; of the last one the beginning is enough."""
    return list(typed[:-1]) == list(words[:-1]) and _begins(typed[-1], words[-1])


def _each(typed: Sequence[str], words: Sequence[str], fits: Callable[[str, str], bool]) -> bool:
    return all(any(fits(one, word) for word in words) for one in typed)


def _begins(typed: str, word: str) -> bool:
    """Whether a word starts with what was typed. A number has to be equal: its first digits are another number."""
    return typed == word if typed[0].isdigit() else word.startswith(typed)


def _inside(typed: str, word: str) -> bool:
    return typed == word if typed[0].isdigit() else typed in word


def _joined(typed: Sequence[str], title: Sequence[str]) -> bool:
    """Whether a title matches if the spaces between its words are left out."""
    text = "".join(typed)
    return len(text) >= _ONE_SLIP and not any(word[0].isdigit() for word in (*typed, *title)) and text in "".join(title)


def _like(typed: str, word: str) -> bool:
    """Whether a word, or its beginning, equals what was typed except for typing errors: a letter added, missing or
    wrong, or two swapped."""
    if _inside(typed, word):
        return True
    slips = 2 if len(typed) >= _TWO_SLIPS else 1 if len(typed) >= _ONE_SLIP else 0
    if not slips or typed[0].isdigit() or word[0].isdigit() or typed[0] != word[0]:
        return False
    lengths = range(max(1, len(typed) - slips), min(len(word), len(typed) + slips) + 1)
    return any(_slips(typed, word[:length]) <= slips for length in lengths)


def _slips(one: str, other: str) -> int:
    """The number of typing errors between two words (Damerau-Levenshtein distance, each pair swapped at most once)."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        now = [i]
        for j, wanted in enumerate(other, 1):
            cost = min(last[j] + 1, now[-1] + 1, last[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                cost = min(cost, before[j - 2] + 1)
            now.append(cost)
        before, last = last, now
    return last[-1]
