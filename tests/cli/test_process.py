"""The first steps of a process, whatever the environment says: any encoding, any Qt library, and no display."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from aggviewer.extensions.lessons.source import bundled
from aggviewer.process import spelled

MAIN = "import sys; from aggviewer.__main__ import main; sys.exit(main(sys.argv[1:]))"


def program(*arguments: str | Path, code: str = MAIN, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run the command line in a separate process."""
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "QT_API", "PYQTGRAPH_QT_LIB", "PYTHONUTF8")
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    paths = os.pathsep.join(path for path in sys.path if path)
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        env=kept | {"PYTHONPATH": paths} | environment,
        check=False,
        timeout=300,
    )


@pytest.mark.parametrize("encoding", ["ascii", pytest.param("cp1252", marks=pytest.mark.slow)])
def test_signs_that_an_encoding_lacks_are_spelled_out(encoding: str) -> None:
    code = (
        "import typer\nfrom aggviewer.cli.exits import tell\nfrom aggviewer.process import write_anywhere\n"
        "write_anywhere()\ntyper.echo('⟨m⟩ ε 0.1…')\ntell('läßt ⟨m⟩')\n"
    )
    done = program(code=code, PYTHONIOENCODING=encoding)
    assert done.returncode == 0, done.stderr
    said = done.stdout.decode(encoding)
    assert said.startswith("<m> ")
    assert said.rstrip().endswith(("0.1...", "0.1…"))
    assert done.stderr.decode(encoding).endswith(" <m>\n")


def test_signs_are_spelled_so_that_they_can_be_read() -> None:
    assert spelled("ε² ≤ 2·⟨m⟩ ± Δt … 漢") == "epsilon2 <= 2*<m> +- deltat ... ?"


@pytest.mark.parametrize(
    "environment",
    [
        pytest.param({}, marks=pytest.mark.slow),
        {
            "DISPLAY": ":7654",
            "WAYLAND_DISPLAY": "wayland-7654",
            "QT_QPA_PLATFORM": "xcb",
            "PYQTGRAPH_QT_LIB": "PySide6",
            "QT_API": "pyside6",
        },
    ],
    ids=["no display", "displays that cannot be reached"],
)
def test_commands_without_a_window_touch_no_display_and_no_opengl(environment: dict[str, str], tmp_path: Path) -> None:
    """Pictures, films, films with plots (which are widgets) and worksheets, all of one process. Whoever imports OpenGL
    fails."""
    (tmp_path / "OpenGL").mkdir()
    (tmp_path / "OpenGL" / "__init__.py").write_text("raise ImportError('no OpenGL here')")
    written = [tmp_path / name for name in ("plots.gif", "a.mp4", "a.png", "a.pdf", "sheet.html")]
    code = (
        "import sys\nfrom aggviewer.__main__ import main\n"
        "plots, film, *pictures, lesson, sheet = sys.argv[1:]\n"
        "render = ['render', 'lattice-100', '--until-time', '0.2', '--size', '640x360', '--out']\n"
        "assert main([*render, plots, '--fps', '5', '--speed', '0.1', '--plots', 'coarsening']) == 0\n"
        "assert main([*render, film, '--fps', '5', '--speed', '0.1']) == 0\n"
        "assert all(main([*render, picture]) == 0 for picture in pictures)\n"
        "sys.exit(main(['lesson', lesson, '--worksheet', sheet]))\n"
    )
    paths = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    done = program(*written[:4], bundled()[0].name, written[4], code=code, **(environment | {"PYTHONPATH": paths}))
    assert done.returncode == 0, done.stderr
    assert b"rror" not in done.stderr
    assert all(path.stat().st_size > 1000 for path in written)
