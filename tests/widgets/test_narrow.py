"""Which stage of a bar is shown."""

from __future__ import annotations

import pytest

from aggviewer.widgets.screen import first_fitting


@pytest.mark.parametrize(
    ("width", "wanted"), [(1000, "all"), (300, "all"), (299, "some"), (200, "some"), (10, "least")]
)
def test_the_widest_stage_that_fits(width: int, wanted: str) -> None:
    needed = {"all": 300, "some": 200, "least": 100}
    assert first_fitting(needed, needed.__getitem__, width) == wanted
