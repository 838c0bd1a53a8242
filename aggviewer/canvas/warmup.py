"""Compiling the kernels of the picture without holding up the window."""

from __future__ import annotations

import threading
import time

import numpy as np

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.in_view import DiscsInView
from aggviewer.canvas.raster import Raster
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from aggviewer.latest_job import CancelledError, LatestJob
from aggviewer.session.precompile import Report, fill_cache

_lock = threading.Lock()
_measures_ready = threading.Event()
_ready = threading.Event()


def warm_up(report: Report | None = None) -> float:
    """Compile or load every kernel for the types that the canvas uses; returns the seconds it took. Any thread.

    report : called before each of its three stages, as `engine.warm_up` does: what finds discs, what paints, and what
        layers and colours measure. The picture does not wait for the last one.
    """
    start = time.perf_counter()
    with _lock:
        stages = (
            ("discs", _use_what_finds_discs, _ready),
            ("picture", _use_what_paints, _ready),
            ("layers", _use_what_measures, _measures_ready),
        )
        wanted = [not there.is_set() for _, _, there in stages]
        for done, (what, use, there) in enumerate(stages):
            if report is not None:
                report(done, len(stages), what)
            if wanted[done]:
                use()
            if done + 1 == len(stages) or stages[done + 1][2] is not there:
                there.set()
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
    kernels.paint_pale_lines(np.zeros((1, 4)), 1.0, color, 1.0, clip, np.zeros((1, 1), np.float32), image)
    kernels.paint_polygons(np.zeros((1, 2)), np.array([0, 1]), np.zeros((1, 4)), np.zeros((1, 3)), 1.0, clip, image)
    places, radii, discs, camera = np.zeros((1, 2)), np.ones(1), np.zeros(1, np.int64), np.ones(5)
    mark_kernels.count_marks(places, radii, discs, camera, clip)
    mark_kernels.paint_marks(places, radii, discs, np.ones(2), False, camera, np.ones(5), color, color, clip, image)


def _use_what_measures() -> None:
    from engine.analysis import contact_pairs
    from engine.analysis.density_map import density_map  # a part of scipy that takes a tenth of a second to be loaded
    from engine.analysis.hulls import cluster_hulls
    from engine.analysis.voronoi import voronoi

    at, radii, box = np.array([[0.3, 0.5], [0.7, 0.5]]), np.full(2, 0.2), np.ones(2)
    voronoi(at, radii, box, periodic=True)
    cluster_hulls(at, radii, np.zeros(2, np.int32), box, periodic=True)
    contact_pairs(at, radii, box, periodic=False)
    density_map(at, radii, box, periodic=False)


def ready() -> bool:
    """True when nothing in the picture will stop to compile: until then OpenGL draws discs without kernels, and all
    else waits."""
    return _ready.is_set()


class WarmingUp:
    """Warms up in a thread, after a child process has compiled what the cache does not hold yet."""

    def __init__(self) -> None:
        self._job = LatestJob("canvas-kernels", niceness=0)
        self._job.submit(self._run)

    def close(self) -> None:
        """End the child, where there is one, and join the thread."""
        self._job.close()

    def _run(self) -> None:
        fill_cache(self._report, __name__)
        warm_up()

    def _report(self, done: int, total: int, what: str) -> None:
        if self._job.cancelled:
            raise CancelledError  # ends the child


def start() -> WarmingUp | None:
    """Begin to warm up; None where nothing is left to do."""
    return None if ready() else WarmingUp()
