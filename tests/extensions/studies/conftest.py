"""The panel of the tests of plots."""

from tests.plots.conftest import indicators, panel

__all__ = ["indicators", "panel"]
