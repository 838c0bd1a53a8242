"""`aggviewer doctor --install-desktop`: the entry, the command in it, and that it goes away again."""

from __future__ import annotations

import configparser
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Call, refused

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="desktop entries are for Linux")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The desktop entry of a user who has installed nothing so far."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data" / "applications" / "aggviewer.desktop"


def entry(file: Path) -> configparser.SectionProxy:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(file)
    return parser["Desktop Entry"]


def test_the_entry_is_written_and_removed(call: Call, file: Path) -> None:
    for _ in range(2):  # a second call replaces it
        done = call("doctor", "--install-desktop")
        assert (done.status, done.out) == (0, f"Written: {file}\n")
    assert Path(entry(file)["Icon"]).read_text().startswith("<svg")
    for _ in range(2):
        assert call("doctor", "--remove-desktop").status == 0
        assert not file.exists()


def test_the_command_starts_this_program_with_the_file(
    call: Call, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "a user's 100% $HOME" / "python"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(python))
    call("doctor", "--install-desktop")
    command = entry(file)["Exec"].replace("\\\\", "\\").replace("%%", "%")  # as a shell would have it
    assert command.endswith(" -m aggviewer %f")
    assert "%" not in entry(file)["Exec"].replace("%%", "").removesuffix("%f"), "no other field code"
    missing = str(tmp_path / "not there.toml")
    paths = os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])
    started = subprocess.run(
        ["sh", "-c", command.replace("%f", '"$1"'), "sh", missing], cwd="/", env=os.environ | {"PYTHONPATH": paths},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert started.returncode == 2
    assert missing in started.stderr, "the program has started, and been given the file"


def test_an_entry_that_cannot_be_written_is_told(call: Call, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.parents[1].write_text("a file where the folder should be")
    assert f"{file} cannot be changed" in refused(call("doctor", "--install-desktop"))
    assert "cannot be combined" in refused(call("doctor", "--install-desktop", "--remove-desktop"))
    monkeypatch.setattr("sys.platform", "win32")
    assert "Linux" in refused(call("doctor", "--install-desktop"))
