"""Layers that are wished for and have nothing to draw are named."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from aggviewer.cli.app import app

SENTENCE = "aggviewer: --layer forces draws nothing: {} has no force network\n"


@pytest.mark.parametrize(
    ("name", "which"), [("one.png", "the state"), ("film.gif", "the last state")], ids=["picture", "film"]
)
def test_a_layer_without_data_is_said(tmp_path: Path, name: str, which: str) -> None:
    more = ["--fps", "5"] if name.endswith(".gif") else []
    settings = ["--set", "discs.count=16", "--size", "64x64", "--until-time", "0.5", *more]
    arguments = ["render", "lattice-100", "--out", str(tmp_path / name), *settings]
    told = CliRunner().invoke(app, [*arguments, "--layer", "forces"])
    assert told.exit_code == 0, told.stderr
    assert told.stderr.endswith(SENTENCE.format(which))
    assert told.stderr.count("--layer") == 1
    assert "--layer" not in CliRunner().invoke(app, arguments).stderr


def test_a_layer_with_data_is_not(tmp_path: Path) -> None:
    arguments = ["render", "jam-256", "--set", "discs.count=30", "--out", str(tmp_path / "one.png"), "--size", "64x64"]
    told = CliRunner().invoke(app, [*arguments, "--set", "discs.volume_fraction=0.6", "--layer", "forces"])
    assert told.exit_code == 0, told.stderr
    assert "--layer" not in told.stderr
