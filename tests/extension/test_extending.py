"""docs/extending.md: the example on the page is the plug-in that the tests beside this one run."""

from __future__ import annotations

import re
from pathlib import Path

from engine import plugins
from engine.indicators import Indicator
from engine.system import System
from tests.extension.conftest import POINTS

PAGE = (Path(__file__).parents[2] / "docs" / "extending.md").read_text(encoding="utf-8")
SYSTEM, _, _ = PAGE.partition("\n# Single additions\n")  # what follows are examples of their own
BLOCKS = re.findall(r"^```python\n(.*?)^```$", SYSTEM, re.MULTILINE | re.DOTALL)


def test_the_blocks_of_the_page_are_the_plug_in_and_nothing_else() -> None:
    written = [line for block in BLOCKS for line in block.splitlines() if line.strip()]
    run = [line for line in POINTS.read_text(encoding="utf-8").splitlines() if line.strip()]
    assert written == run


def test_every_plug_point_of_the_page_is_there() -> None:
    called = re.findall(r"`points\.(\w+)`", PAGE)
    assert set(called) == {name for name in vars(plugins.PlugPoints) if not name.startswith("_")}
    for known in (System, Indicator):
        assert known.__module__ + "." + known.__name__ in PAGE
