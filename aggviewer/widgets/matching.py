"""Finding the lines of a list that match a search text, best match first.

Capitals, accents, kinds of spaces and punctuation make no difference, nor does the notation of a number: 1000000,
1 000 000, 1,000,000, 10^6, 10⁶ and 1e6 are the same word. A number only matches the same number.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

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
