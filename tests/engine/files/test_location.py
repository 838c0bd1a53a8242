"""Messages about files: each names the file once, and the line or frame at fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import InputError
from engine.files.checks import Location, size_of

FILE = Path("a") / "states.xyz"


def test_a_message_names_the_file_and_its_part() -> None:
    where = Location(FILE)
    for error, message in (
        (where.error("there are no discs"), f"{FILE}: there are no discs"),
        (where.line(3).error("there are no discs"), f"{FILE}, line 3: there are no discs"),
        (where.line(3).frame(0).error("there are no discs"), f"{FILE}, frame 0: there are no discs"),
        (where.fault("is empty"), f"{FILE} is empty"),
        (where.frame(0).fault("has no positions"), f"{FILE}, frame 0 has no positions"),
        (where.unreadable(OSError(13, "Permission denied")), f"{FILE} cannot be read: Permission denied"),
        (where.unreadable(ValueError("embedded null byte")), f"{FILE} cannot be read: embedded null byte"),
    ):
        assert isinstance(error, InputError)
        assert str(error) == message
        assert error.key == str(FILE)


def test_a_file_that_is_not_there_is_named_once(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        size_of(tmp_path / "none.csv")
    assert str(caught.value) == f"{tmp_path / 'none.csv'} does not exist"
    with pytest.raises(InputError) as caught:
        size_of(tmp_path)
    assert str(caught.value) == f"{tmp_path} is not a file"
    (tmp_path / "empty.csv").touch()
    with pytest.raises(InputError) as caught:
        size_of(tmp_path / "empty.csv")
    assert str(caught.value) == f"{tmp_path / 'empty.csv'} is empty"
