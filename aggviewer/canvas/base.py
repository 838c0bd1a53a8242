"""The canvas widget: one surface with the discs, the overlays above it, and the camera."""

from __future__ import annotations

import time as clock
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PyQt6.QtCore import QPointF, QRect, QRectF, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QSizePolicy, QWidget

from aggviewer.canvas import warmup
from aggviewer.canvas.camera import NO_ROOM, Camera, LegendRoom, Viewpoint
from aggviewer.canvas.image_surface import ImageSurface
from aggviewer.canvas.layers.background import BackgroundLayers
from aggviewer.canvas.layers.layer import Layer, Moment
from aggviewer.canvas.layers.registry import Guard, Memories, in_scene, layers, of_frame
from aggviewer.canvas.layers.steps import StepMarks
from aggviewer.canvas.mouse import MouseWidget
from aggviewer.canvas.overlay_widget import OverlayWidget
from aggviewer.canvas.picture import LARGEST, Over, Painter
from aggviewer.canvas.qt_images import from_qimage
from aggviewer.canvas.scene import Scene
from aggviewer.canvas.surface import Host, Surface
from aggviewer.canvas.trial import Trial
from aggviewer.document.run import CameraPlace
from aggviewer.document.view import ViewModel
from aggviewer.latest_job import LatestJob
from aggviewer.session.notices import log
from aggviewer.session.publish.coloring import Coloring
from aggviewer.style.numbers import TIME
from engine.errors import InputError
from engine.state import Discs
from engine.system import Clock

_PICK_PIXELS = 3.0
_POLL_MS = 40
_KERNELS_AFTER_MS = 500


class DiscCanvas(MouseWidget):
    """The picture of the discs; made by `create_canvas`. See the package for how it is used.

    Attributes
    ----------
    scene, view : what is drawn, and how.
    notice : a sentence for the person, such as why there is no OpenGL; "" where there is nothing to say.
    software : what would compute OpenGL on the processor, where the canvas draws without it for that; else "".
    trial : times both surfaces, where the faster one is to be found; else None.
    frames_drawn : repaints with discs so far.

    Notes
    -----
    Signals: ``view_changed()`` after a pan, zoom or fit; ``has_painted()`` when a picture that was painted beside the
    GUI thread is there, so that the next frame may be given; those of the mouse: see `MouseWidget`.
    """

    view_changed = pyqtSignal()
    has_painted = pyqtSignal()
    _layer_taken = pyqtSignal()

    def __init__(
        self, parent: QWidget | None, view: ViewModel, make_surface: Callable[[Host, QWidget], Surface]
    ) -> None:
        super().__init__(parent)
        self.scene = Scene()
        self.view = view
        self.notice = ""
        self.software = ""
        self.trial: Trial | None = None
        self.frames_drawn = 0
        self._drawn_at: deque[float] = deque(maxlen=256)
        self._stale = False  # what lies over the discs is to be drawn with the next picture
        size = lambda: (self.width(), self.height())  # noqa: E731
        self._viewpoint = Viewpoint(self.scene, size, self._on_viewpoint, self._room)
        self._closed = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(160, 120)
        self._guard = Guard(self._on_layer_failed)
        self._memories: Memories = {}
        self._layer_taken.connect(self._on_layer_taken)
        self._background = BackgroundLayers(self._layer_taken.emit)
        self._layer_timer = QTimer(self)
        self._layer_timer.setSingleShot(True)
        self._layer_timer.timeout.connect(self._background.go_on)
        self._made = False  # until then there is nothing to be laid out
        try:
            self._surface = make_surface(self, self)
        except Exception:
            self.setParent(None)  # nobody else can take this half of a canvas away
            self.deleteLater()
            raise
        self._overlay = OverlayWidget(self, self, self._guard)
        self._place(self._surface)
        self._made = True
        view.events.connect(self._on_view)
        self._kernel_timer = QTimer(self)
        self._kernel_timer.setInterval(_POLL_MS)
        self._kernel_timer.timeout.connect(self._on_poll)
        self._warming_up: LatestJob | None = None

    # What is shown

    def set_system(
        self, radii: ArrayLike, box: ArrayLike, periodic: bool, *, clock: Clock = TIME, has_forces: bool = False
    ) -> None:
        """Another system; forgets the frame. The view stays where it is, or fitted.

        Parameters
        ----------
        radii, box : (N,) and (2,), in units of length of the scenario.
        clock : what the time counts.
        has_forces : frames may have a force network.

        Raises
        ------
        InputError
            A radius or a side is not a finite number above 0.
        """
        self._surface.settle()
        self.scene.set_system(radii, box, periodic, clock=clock, has_forces=has_forces)
        self._set_hover(-1)
        if self.fitted:
            self.fit()
        else:
            self._refresh()

    def show_frame(
        self,
        positions: NDArray[np.floating],
        scalar: NDArray[np.float32],
        coloring: Coloring,
        time: float,
        radius_factor: float = 1.0,
        layers: Mapping[str, Any] | None = None,
        *,
        lent: bool = False,
        discs: Discs | None = None,
    ) -> None:
        """Show these discs from the next repaint on; the arrays are copied, if they are not lent.

        Parameters
        ----------
        positions : (N, 2), inside the box.
        scalar, coloring : what the discs are coloured by, (N,), and how it is read.
        time : of the frame.
        radius_factor : radii at this time over those of the system.
        layers : what lies over the discs with this frame, see `layers_of`.
        lent : the arrays stay as they are until the next frame, or another system.
        discs : radii and box of this frame; None if they are the same as in the frame before.

        Raises
        ------
        InputError
            There are more or fewer discs than the system has.
        """
        first, coloring_before, time_before = not self.scene.shown, self.scene.coloring, self.scene.time
        over_before, radius_before, box_before = self._lies_over(), self.scene.mean_radius, self.scene.box
        self._surface.settle()
        if discs is not None:
            self.scene.set_discs(discs)
        self.scene.set_frame(positions, scalar, coloring, time, radius_factor, layers, lent=lent)
        beside = self._surface.refresh()
        same = coloring == coloring_before and radius_before == self.scene.mean_radius and not self.scene.pinned
        if first or over_before or self._lies_over() or not same:
            self._stale = True
        if self.scene.box is not box_before and not np.array_equal(self.scene.box, box_before):
            self._stale = True
            if self.fitted:
                self.fit()
        if not beside:  # else it comes with the picture
            self._draw_over(time != time_before)
        if self._pointer is not None and not self.hover_timer.isActive():
            self.hover_timer.start()

    def _lies_over(self) -> bool:
        """Whether a layer that the view asks for draws something of the frame. What others have taken is not seen."""
        return any(layer.name in self.scene.of_frame and layer.shown(self.view) for layer in layers())

    def layers_of(self, moment: Moment) -> dict[str, Any]:
        """What the layers that the view asks for draw of a frame, for `show_frame`; one that fails is left out."""
        self._background.forget({layer.name for layer in layers() if layer.shown(self.view)})
        return of_frame(in_scene(moment, self.scene), self.view, self._guard, self._memories, self._background.take)

    def _on_layer_taken(self) -> None:
        """A layer that takes long is known anew: show it, and let the next one begin when it may."""
        if self._closed:
            return
        known = self._background.known()
        if self.scene.shown and known:
            others = {name: data for name, data in self.scene.of_frame.items() if name not in known}
            self.scene.of_frame = others | {name: data for name, data in known.items() if data is not None}
            self._overlay.update()
        wait = self._background.behind()
        if wait is not None:
            self._layer_timer.start(round(1000.0 * wait) + 1)

    def _on_layer_failed(self, layer: Layer, error: Exception) -> None:
        """Say so, and switch it off once what is being painted is painted."""
        log.error("the layer %s fails", layer.name, exc_info=error)
        again = " Switch it on to try again." if layer.optional else ""
        name = layer.label or layer.name
        self.notice = f"The layer “{name}” failed and was switched off: {type(error).__name__}: {error}.{again}"
        QTimer.singleShot(0, partial(layer.show, self.view, False))

    def explain_colors(self, here: bool) -> None:
        """Whether this picture has the legend, where there is one: of pictures side by side one is enough."""
        self.scene.legend = here
        self._overlay.update()

    def tell_time(self, on: bool) -> None:
        """Whether the time is in this picture, where the view asks for it: to begin with it is not."""
        self._overlay.tell_time(on)

    def show_marks(self, marks: StepMarks | None) -> None:
        """Lines, overlaps and arrows over the discs, in snapshots too, until others come, None or another system.

        Their discs are those of the frame on the screen.
        """
        if marks is None:
            self.scene.pinned.pop("steps", None)
        else:
            self.scene.pinned["steps"] = marks
        self._overlay.update()

    def pin(self, name: str, data: Any) -> None:
        """Let a layer draw `data` until other data come, None or another system."""
        if data is None:
            self.scene.pinned.pop(name, None)
        else:
            self.scene.pinned[name] = data
        self._overlay.update()

    def hide_discs(self, hidden: NDArray[np.bool_] | None) -> None:
        """Draw all discs but these, (N,), from the next frame on; None to draw all."""
        self.scene.hide(hidden)

    @property
    def ready(self) -> bool:
        """True when there are discs, and neither drawing nor picking waits for the kernels."""
        return self.scene.shown and warmup.ready()

    @property
    def busy(self) -> bool:
        """Whether the scene is being painted beside the GUI thread: `show_frame` would wait for that."""
        return self._surface.busy

    @property
    def surface(self) -> str:
        """``painter`` or ``opengl``: what draws the discs now."""
        return "painter" if isinstance(self._surface, ImageSurface) else "opengl"

    @property
    def renderer(self) -> str:
        """What draws the discs, for the status bar."""
        return self._surface.renderer

    @property
    def fps(self) -> float:
        """Repaints with discs during the last second."""
        oldest = clock.perf_counter() - 1.0
        return float(sum(1 for moment in self._drawn_at if moment >= oldest))

    # The camera

    @property
    def camera(self) -> Camera:
        """The present view, in widget pixels."""
        return self._viewpoint.camera

    @property
    def fitted(self) -> bool:
        """Whether the whole box is kept in view, also after resizes."""
        return self._viewpoint.fitted

    @property
    def chosen_camera(self) -> Camera | None:
        """What a picture or a film of another size shows: the present view, or None for the whole box."""
        return None if self.fitted else self.camera

    def fit(self) -> None:
        """The whole box in view, also after later resizes, until the view is moved."""
        self._viewpoint.fit()

    def zoom(self, factor: float, about: tuple[float, float] | None = None) -> None:
        """Enlarge by `factor` > 0 about a widget pixel, default the middle; stops where nothing more is to be seen."""
        self._viewpoint.zoom(factor, about)

    def pan(self, dx: float, dy: float) -> None:
        """Move the picture by (dx, dy) widget pixels, y down."""
        self._viewpoint.pan(dx, dy)

    def set_view_rect(self, x: float, y: float, width: float, height: float) -> None:
        """This world rectangle (lower left corner and size) in view, as large as possible."""
        self._viewpoint.show_rect(x, y, width, height)

    def look_to(self, x: float, y: float) -> None:
        """Bring a point of the plane into the middle of what is seen, in the same scale."""
        self.go_to(CameraPlace(x=x, y=y, scale=self.camera.scale))

    @property
    def place(self) -> CameraPlace | None:
        """Where it looks, None for the whole box; to come back to with `go_to`."""
        return self._viewpoint.place

    def go_to(self, place: CameraPlace | None) -> None:
        """Look there; None for the whole box."""
        self._viewpoint.go_to(place)

    def show_as(self, other: DiscCanvas) -> None:
        """The view of another canvas: the same middle and scale, or the whole box where the other one is fitted."""
        self._viewpoint.show_as(other._viewpoint)

    def _room(self) -> LegendRoom:
        return self._overlay.room() if self._made else NO_ROOM

    def refit(self) -> None:
        """Keep the fit where what lies over the discs needs more or less room than before."""
        if self._made:
            self._viewpoint.refit()

    def _on_view(self) -> None:
        self.refit()
        self._refresh()

    def _on_viewpoint(self) -> None:
        self._refresh()
        self.view_changed.emit()

    def _refresh(self) -> None:
        self._surface.widget.update()
        self._overlay.update()

    # Picking

    def disc_at(self, x: float, y: float) -> int | None:
        """The disc at a widget pixel, or the nearest within three pixels; None where there is none."""
        if not self.ready:
            return None
        return self.scene.disc_at(*self.camera.to_world(x, y), _PICK_PIXELS / self.camera.scale)

    def on_scale(self, place: QPointF) -> bool:
        """Whether a point of the widget is on the colour scale."""
        return self._overlay.scale_rect().contains(place)

    def scale_corner(self) -> QPointF:
        """The upper right corner of the colour scale, in pixels of the widget; without one, the lower right corner."""
        scale = self._overlay.scale_rect()
        return QPointF(self.rect().bottomRight()) if scale.isEmpty() else scale.topRight()

    def paint_gesture(self) -> None:
        """Paint the gesture that is under way."""
        self._overlay.update()

    def covered(self) -> list[QRectF]:
        """The rectangles of the widget that time, scale bar and legend lie in."""
        return self._overlay.covered()

    def hidden_by(self, rectangle: QRect) -> float:
        """How much of the picture something over this rectangle of the widget would hide, as a number to compare:
        10^6 for the legend, 1 for each disc, and 0.01 for each disc above or below it."""
        seen = rectangle.intersected(self.rect())
        if seen.isEmpty() or not self.scene.shown:
            return 0.0
        hidden = 1e6 if any(card.intersects(QRectF(seen)) for card in self.covered()) else 0.0
        left, top = self.camera.to_world(seen.left(), seen.top())
        right, bottom = self.camera.to_world(seen.right() + 1, seen.bottom() + 1)
        at, radius = self.scene.positions, float(self.scene.radii.max())
        column = (at[:, 0] > left - radius) & (at[:, 0] < right + radius)
        inside = column & (at[:, 1] > bottom - radius) & (at[:, 1] < top + radius)
        return hidden + float(np.count_nonzero(inside)) + 0.01 * float(np.count_nonzero(column))

    # Pictures for files

    def snapshot(self, width: int, height: int, *, transparent: bool = False) -> NDArray[np.uint8]:
        """The present view as (height, width, 4) uint8 RGBA, straight alpha, of any size up to 32 767 on a side.

        Drawn by the kernels, so it is the same on every machine. Waits for the kernels if need be. InputError for a
        size that cannot be. transparent : nothing under the discs.
        """
        if not (1 <= width <= LARGEST and 1 <= height <= LARGEST):
            raise InputError(f"a snapshot has 1 to {LARGEST} pixels on a side, not {width} x {height}")
        warmup.warm_up()
        painter = Painter(Over.of(self.view).on(self.view), self.font())
        if self.fitted:
            camera = painter.fitting(self.scene.sides, (width, height))
        else:
            camera = self.camera.rendered(width, height)
        return from_qimage(painter.image(self.scene, camera, transparent=transparent))

    # Called by the surface

    def drawn(self) -> None:
        """Count a repaint. After the first one there is time for the kernels."""
        self.frames_drawn += 1
        if self.frames_drawn == 1 and not warmup.ready():
            QTimer.singleShot(_KERNELS_AFTER_MS, self.load_kernels)
        self._drawn_at.append(clock.perf_counter())
        if self.trial is not None and self.trial.times_painter(self.scene):
            QTimer.singleShot(0, self._try_painter)

    def painted(self) -> None:
        """Draw what lies over the discs with the picture that is there now, and let the next frame come."""
        self._draw_over(True)
        self.has_painted.emit()

    def _draw_over(self, later: bool) -> None:
        """Draw what lies over the discs where it has changed, or the time alone where that is a `later` one."""
        if self._stale:
            self._overlay.update()
        elif later and self.view.show_time:
            self._overlay.update_time()
        self._stale = False

    def load_kernels(self) -> None:
        """Begin to compile or load the kernels, in the background. They bring numba, for which the first pictures of
        the window would have to wait."""
        if self._warming_up is None and not self._closed:
            self._warming_up = warmup.start()
            if self._warming_up is not None:
                self._kernel_timer.start()

    def failed(self, reason: str) -> None:
        """Go on without OpenGL, outside the paint event that has failed."""
        if not self.notice:
            self.notice = f"OpenGL failed ({reason}); the discs are now drawn in software."
            QTimer.singleShot(0, self._replace_surface)

    def _try_painter(self) -> None:
        """Time the painter, one picture for each of OpenGL, so that the window does not stop for it. Then go on with
        the faster one."""
        trial, ratio = self.trial, self.devicePixelRatioF()
        if self._closed or trial is None or not trial.times_painter(self.scene):
            return
        trial.time_painter(self.scene, self.camera.magnified(ratio), self.view, ratio, self.renderer)
        if trial.result is not None:
            self.trial = None
            if trial.result.faster == "painter":
                self._replace_surface()

    def use_painter(self) -> None:
        """Go on without OpenGL."""
        if self.surface != "painter":
            self._replace_surface()

    def _replace_surface(self) -> None:
        if self._closed:
            return
        self.trial = None
        old = self._surface
        self._surface = ImageSurface(self, self)
        self._place(self._surface)
        old.widget.hide()
        with suppress(Exception):  # what has failed may fail again on its way out
            old.close()
        old.widget.deleteLater()

    def _place(self, surface: Surface) -> None:
        surface.widget.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        surface.widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        surface.widget.setGeometry(self.rect())
        surface.widget.show()
        self._overlay.raise_()

    def _on_poll(self) -> None:
        if warmup.ready():
            self._kernel_timer.stop()
            self._refresh()

    # Qt

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Surface and overlay fill the widget; the view keeps its fit, or its middle and scale."""
        if not self._made:
            return
        self._surface.widget.setGeometry(self.rect())
        self._overlay.setGeometry(self.rect())
        self._viewpoint.resized()

    def close(self) -> bool:
        """Free the OpenGL objects, stop the timers and leave the view model; the widget shows nothing any more."""
        if not self._closed:
            self._closed = True
            self.hover_timer.stop()
            self._kernel_timer.stop()
            self._layer_timer.stop()
            self.view.events.disconnect(self._on_view)
            self._surface.close()
            self._background.close()
            if self._warming_up is not None:
                self._warming_up.close()
        return super().close()
