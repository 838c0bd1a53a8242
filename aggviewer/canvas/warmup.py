"""Compiling the kernels of the picture without holding up the window."""

from __future__ import annotations

import threading
import time

import numpy as np

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.in_view import DiscsInView
from aggviewer.canvas.raster import Raster
from aggviewer.canvas.scene import Scene
from aggviewer.session.precompile import Report, fill_cache
from aggviewer.session.view import ViewModel

_lock = threading.Lock()
_ready = threading.Event()


def warm_up(report: Report | None = None) -> float:
    """Compile or load every kernel for the types that the canvas uses; returns the seconds it took. Any thread.

    report : called before each of its two stages, as `engine.warm_up` does.
    """
    start = time.perf_counter()
    with _lock:
        stages = (("discs", _use_what_finds_discs), ("picture", _use_what_paints))
        for done, (what, use) in enumerate(stages):
            if report is not None:
                report(done, len(stages), what)
            if not _ready.is_set():
                use()
        _ready.set()
    return time.perf_counter() - start


def _one_disc() -> tuple[Scene, Camera]:
    """A scene with the very types that the canvas gives: to numba a read-only array, for example, has another type."""
    scene = Scene()
    scene.set_system(np.ones(1), np.ones(2), False)
    scene.set_frame(np.zeros((1, 2)), np.zeros(1, np.float32), scene.coloring, 0.0)
    return scene, Camera(width=2.0, height=2.0)


def _use_what_finds_discs() -> None:
    scene, camera = _one_disc()
    DiscsInView().find(scene, camera)
    scene.disc_at(0.0, 0.0, reach=0.0)


def _use_what_paints() -> None:
    from aggviewer.canvas import kernels, mark_kernels  # brings numba

    Raster().paint(*_one_disc(), ViewModel())
    color, clip, image = np.zeros(3), np.zeros(4, np.int64), np.zeros((1, 1, 4), np.uint8)
    kernels.paint_rings(np.zeros((1, 2)), np.ones(1), 1.0, color, color, clip, image)
    kernels.paint_lines(np.zeros((1, 4)), np.ones(1), color, clip, image)
    places, radii, discs, camera = np.zeros((1, 2)), np.ones(1), np.zeros(1, np.int64), np.ones(5)
    mark_kernels.count_marks(places, radii, discs, camera, clip)
    mark_kernels.paint_marks(places, radii, discs, np.ones(2), False, camera, np.ones(5), color, color, clip, image)


def ready() -> bool:
    """True when nothing in the picture will stop to compile: until then OpenGL draws discs without kernels, and all
    else waits."""
    return _ready.is_set()


class WarmingUp:
    """Warms up in a thread, after a child process has compiled what the cache does not hold yet."""

    def __init__(self) -> None:
        self._cancelled = False
        self._thread = threading.Thread(target=self._run, name="canvas-kernels", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the child, where there is one, and join the thread."""
        self._cancelled = True
        self._thread.join()

    def _run(self) -> None:
        try:
            fill_cache(self._report, __name__)
        except _CancelledError:
            return
        warm_up()

    def _report(self, done: int, total: int, what: str) -> None:
        if self._cancelled:
            raise _CancelledError


class _CancelledError(Exception):
    """Ends the child."""


def start() -> WarmingUp | None:
    """Begin to warm up; None where nothing is left to do."""
    return None if ready() else WarmingUp()
