"""Compiling the kernels of the picture without holding up the window."""

from __future__ import annotations

import threading
import time

import numpy as np

from aggviewer.canvas import kernels

_lock = threading.Lock()
_ready = threading.Event()


def warm_up() -> float:
    """Compile or load every kernel for the types that the canvas uses; returns the seconds it took. Any thread."""
    start = time.perf_counter()
    with _lock:
        if not _ready.is_set():
            positions, radii, scalar, box = np.zeros((1, 2)), np.ones(1), np.zeros(1, np.float32), np.ones(2)
            offset, floats = np.zeros((1, 2), np.float32), np.zeros((2, 1), np.float32)
            kernels.gather(positions, radii, scalar, box, False, np.zeros(6), offset, floats[0], floats[1])
            total, image = np.zeros((2, 2, 4), np.float32), np.zeros((2, 2, 4), np.uint8)
            clip, table = np.array([0, 0, 2, 2]), np.zeros((256, 4), np.uint8)
            kernels.paint(positions, radii, scalar, box, False, np.ones(5), np.ones(5), table, clip, total)
            kernels.resolve(total, np.zeros(4, np.float32), 0.0, image)
            kernels.pick(positions, radii, box, False, 0.0, 0.0, 0.0)
            _ready.set()
    return time.perf_counter() - start


def ready() -> bool:
    """True when drawing will not stop to compile."""
    return _ready.is_set()


def start() -> threading.Thread | None:
    """Warm up in a thread of its own, which ends by itself; None where nothing is left to do."""
    if ready():
        return None
    thread = threading.Thread(target=warm_up, name="canvas-kernels", daemon=True)
    thread.start()
    return thread
