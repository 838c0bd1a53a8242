"""The scripts behind `make run` and `make test`, with stand-ins for what they would install from and into."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
SCRIPTS = PROJECT / ".ci"

# a Python that notes what it is asked for, and a new environment of which is itself
PYTHON = """#!/bin/bash
case "$*" in
    -V) echo "Python ${FAKE_VERSION:-3.12.1}" ;;
    "-m venv --clear .venv") echo made >>"$NOTES"; rm -rf .venv; mkdir -p .venv/bin; cp "$0" .venv/bin/python ;;
    *pip*install*--editable*) echo installed >>"$NOTES"; exit "${FAKE_STATUS:-0}" ;;
esac
"""
APT = """#!/bin/bash
echo "$*" >>"$NOTES"
"""


def write(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


class Checkout:
    """A project of two files and the script, where only the stand-in Python is found."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notes = folder.parent / "notes"
        (folder / ".ci").mkdir(parents=True)
        shutil.copy(SCRIPTS / "environment", folder / ".ci")
        write(folder / "python", PYTHON)
        (folder / "pyproject.toml").write_text("[project]\n")
        (folder / "constraints.txt").write_text("numpy==2.4.6\n")

    def set_up(self, **variables: str) -> list[str]:
        """Run the script; returns what it made and installed."""
        self.notes.write_text("")
        environment = {**os.environ, "PYTHON": str(self.folder / "python"), "NOTES": str(self.notes), **variables}
        done = subprocess.run([str(self.folder / ".ci" / "environment")], env=environment, capture_output=True)
        assert done.returncode == int(variables.get("FAKE_STATUS", 0))
        return self.notes.read_text().split()


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path / "checkout")


def test_a_second_set_up_does_nothing(checkout: Checkout) -> None:
    assert checkout.set_up() == ["made", "installed"]
    assert checkout.set_up() == []


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt"])
def test_changed_requirements_are_installed_into_what_is_there(checkout: Checkout, name: str) -> None:
    checkout.set_up()
    with (checkout.folder / name).open("a") as file:
        file.write("# changed\n")
    assert checkout.set_up() == ["installed"]
    assert checkout.set_up() == []


def test_another_version_of_python_starts_anew(checkout: Checkout) -> None:
    checkout.set_up()
    assert checkout.set_up(FAKE_VERSION="3.13.0") == ["made", "installed"]


def test_another_folder_starts_anew(checkout: Checkout) -> None:
    checkout.set_up()
    checkout.folder = checkout.folder.rename(checkout.folder.with_name("moved"))
    assert checkout.set_up() == ["made", "installed"]


def test_a_set_up_that_failed_is_done_again(checkout: Checkout) -> None:
    assert checkout.set_up(FAKE_STATUS="1") == ["made", "installed"]
    assert checkout.set_up() == ["installed"]


def test_an_old_python_is_refused_by_name(checkout: Checkout) -> None:
    write(checkout.folder / "python", "#!/bin/bash\nexit 1\n")
    environment = {**os.environ, "PYTHON": str(checkout.folder / "python")}
    done = subprocess.run(
        [str(checkout.folder / ".ci" / "environment")], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "Python 3.11 or newer" in done.stderr
    assert not (checkout.folder / ".venv").exists()


class Machine:
    """A machine with `libgl1` only, as seen through the programs that the script asks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notes = folder / "notes"
        self.notes.touch()
        write(folder / "dpkg-query", '#!/bin/bash\nprintf "installed:libgl1 config-files:openbox "\nexit 1\n')
        write(folder / "apt-get", APT)
        self.user(0)
        self.sudo(False)

    def user(self, number: int) -> None:
        write(self.folder / "id", f"#!/bin/bash\necho {number}\n")

    def sudo(self, allowed: bool) -> None:
        write(self.folder / "sudo", '#!/bin/bash\nshift\n"$@"\n' if allowed else "#!/bin/bash\nexit 1\n")

    def ask(self, *packages: str) -> str:
        """Run the script; returns what it says."""
        environment = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", "NOTES": str(self.notes)}
        done = subprocess.run(
            [str(SCRIPTS / "system-packages"), *packages], env=environment, capture_output=True, text=True, check=True
        )
        return done.stderr

    @property
    def apt_calls(self) -> list[str]:
        return self.notes.read_text().splitlines()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_a_complete_set_up_prints_and_does_nothing(machine: Machine) -> None:
    assert machine.ask("libgl1") == ""
    assert machine.apt_calls == []


@pytest.mark.parametrize(("user", "sudo"), [(0, False), (1000, True)], ids=["root", "sudo"])
def test_only_what_is_missing_is_installed(machine: Machine, user: int, sudo: bool) -> None:
    machine.user(user)
    machine.sudo(sudo)
    machine.ask("libgl1", "openbox", "xvfb")
    assert machine.apt_calls[0].endswith("update")
    install = machine.apt_calls[1].split()
    assert install[-2:] == ["openbox", "xvfb"]
    assert "libgl1" not in install


def test_without_rights_the_command_is_told(machine: Machine) -> None:
    machine.user(1000)
    said = machine.ask("libgl1", "xvfb")
    assert "sudo apt-get install --yes --no-install-recommends xvfb\n" in said
    assert machine.apt_calls == []


def test_a_failed_install_tells_the_command(machine: Machine) -> None:
    write(machine.folder / "apt-get", "#!/bin/bash\necho no such package\nexit 100\n")
    said = machine.ask("xvfb")
    assert "no such package" in said
    assert "sudo apt-get install --yes --no-install-recommends xvfb\n" in said


def test_a_command_has_a_display_of_its_own_and_its_status_comes_back() -> None:
    script = 'echo "$DISPLAY"; test -S "/tmp/.X11-unix/X${DISPLAY#:}" && exit 7'
    command = [str(SCRIPTS / "with-display"), "bash", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 7, done.stderr
    display = done.stdout.strip()
    assert display != os.environ.get("DISPLAY")
    assert not Path(f"/tmp/.X11-unix/X{display.removeprefix(':')}").exists()
