"""`aggviewer doctor --install-desktop`: what is written, what a desktop makes of it, and that it goes away again."""

from __future__ import annotations

import configparser
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from aggviewer.cli import desktop
from engine.scenario import Scenario, bundled
from engine.scenario.source import bundled_text
from tests.cli.conftest import Call

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="desktop entries are for Linux")

_PROBE = """
import sys
from PyQt6.QtCore import QMimeDatabase
for name in sys.argv[1:]:
    print(QMimeDatabase().mimeTypeForFile(name).name())
"""


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a user who has installed nothing so far."""
    folder = tmp_path / "a user's data"
    monkeypatch.setenv("XDG_DATA_HOME", str(folder))
    return folder


def entry_of(base: Path) -> configparser.SectionProxy:
    """The desktop entry."""
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read(base / "applications" / "aggviewer.desktop")
    return parser["Desktop Entry"]


def test_it_is_installed_and_removed(call: Call, base: Path) -> None:
    done = call("doctor", "--install-desktop")
    assert done.status == 0, done.err
    written = [Path(line.removeprefix("Written: ")) for line in done.out.splitlines() if line.startswith("Written: ")]
    assert len(written) == 3
    assert all(path.is_file() and base in path.parents for path in written)
    assert entry_of(base)["Icon"] == "aggviewer"
    assert set(entry_of(base)["MimeType"].strip(";").split(";")) == {desktop.SESSION_TYPE, desktop.SCENARIO_TYPE}
    again = call("doctor", "--install-desktop")
    assert again.status == 0
    gone = call("doctor", "--remove-desktop")
    assert gone.status == 0
    assert not any(path.exists() for path in written)
    assert "aggviewer has no files in" in call("doctor", "--remove-desktop").out


def test_the_command_opens_the_file_that_is_named(call: Call, base: Path, tmp_path: Path) -> None:
    call("doctor", "--install-desktop")
    words = shlex.split(entry_of(base)["Exec"].replace("\\\\", "\\"))
    assert words[-1] == "%f"
    missing = tmp_path / "not there.toml"
    started = subprocess.run(
        [*words[:-1], str(missing)], capture_output=True, text=True, timeout=120, cwd="/", check=False
    )
    assert started.returncode == 2
    assert str(missing) in started.stderr, "the program has started, and been given the file"


@pytest.mark.parametrize(
    ("word", "quoted"),
    [
        ("/usr/bin/aggviewer", "/usr/bin/aggviewer"),
        ("/home/a b/aggviewer", '"/home/a b/aggviewer"'),
        ("/home/100%/aggviewer", "/home/100%%/aggviewer"),
        ("/home/a$b/aggviewer", '"/home/a\\\\$b/aggviewer"'),
    ],
)
def test_paths_of_all_kinds_can_be_named(word: str, quoted: str) -> None:
    assert desktop._quoted(word) == quoted


def test_a_desktop_knows_the_types_by_ending_and_content(call: Call, base: Path, tmp_path: Path) -> None:
    call("doctor", "--install-desktop")
    session, scenario, lesson, other, like = (
        tmp_path / name for name in ("a.aggsession", "a.toml", "lesson.toml", "pyproject.toml", "like.toml")
    )
    session.write_bytes(b"PK\x03\x04")
    scenario.write_text(bundled_text("lattice-100") or "")
    lesson.write_text('format = 1\ntitle = "Discs"\n\n[[step]]\ntitle = "One"\n')
    other.write_text('[project]\nname = "something else"\n')
    like.write_text("format = 1\n[menu]\nsize = 3\n")
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    asked = [sys.executable, "-c", _PROBE, *(str(path) for path in (session, scenario, lesson, other, like))]
    found = subprocess.run(asked, capture_output=True, text=True, env=environment, timeout=60, check=True)
    types = found.stdout.split()
    assert types[:3] == [desktop.SESSION_TYPE, desktop.SCENARIO_TYPE, desktop.SCENARIO_TYPE]
    assert desktop.SCENARIO_TYPE not in types[3:], "other programs keep their files"


def test_each_bundled_scenario_is_known_by_its_content() -> None:
    def fits(match: ElementTree.Element, text: str) -> bool:
        value = match.get("value", "").replace("\\n", "\n")
        there = text.startswith(value) if match.get("offset") == "0" else value in text
        return there and (not len(match) or any(fits(inner, text) for inner in match))

    (magic,) = [found for found in ElementTree.fromstring(desktop._TYPES).iter() if found.tag.endswith("magic")]
    for entry in bundled():
        text = (bundled_text(entry.name) or "")[:4096]
        assert any(fits(match, text) for match in magic), entry.name
    assert any(fits(match, Scenario().to_toml()) for match in magic)
    assert not any(fits(match, "format = 1\n[menu]\n") for match in magic)


def test_the_files_are_as_the_standards_say(call: Call, base: Path) -> None:
    call("doctor", "--install-desktop")
    entry, types = base / "applications" / "aggviewer.desktop", base / "mime" / "packages" / "aggviewer.xml"
    for program, arguments in (("desktop-file-validate", [entry]), ("xmllint", ["--noout", types])):
        if shutil.which(program):
            done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
            assert "error" not in done.stdout


def test_it_says_what_it_cannot_do(call: Call, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    both = call("doctor", "--install-desktop", "--remove-desktop")
    assert both.status == 2
    assert "cannot be combined" in both.err
    (tmp_path / "a file").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "a file"))
    refused = call("doctor", "--install-desktop")
    assert refused.status == 2
    assert "cannot be written" in refused.err
    monkeypatch.setattr("sys.platform", "win32")
    elsewhere = call("doctor", "--install-desktop")
    assert elsewhere.status == 2
    assert "Linux" in elsewhere.err
