"""Where the parts of a film stand: nothing overlaps, everything can be read, and no room is said."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from aggviewer.export.spec import FilmLayout, PlotsAt
from engine.errors import InputError


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (3840, 2160), (1080, 1080)])
@pytest.mark.parametrize("at", ["right", "below"])
@pytest.mark.parametrize("runs", [1, 2])
def test_parts_lie_beside_each_other(size: tuple[int, int], at: PlotsAt, runs: int) -> None:
    for plots in range(1, 5):
        layout = FilmLayout.of(size, runs, plots, at)
        parts = [*layout.pictures, *layout.names, *layout.plots]
        assert (len(layout.pictures), len(layout.names), len(layout.plots)) == (runs, runs if runs > 1 else 0, plots)
        covered = np.zeros(size[::-1], int)
        for part in parts:
            assert part.left >= 0
            assert part.top >= 0
            assert part.left + part.width <= size[0]
            assert part.top + part.height <= size[1]
            covered[part.area] += 1
        assert covered.max() == 1
        for place in layout.plots:
            assert place.width >= 230 * layout.ratio - 1
            assert place.height >= 160 * layout.ratio - 1
        seen = sum(place.width * place.height for place in layout.pictures)
        assert seen > 0.45 * size[0] * size[1]
        for one, other in combinations(layout.plots, 2):
            assert one != other


def test_a_film_without_plots_is_all_picture() -> None:
    assert FilmLayout.of((160, 120)).pictures == ((0, 0, 160, 120),)


def test_plots_without_room_in_a_film_are_refused() -> None:
    with pytest.raises(InputError, match="1 plot does not fit beside the picture in a film of 320 × 240 pixels"):
        FilmLayout.of((320, 240), 1, 1)
    with pytest.raises(InputError, match="11 plots do not fit below the picture"):
        FilmLayout.of((1280, 720), 1, 11, "below")
