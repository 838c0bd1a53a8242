"""Selections: sets of discs.

Discs keep their numbers for the whole run, whatever cluster they belong to, so a selection stays the same when clusters
merge, and the discs that it marks are the same ones at any time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.selection.expressions import LONGEST

_MOST_RANGES = 64
_DASHES = str.maketrans("\u2010\u2011\u2012\u2013\u2212", "-----")
_GROUPS = re.compile(r"(?<=\d)[\u00a0\u2007\u2009\u202f](?=\d{3}(?!\d))")  # spaces as in the numbers of the window
_THOUSANDS = re.compile(r"(?<![\w.,])[1-9]\d{0,2}(?:(?:,\d{3})+|(?:[, ] ?0\d\d)+)(?![\w.,])")


@dataclass(frozen=True, eq=False)
class Selection:
    """A set of the discs 0 … `count` - 1, as a value: it never changes, and operations give other sets.

    ``a | b``, ``a & b``, ``a - b`` and ``a ^ b`` join and compare sets of equally many discs, ``~a`` is all others,
    ``len(a)`` the number of discs in it, and ``7 in a`` says whether disc 7 is.

    Parameters
    ----------
    bits : (⌈count / 8⌉,) uint8, a bit for each disc (`numpy.packbits`).
    count : the number of all discs.
    """

    bits: NDArray[np.uint8]
    count: int

    @staticmethod
    def none(count: int) -> Selection:
        """The empty selection among `count` discs."""
        return Selection.of(np.zeros(count, bool))

    @staticmethod
    def all(count: int) -> Selection:
        """The selection of all of `count` discs."""
        return Selection.of(np.ones(count, bool))

    @staticmethod
    def of(mask: NDArray[np.bool_]) -> Selection:
        """The discs for which `mask`, (N,), is true."""
        return Selection(np.packbits(np.asarray(mask, bool)), len(mask))

    @staticmethod
    def discs(numbers: Iterable[int] | NDArray[Any], count: int) -> Selection:
        """The discs with these numbers, (n,). Raises InputError if there is no such disc."""
        chosen = np.asarray(numbers if isinstance(numbers, np.ndarray) else list(numbers), np.int64)
        if chosen.size and ((chosen < 0) | (chosen >= count)).any():
            wrong = int(chosen[(chosen < 0) | (chosen >= count)][0])
            raise InputError(f"there is no disc {wrong}; discs are numbered 0 to {count - 1}")
        mask = np.zeros(count, bool)
        mask[chosen] = True
        return Selection.of(mask)

    @property
    def mask(self) -> NDArray[np.bool_]:
        """Whether each disc is selected, (count,) bool."""
        return np.unpackbits(self.bits, count=self.count).view(bool)

    @property
    def numbers(self) -> NDArray[np.int64]:
        """The numbers of the discs, (n,), ascending."""
        return np.flatnonzero(self.mask)

    def __len__(self) -> int:
        return int(np.bitwise_count(self.bits).sum())

    def __bool__(self) -> bool:
        return bool(self.bits.any())

    def __contains__(self, disc: object) -> bool:
        if not isinstance(disc, int | np.integer) or not 0 <= disc < self.count:
            return False
        return bool(self.bits[disc // 8] >> (7 - int(disc) % 8) & 1)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Selection) and self.count == other.count and bool((self.bits == other.bits).all())

    def __hash__(self) -> int:
        return hash((self.count, self.bits.tobytes()))

    def __or__(self, other: Selection) -> Selection:
        return self._with(np.bitwise_or, other)

    def __and__(self, other: Selection) -> Selection:
        return self._with(np.bitwise_and, other)

    def __xor__(self, other: Selection) -> Selection:
        return self._with(np.bitwise_xor, other)

    def __sub__(self, other: Selection) -> Selection:
        return self & ~other

    def __invert__(self) -> Selection:
        return Selection.of(~self.mask)

    def _with(self, operation: Any, other: Selection) -> Selection:
        if other.count != self.count:
            raise ValueError(f"a selection of {self.count} discs and one of {other.count}")
        return Selection(operation(self.bits, other.bits), self.count)

    def whole_clusters(self, cluster: NDArray[Any]) -> Selection:
        """These discs, and all others of their clusters. cluster : (N,), the label of each disc."""
        chosen = np.unique(cluster[self.mask])
        return Selection.of(np.isin(cluster, chosen))


def numbers_in(text: str) -> list[tuple[int, int]] | None:
    """Numbers of discs and ranges of them that are typed, such as ``3, 17, 20-30``: the first and last of each.

    They are separated by commas, semicolons or spaces. None if the text is something else, such as an expression.

    Raises
    ------
    InputError
        A range runs backwards, there are too many, or the text may be one number with a thousands separator.
    """
    text = _GROUPS.sub("", text.translate(_DASHES))
    words = re.sub("[,;]", " ", text).split()
    if not words or len(text) > LONGEST:
        return None
    if unclear := _THOUSANDS.search(text):
        whole = re.sub(r"\D", "", unclear[0])
        apart = ", ".join(str(int(part)) for part in re.split("[, ]+", unclear[0]))
        raise InputError(f"{unclear[0]} is ambiguous: write {whole} for one disc, {apart} for several")
    ranges = []
    for word in words:
        first, dash, last = word.partition("-")
        if not (first.isascii() and first.isdigit()) or (dash and not (last.isascii() and last.isdigit())):
            return None
        low, high = int(first), int(last) if dash else int(first)
        if high < low:
            raise InputError(f"{word} is in reverse order; write the smaller number first")
        ranges.append((low, high))
    if len(ranges) > _MOST_RANGES:
        raise InputError(f"at most {_MOST_RANGES} numbers or ranges at once, not {len(ranges)}")
    return ranges
