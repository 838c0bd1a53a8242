"""The surface without OpenGL: pictures are drawn in software."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QRectF, pyqtSignal
from PyQt6.QtGui import QColor, QImage, QPainter, QPaintEvent
from PyQt6.QtWidgets import QWidget

from aggviewer.canvas import qt_drawing, warmup
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.colors import Ramp, coloring_in_view, ramp, scene_table
from aggviewer.canvas.floor import look_behind
from aggviewer.canvas.in_view import DiscsInView, box_clip, circles_in_view
from aggviewer.canvas.qt_drawing import to_qimage
from aggviewer.canvas.raster import Raster
from aggviewer.canvas.surface import Host
from aggviewer.latest_job import MOVES_THE_PICTURE, LatestJob

_MOST_BY_QT = 10_000
"""Number of discs that Qt paints in the time of a frame or two."""

MOST_PAINTED_AT_ONCE = 100_000
"""Number of discs that are painted on the GUI thread; more are painted on another thread, so that the window stays
responsive."""


class ImageSurface:
    """Draws pictures in software; 10^4 discs take a few milliseconds."""

    renderer = "Software rendering"

    def __init__(self, host: Host, parent: QWidget) -> None:
        self._image = _ImageWidget(host, parent)
        self.widget: QWidget = self._image

    @property
    def busy(self) -> bool:
        """Whether a picture is being painted on another thread."""
        return self._image.busy

    def refresh(self) -> bool:
        """Draw the scene with its new frame. True if it is first painted on another thread."""
        return self._image.refresh()

    def wait_idle(self) -> None:
        """Wait for the picture being painted on another thread."""
        self._image.wait_idle()

    def close(self) -> None:
        """End the painting thread, if any."""
        self._image.stop()


class _Wanted(NamedTuple):
    """The inputs of a picture: equal inputs give equal pictures."""

    frame: int
    camera: Camera  # in widget pixels
    ratio: float
    table: int
    ramp: Ramp
    background: tuple[int, int, int]
    lit: tuple[bool, bool]  # in space, whether depth fades and whether there are shadows
    behind: tuple[object, ...]  # see `look_behind`


class _Picture(NamedTuple):
    """A picture that was painted, and the memory of its image."""

    of: _Wanted
    image: QImage
    memory: NDArray[np.uint8]


class _ImageWidget(QWidget):
    _painted = pyqtSignal(object)

    def __init__(self, host: Host, parent: QWidget) -> None:
        super().__init__(parent)
        self._host = host
        self._raster = Raster()
        self._in_view = DiscsInView()
        self._job = LatestJob("picture", MOVES_THE_PICTURE)  # thread for many discs
        self._is_painting = False
        self._picture: _Picture | None = None  # the last painted picture
        self._on_screen: _Wanted | None = None  # the picture that the host assumes to be on the screen
        self._painted.connect(self._take)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Paint the discs; until the kernels are ready Qt paints them, unless there are too many."""
        painter = QPainter(self)
        scene, view, camera = self._host.scene, self._host.view, self._host.camera
        if not warmup.ready():
            painter.fillRect(self.rect(), QColor(*view.background_rgb))
            if not scene.shown or scene.count > _MOST_BY_QT:
                self._host.load_kernels()
                return
            left, top, right, bottom = box_clip(scene, camera)
            painter.setClipRect(left, top, right - left, bottom - top)
            qt_drawing.paint(painter, [circles_in_view(scene, camera, view, self._in_view, compiled=False)])
        elif self._beside:
            self._paint_beside(painter)
            return
        else:
            self._picture = None
            ratio = self.devicePixelRatioF()
            pixels = self._raster.paint(scene, camera.magnified(ratio), view, pixel_ratio=ratio)
            image = to_qimage(pixels)
            image.setDevicePixelRatio(ratio)
            painter.drawImage(0, 0, image)
        if scene.shown:
            self._host.drawn()

    # beside the GUI thread

    def refresh(self) -> bool:
        """Start painting a new frame, or draw it. The last picture stays until the new one is ready: redrawing it would
        take as long as drawing the new one."""
        picture = self._picture
        if picture is None or not self._beside or picture.of.camera != self._host.camera or not self.isVisible():
            self.update()
            return False
        self._begin()
        return True

    @property
    def _beside(self) -> bool:
        """Whether there are so many discs that they are painted on another thread."""
        scene = self._host.scene
        return warmup.ready() and scene.count > MOST_PAINTED_AT_ONCE and scene.shown

    def _paint_beside(self, painter: QPainter) -> None:
        """Show the last picture, moved to the present view, and start painting the present one."""
        host = self._host
        view, camera = host.view, host.camera
        if self._picture is not None:
            at, image, _ = self._picture
            if at.camera == camera and at.ratio == self.devicePixelRatioF():
                painter.drawImage(0, 0, image)  # unscaled, which is faster than scaling by 1
            else:
                grown = camera.scale / at.camera.scale
                x, y = camera.seen(at.camera.middle)[0].tolist()
                left, top = x - grown * at.camera.width / 2, y - grown * at.camera.height / 2
                painter.fillRect(self.rect(), QColor(*view.background_rgb))
                painter.drawImage(QRectF(left, top, grown * at.camera.width, grown * at.camera.height), image)
            if at != self._on_screen:
                self._on_screen = at
                host.drawn()
        else:
            painter.fillRect(self.rect(), QColor(*view.background_rgb))
        self._begin()

    def _begin(self) -> None:
        """Start painting the scene in the present view, unless that is done or under way."""
        scene, view = self._host.scene, self._host.view
        scale, table = ramp(coloring_in_view(scene, view)), id(scene_table(scene, view))
        of = self._host.camera, self.devicePixelRatioF()
        lit, behind = (view.depth_fades, view.soft_shadows), look_behind(scene, view)
        wanted = _Wanted(scene.frames, *of, table, scale, view.background_rgb, lit, behind)
        if not self._is_painting and (self._picture is None or self._picture.of != wanted):
            self._is_painting = True
            self._job.submit(lambda: self._paint(wanted), self._painted.emit, self._painted.emit)

    def _paint(self, wanted: _Wanted) -> _Picture:
        """Paint the scene, on the painting thread."""
        camera, ratio = wanted.camera.magnified(wanted.ratio), wanted.ratio
        pixels = self._raster.paint(self._host.scene, camera, self._host.view, pixel_ratio=ratio)
        image = to_qimage(pixels)
        image.setDevicePixelRatio(ratio)
        return _Picture(wanted, image, pixels)

    def _take(self, painted: _Picture | Exception) -> None:
        """Show a picture that the other thread has painted."""
        self._is_painting = False
        if isinstance(painted, Exception):
            raise painted
        self._picture = painted
        if painted.of.frame == self._host.scene.frames:
            self._host.painted()
        self.update()

    @property
    def busy(self) -> bool:
        """Whether a picture is being painted."""
        return self._job.busy

    def wait_idle(self) -> None:
        """Wait until the present picture is painted."""
        self._job.wait()

    def stop(self) -> None:
        """Stop painting."""
        self._painted.disconnect()
        self._job.close()
