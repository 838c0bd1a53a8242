"""Compiling and loading the kernels of the picture without blocking the window."""

from __future__ import annotations

import threading
import time

import numpy as np

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.in_view import Depths, DiscsInView
from aggviewer.canvas.raster import Raster
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from aggviewer.latest_job import LatestJob
from aggviewer.session.precompile import ended_with, fill_cache
from engine.warming import Report

_lock = threading.Lock()
_ready = threading.Event()


def warm_up(report: Report | None = None) -> float:
    """Compile or load every kernel for the types that the canvas uses; returns the time in seconds. Any thread.

    report : called before each of the three stages, as by `engine.warm_up`: finding discs, painting, and measurements
        for layers and colours. The picture does not wait for the last one.
    """
    began = time.perf_counter()
    tell = report or (lambda done, total, what: None)
    with _lock:
        if not ready():
            tell(0, 3, "discs")
            _use_what_finds_discs()
            tell(1, 3, "picture")
            _use_what_paints()
            _ready.set()
        tell(2, 3, "layers")
        _use_what_measures()
    return time.perf_counter() - began


def _one_disc(dimensions: int = 2) -> tuple[Scene, Camera]:
    """A scene with exactly the types that the canvas uses: for numba a read-only array, for example, has a different
    type."""
    scene = Scene()
    scene.replace_discs(np.ones(1), np.ones(dimensions), False)
    scene.set_frame(np.zeros((1, dimensions)), np.zeros(1, np.float32), scene.coloring, 0.0)
    return scene, Camera.fitting(scene.sides, (2.0, 2.0))


def _use_what_finds_discs() -> None:
    for dimensions in (3, 2):
        scene, camera = _one_disc(dimensions)
        DiscsInView().find(scene, camera)
    scene.disc_at(0.0, 0.0, reach=0.0)


def _use_what_paints() -> None:
    from aggviewer.canvas import (
        line_kernels,
        sphere_kernels,  # brings numba
    )

    for dimensions in (2, 3):
        Raster().paint(*_one_disc(dimensions), ViewModel())
    surface = Depths(*_one_disc(3)).front(2.0)[0]
    color, clip, image = np.zeros(3), np.zeros(4, np.int64), np.zeros((1, 1, 4), np.uint8)
    pair = np.ones((1, 2))
    sphere_kernels.paint_bars(np.zeros((1, 4)), pair, pair, np.zeros((1, 3)), 1.0, np.ones(5), surface, image)
    one, faces = np.ones(1), np.zeros((1, 3))
    line_kernels.paint_discs(np.zeros((1, 2)), one, one, faces, faces, clip, image)
    line_kernels.paint_lines(np.zeros((1, 4)), np.ones(1), color, clip, image)
    line_kernels.paint_pale_lines(np.zeros((1, 4)), 1.0, color, 1.0, clip, np.zeros((1, 1), np.float32), image)
    line_kernels.paint_polygons(
        np.zeros((1, 2)), np.array([0, 1]), np.zeros((1, 4)), np.zeros((1, 3)), 1.0, clip, image
    )
    places, radii, discs, camera = np.zeros((1, 2)), np.ones(1), np.zeros(1, np.int64), np.ones(5)
    line_kernels.count_marks(places, radii, discs, camera, clip)
    line_kernels.paint_marks(places, radii, discs, np.ones(2), False, 0.0, camera, np.ones(4), color, clip, image)
    line_kernels.paint_rings(places, radii, np.ones(2), color, clip, image)


def _use_what_measures() -> None:
    from engine.analysis import contact_pairs
    from engine.analysis.fluctuations import density_map  # a part of scipy that takes a tenth of a second to load
    from engine.analysis.hulls import cluster_hulls
    from engine.analysis.rims import rims
    from engine.analysis.voronoi import voronoi

    at, radii, box = np.array([[0.3, 0.5], [0.7, 0.5]]), np.full(2, 0.2), np.ones(2)
    voronoi(at, radii, box, periodic=True)
    cluster_hulls(at, radii, np.zeros(2, np.int32), box, periodic=True)
    contact_pairs(at, radii, box, periodic=False)
    contact_pairs(at, radii, box, periodic=True)  # in a small box, by all images
    density_map(at, radii, box, periodic=False)
    rims(np.zeros(2, np.int32), np.zeros(2, np.int64), at, radii, box, False)


def ready() -> bool:
    """Whether nothing in the picture needs compilation any more: until then OpenGL draws discs without kernels, and all
    else waits."""
    return _ready.is_set()


def start() -> LatestJob | None:
    """Start warming up on a thread, after a child process has compiled what is missing in the cache. Returns the job,
    which must be closed at the end; None if there is nothing to do."""
    if ready():
        return None
    job = LatestJob("canvas-kernels", niceness=0)

    def run() -> None:
        fill_cache(ended_with(job), __name__)
        warm_up()

    job.submit(run)
    return job
