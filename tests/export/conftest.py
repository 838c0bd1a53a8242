"""States whose picture is known: one disc that stands at another place in every frame."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from PyQt6.QtGui import QImage

from aggviewer.canvas import warm_up
from aggviewer.canvas.picture import Over
from aggviewer.canvas.qt_drawing import from_qimage
from aggviewer.document.view import ViewModel
from aggviewer.export.sources import Cancelled
from engine.frame import Frame

BARE = Over(legend=False, scale_bar=False, time=False, box=False)
SIDE = 10.0
RADIUS = 1.0


@pytest.fixture(scope="session", autouse=True)
def kernels(qapp: object) -> None:
    """Fonts need Qt's application, and no test waits for a compiler."""
    warm_up()


@pytest.fixture
def view() -> ViewModel:
    return ViewModel(background="black")


class Marching:
    """A disc that is at ``x(time)``, in a box of 10 x 10, and remembers what was asked for."""

    count = 1
    periodic = False
    frames = 0
    system = "aggregation"
    lacks: frozenset[str] = frozenset()

    def __init__(self, last_time: float = inf) -> None:
        self.radii, self.masses = np.array([RADIUS]), np.ones(1)
        self.box = np.array([SIDE, SIDE])
        self.first_time, self.last_time = 0.0, last_time
        self.asked: list[float] = []

    @staticmethod
    def x(time: float) -> float:
        """From left to right and on from the left."""
        return 1.0 + (2.0 * time) % 8.0

    def frame_at(self, time: float, cancelled: Cancelled = lambda: False) -> Frame:
        self.asked.append(time)
        return self._state(time)

    def frame(self, number: int) -> Frame:
        raise AssertionError("not recorded")

    def samples(self) -> Iterator[Frame]:
        yield self._state(self.first_time)

    def _state(self, time: float) -> Frame:
        return Frame(
            time,
            np.array([[self.x(time), 5.0]]),
            np.array([[2.0, 0.0]]),
            {"cluster": np.zeros(1, np.int32)},
            1,
            2.0 * np.pi,
        )


def decoded(path: Path) -> tuple[list[np.ndarray], list[float], Any]:
    """Pictures (H, W, 3) uint8 and their times in seconds, as a player sees them, and the stream."""
    if path.is_dir():
        files = sorted(path.iterdir())
        assert [file.name for file in files] == [f"frame-{k:06d}.png" for k in range(len(files))]
        return [from_qimage(QImage(str(file)))[..., :3] for file in files], [], None
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        frames = list(container.decode(stream))
        return [frame.to_ndarray(format="rgb24") for frame in frames], [float(frame.time) for frame in frames], stream


def middle_of_light(image: np.ndarray) -> tuple[float, float]:
    """Column and row, in pixels, of the middle of what is not dark."""
    light = image.astype(np.float64).sum(axis=2)
    light[light < 60.0] = 0.0  # what compression leaves around the disc
    rows, columns = np.indices(light.shape)
    return float((light * (columns + 0.5)).sum() / light.sum()), float((light * (rows + 0.5)).sum() / light.sum())
