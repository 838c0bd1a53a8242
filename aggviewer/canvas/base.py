"""The canvas widget: a surface with the discs, the overlays above it, and the camera."""

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
from PyQt6.QtGui import QGuiApplication, QResizeEvent
from PyQt6.QtWidgets import QSizePolicy, QWidget

from aggviewer.canvas import warmup
from aggviewer.canvas.camera import NO_ROOM, Camera, LegendRoom, Viewpoint
from aggviewer.canvas.image_surface import ImageSurface
from aggviewer.canvas.in_view import DiscsInView, to_pixels
from aggviewer.canvas.layers.layer import BackgroundLayers, Layer, LayerInput, Style
from aggviewer.canvas.layers.registry import Guard, Memories, in_scene, is_slow, layers, of_frame
from aggviewer.canvas.mouse import MouseWidget
from aggviewer.canvas.overlays import OverlayWidget
from aggviewer.canvas.picture import LARGEST, Over, Painter
from aggviewer.canvas.qt_drawing import from_qimage
from aggviewer.canvas.scene import Scene
from aggviewer.canvas.surface import Host, Surface, Trial
from aggviewer.document.model import field_events
from aggviewer.document.run import CameraPlace
from aggviewer.document.view import ViewModel
from aggviewer.latest_job import LatestJob
from aggviewer.session.coloring import Coloring
from aggviewer.session.notices import log
from aggviewer.style.numbers import TIME
from engine.boundary import Periodic
from engine.errors import InputError
from engine.state import Discs
from engine.system import Clock

_PICK_PIXELS = 3.0
_POLL_MS = 40
_KERNELS_AFTER_MS = 500
_TURNED_MS = 250  # after a turn, before the box is fitted again
_SETTLE_MS = 16  # between the frames in which that happens


class DiscCanvas(MouseWidget):
    """The picture of the discs; made by `create_canvas`. See the package for its use.

    Attributes
    ----------
    scene, view : the contents, and how they are drawn.
    notice : a sentence for the user, such as why there is no OpenGL; may be "".
    software : the software OpenGL renderer, if the canvas draws without OpenGL because of it; else "".
    trial : times both surfaces to find the faster one, if necessary; else None.
    frames_drawn : repaints with discs so far.

    Notes
    -----
    Signals: ``view_changed()`` after a pan, zoom or fit; ``has_painted()`` when a picture painted on another thread is
    ready, so that the next frame can be shown; for those of the mouse see `MouseWidget`.
    """

    view_changed = pyqtSignal()
    has_painted = pyqtSignal()
    _layer_taken = pyqtSignal()
    _view_altered = pyqtSignal()

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
        self._stale = False  # overlays are to be drawn with the next picture
        size = lambda: (self.width(), self.height())  # noqa: E731
        self._viewpoint = Viewpoint(self.scene, size, self._on_viewpoint, self._room, view)
        self._in_view = DiscsInView()  # finds the sphere under the pointer
        self._closed = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(160, 120)
        self._guard = Guard(self._on_layer_failed)
        self._memories: Memories = {}
        self._layer_taken.connect(self._on_layer_taken)
        self._background = BackgroundLayers(self._layer_taken.emit)
        self._layer_timer = QTimer(self)
        self._layer_timer.setSingleShot(True)
        self._layer_timer.timeout.connect(self._background.start_next)
        self._is_complete = False  # set at the end of this method: before, nothing can be laid out
        try:
            self._surface = make_surface(self, self)
        except Exception:
            self.setParent(None)  # only this method can delete a half-made canvas
            self.deleteLater()
            raise
        self._overlay = OverlayWidget(self, self, self._guard)
        self._place(self._surface)
        self._is_complete = True
        self._view_altered.connect(self._on_view)
        for event in field_events(view).values():
            event.connect(self._tell_view)
        self._settle_timer = QTimer(self)
        self._settle_timer.timeout.connect(self._on_settle)
        self._kernel_timer = QTimer(self)
        self._kernel_timer.setInterval(_POLL_MS)
        self._kernel_timer.timeout.connect(self._on_poll)
        self._warming_up: LatestJob | None = None

    # Contents

    def replace_discs(
        self,
        radii: ArrayLike,
        box: ArrayLike,
        periodic: Periodic | bool,
        *,
        clock: Clock = TIME,
        has_forces: bool = False,
    ) -> None:
        """Replace the discs by others; drop the frame and a gesture. The view stays unchanged, or fitted.

        Parameters
        ----------
        radii, box : (N,) and (d,), d = 2 or 3, in units of length of the scenario.
        periodic : along which axes the box is periodic, or one truth value for all.
        clock : the meaning of the time.
        has_forces : whether frames may have a force network.

        Raises
        ------
        InputError
            A radius or a side is not a finite number above 0.
        """
        self._surface.wait_idle()
        self.scene.replace_discs(radii, box, periodic, clock=clock, has_forces=has_forces)
        self._set_hover(-1)
        if self.gesture is not None:  # the gesture began on other discs
            self.drop_gesture()
        if self.fitted or (self.camera.pose is None) != (self.scene.dimensions == 2):
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
        strain: float = 0.0,
        lent: bool = False,
        discs: Discs | None = None,
    ) -> None:
        """Show these discs from the next repaint on; the arrays are copied, unless they are lent.

        Parameters
        ----------
        positions : (N, d), inside the box.
        scalar, coloring : the values for the colours, (N,), and their colouring.
        time : of the frame.
        radius_factor : radii at this time divided by those before any growth.
        layers : the data of the layers for this frame, see `layers_of`.
        strain : of the frame, see `engine.frame.Frame`.
        lent : the caller does not change the arrays until the next frame or other discs come.
        discs : radii and box of this frame; None if they have not changed.

        Raises
        ------
        InputError
            The number of discs is another one.
        """
        first, coloring_before, time_before = not self.scene.shown, self.scene.coloring, self.scene.time
        over_before, radius_before, box_before = self._lies_over(), self.scene.mean_radius, self.scene.box
        gravity_before, layers_before = self.scene.gravity, self.scene.of_frame.keys()
        self._surface.wait_idle()
        if discs is not None:
            self.scene.set_discs(discs)
        self.scene.set_frame(positions, scalar, coloring, time, radius_factor, layers, strain=strain, lent=lent)
        beside = self._surface.refresh()
        same = coloring == coloring_before and radius_before == self.scene.mean_radius and not self.scene.pinned
        same = same and gravity_before == self.scene.gravity
        if first or over_before or self._lies_over() or not same:
            self._stale = True
        if self.scene.box is not box_before and not np.array_equal(self.scene.box, box_before):
            self._stale = True
            if self.fitted:
                self.fit()
        elif first or not same or self.scene.of_frame.keys() != layers_before:
            self.refit()  # another legend may need more or less room
        if not beside:  # otherwise the overlay is drawn together with the picture
            self._draw_over(time != time_before)
        if self._pointer is not None and not self.hover_timer.isActive():
            self.hover_timer.start()

    def _lies_over(self) -> bool:
        """Whether a visible layer draws something of the frame."""
        style, data = Style(self.scene, self.camera, self.view), self.scene.of_frame
        return any(
            layer.name in data
            and layer.switched_on(self.view)
            and (layer.optional or layer.drawn(data[layer.name], style))
            for layer in layers()
        )

    def layers_of(self, given: LayerInput) -> dict[str, Any]:
        """The data that the visible layers take from a frame, for `show_frame`; a layer that fails is left out."""
        # what it is not asked about it forgets: it may be of other discs
        self._background.forget({one.name for one in layers() if one.switched_on(self.view) and is_slow(one, given)})
        return of_frame(in_scene(given, self.scene), self.view, self._guard, self._memories, self._background.take)

    def _on_layer_taken(self) -> None:
        """A slow layer is ready: show it, and start the next one when allowed."""
        if self._closed:
            return
        known = self._background.known()
        if self.scene.shown and known:
            others = {name: data for name, data in self.scene.of_frame.items() if name not in known}
            self.scene.of_frame = others | {name: data for name, data in known.items() if data is not None}
            self._overlay.update()
        wait = self._background.seconds_to_next()
        if wait is not None:
            self._layer_timer.start(round(1000.0 * wait) + 1)

    def _on_layer_failed(self, layer: Layer, error: Exception) -> None:
        """Report the error, and switch the layer off after the present painting."""
        log.error("the layer %s fails", layer.name, exc_info=error)
        again = " Switch it on to try again." if layer.optional else ""
        name = layer.label or layer.name
        self.notice = f"The layer “{name}” failed and was switched off: {type(error).__name__}: {error}.{again}"
        QTimer.singleShot(0, partial(layer.show, self.view, False))

    def explain(self, *, colors: bool, scale: bool) -> None:
        """Set whether this picture has the legend of the colours, and whether it has scale bar and time: one of each is
        enough for pictures side by side."""
        self.scene.legend, self.scene.scale = colors, scale
        self._overlay.update()

    def set_time_shown(self, on: bool) -> None:
        """Set whether this picture shows the time if the view asks for it; initially it does not."""
        self._overlay.set_time_shown(on)

    def pin(self, name: str, data: Any) -> None:
        """Let a layer draw `data`, in snapshots too, until they are replaced, removed (None), or other discs come."""
        if data is None:
            self.scene.pinned.pop(name, None)
        else:
            self.scene.pinned[name] = data
        self._overlay.update()

    def hide_discs(self, hidden: NDArray[np.bool_] | None) -> None:
        """Hide these discs, (N,), from the next frame on; None to draw all."""
        self.scene.hide(hidden)

    @property
    def ready(self) -> bool:
        """Whether there are discs, and neither drawing nor picking is waiting for the kernels."""
        return self.scene.shown and warmup.ready()

    @property
    def busy(self) -> bool:
        """Whether the scene is being painted on another thread, so that `show_frame` would wait."""
        return self._surface.busy

    @property
    def surface(self) -> str:
        """What draws the discs now: ``painter`` or ``opengl``."""
        return "painter" if isinstance(self._surface, ImageSurface) else "opengl"

    @property
    def renderer(self) -> str:
        """The name of the renderer, such as the OpenGL driver's, for the status bar."""
        return self._surface.renderer

    @property
    def fps(self) -> float:
        """Number of repaints with discs during the last second."""
        oldest = clock.perf_counter() - 1.0
        return float(sum(1 for time in self._drawn_at if time >= oldest))

    # The camera

    @property
    def camera(self) -> Camera:
        """The present view of the box; its sizes are in pixels of the widget."""
        return self._viewpoint.camera

    @property
    def fitted(self) -> bool:
        """Whether the whole box is kept in view, even after resizes."""
        return self._viewpoint.fitted

    @property
    def chosen_camera(self) -> Camera | None:
        """The camera for a picture or film of another size; None: the whole box."""
        return None if self.fitted else self.camera

    def fit(self) -> None:
        """Show the whole box, even after later resizes, until the view is moved."""
        self._viewpoint.fit()

    def zoom(self, factor: float, about: tuple[float, float] | None = None) -> None:
        """Zoom by `factor` > 0 about a widget pixel (default: the centre), within the limits."""
        self._viewpoint.zoom(factor, about)

    def pan(self, dx: float, dy: float) -> None:
        """Move the picture by (dx, dy) widget pixels, y down."""
        self._viewpoint.pan(dx, dy)

    def turn_by_drag(self, start: tuple[float, float], end: tuple[float, float], *, free: bool = False) -> None:
        """Turn a box in space by a drag from widget pixel to widget pixel. free : gravity need not stay vertical."""
        self.view.turn = self._viewpoint.turned(start, end, free=free)

    def set_view_rect(self, x: float, y: float, width: float, height: float) -> None:
        """Show this world rectangle (lower left corner and size) as large as possible."""
        self._viewpoint.show_rect(x, y, width, height)

    def centre_on(self, point: NDArray[np.float64], across: float = 0.0) -> None:
        """Centre the view on a point (d,), and show `across` world units around it; 0 keeps the scale."""
        x, y, *z = point.tolist()
        scale = min(self.width(), self.height()) / across if across else self.camera.scale
        self.set_place(CameraPlace(x=x, y=y, scale=scale, z=z[0] if z else 0.0))

    @property
    def place(self) -> CameraPlace | None:
        """The present view, None for the whole box; to be restored with `set_place`."""
        return self._viewpoint.place

    def set_place(self, place: CameraPlace | None) -> None:
        """Restore a view that was kept; None shows the whole box."""
        self._viewpoint.set_place(place)

    def show_as(self, other: DiscCanvas) -> None:
        """Take the view of another canvas: the same centre and scale, or the whole box if that is fitted."""
        self._viewpoint.show_as(other._viewpoint)

    def _room(self) -> LegendRoom:
        return self._overlay.room() if self._is_complete else NO_ROOM

    def refit(self) -> None:
        """Fit the view again if the overlays need more or less space than before."""
        if self._is_complete:
            self._viewpoint.refit()

    def _tell_view(self) -> None:
        """On any thread: a run that begins brings its own turn of the box. The picture follows on the GUI thread."""
        self._view_altered.emit()

    def _on_view(self) -> None:
        pose = self.camera.pose
        self._viewpoint.follow_view()
        if self._viewpoint.turning and self.camera.pose != pose:
            self._settle_timer.start(_TURNED_MS)
        self.refit()
        self._refresh()

    def _on_settle(self) -> None:
        """Fit the box again after a turn, once nobody holds it any more."""
        if QGuiApplication.mouseButtons() == Qt.MouseButton.NoButton:
            self._settle_timer.setInterval(_SETTLE_MS)
            self._viewpoint.settle()
        if not self._viewpoint.turning:
            self._settle_timer.stop()

    def _on_viewpoint(self) -> None:
        self._refresh()
        self.view_changed.emit()

    def _refresh(self) -> None:
        self._surface.widget.update()
        self._overlay.update()

    # Picking

    def disc_at(self, x: float, y: float) -> int | None:
        """The disc at a widget pixel, or the nearest one within three pixels; None if there is none."""
        if not self.ready:
            return None
        if self.camera.pose is not None:
            share = self.scene.drawn_share(self.view.layers)
            return self._in_view.at(self.scene, self.camera, x, y, _PICK_PIXELS, share)
        return self.scene.disc_at(*self.camera.to_world(x, y), _PICK_PIXELS / self.camera.scale)

    def on_scale(self, place: QPointF) -> bool:
        """Whether a widget pixel is on the colour scale."""
        return self._overlay.scale_rect().contains(place)

    def scale_corner(self) -> QPointF:
        """The upper right corner of the colour scale in widget pixels; the lower right corner of the widget if there is
        none."""
        scale = self._overlay.scale_rect()
        return QPointF(self.rect().bottomRight()) if scale.isEmpty() else scale.topRight()

    def cut_card(self) -> QRectF:
        """The card in the widget that says how much of a box in space is cut off; empty if nothing is."""
        return self._overlay.cut_card()

    def paint_gesture(self) -> None:
        """Paint the current gesture."""
        self._overlay.update()

    def covered(self) -> list[QRectF]:
        """The rectangles of time, scale bar and legend in the widget."""
        return self._overlay.covered()

    def hidden_by(self, rectangle: QRect) -> float:
        """A measure of how much of the picture something over this rectangle would hide: 10^6 for the legend, 1 for
        each disc, and 0.01 for each disc above or below it."""
        seen = rectangle.intersected(self.rect())
        if seen.isEmpty() or not self.scene.shown:
            return 0.0
        hidden = 1e6 if any(card.intersects(QRectF(seen)) for card in self.covered()) else 0.0
        at, radius = to_pixels(self.scene.positions, self.camera), float(self.scene.radii.max()) * self.camera.scale
        column = (at[:, 0] > seen.left() - radius) & (at[:, 0] < seen.right() + 1 + radius)
        inside = column & (at[:, 1] > seen.top() - radius) & (at[:, 1] < seen.bottom() + 1 + radius)
        return hidden + float(np.count_nonzero(inside)) + 0.01 * float(np.count_nonzero(column))

    # Pictures for files

    def snapshot(self, width: int, height: int, *, transparent: bool = False) -> NDArray[np.uint8]:
        """The present view as (height, width, 4) uint8 RGBA with straight alpha, of any size up to 32 767 pixels on a
        side.

        Drawn by the kernels, so it is the same on every machine. Waits for the kernels if necessary. Raises InputError
        for an invalid size. transparent : without background.
        """
        if not (1 <= width <= LARGEST and 1 <= height <= LARGEST):
            raise InputError(f"a snapshot has 1 to {LARGEST} pixels on a side, not {width} × {height}")
        warmup.warm_up()
        painter = Painter(Over.of(self.view).applied_to(self.view), self.font())
        if self.fitted:
            camera = painter.fitting(self.scene.sides, (width, height))
        else:
            camera = self.camera.rendered(width, height)
        return from_qimage(painter.image(self.scene, camera, transparent=transparent))

    # Called by the surface

    def drawn(self) -> None:
        """Count a repaint. The first one starts loading the kernels."""
        self.frames_drawn += 1
        if self.frames_drawn == 1 and not warmup.ready():
            QTimer.singleShot(_KERNELS_AFTER_MS, self.load_kernels)
        self._drawn_at.append(clock.perf_counter())
        if self.trial is not None and self.trial.times_painter(self.scene):
            QTimer.singleShot(0, self._try_painter)

    def painted(self) -> None:
        """Draw the overlays with the new picture, and allow the next frame."""
        self._draw_over(True)
        self.has_painted.emit()

    def _draw_over(self, later: bool) -> None:
        """Redraw the overlays if they have changed, or only the time if that is `later`."""
        if self._stale:
            self._overlay.update()
        elif later and self.view.show_time:
            self._overlay.update_time()
        self._stale = False

    def load_kernels(self) -> None:
        """Start compiling or loading the kernels in the background. They import numba, which would delay the first
        pictures of the window."""
        if self._warming_up is None and not self._closed:
            self._warming_up = warmup.start()
            if self._warming_up is not None:
                self._kernel_timer.start()

    def failed(self, reason: str) -> None:
        """Continue without OpenGL, after the paint event that failed."""
        if not self.notice:
            self.notice = f"OpenGL failed ({reason}); software rendering is used now."
            QTimer.singleShot(0, self._replace_surface)

    def _try_painter(self) -> None:
        """Time the painter, with one picture for each OpenGL picture so that the window does not stall. Then continue
        with the faster one."""
        trial, ratio = self.trial, self.devicePixelRatioF()
        if self._closed or trial is None or not trial.times_painter(self.scene):
            return
        trial.time_painter(self.scene, self.camera.magnified(ratio), self.view, ratio, self.renderer)
        if trial.result is not None:
            self.trial = None
            if trial.result.faster == "painter":
                self._replace_surface()

    def use_painter(self) -> None:
        """Continue without OpenGL: from now on the discs are drawn in software."""
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
        with suppress(Exception):  # a surface that failed may fail again when it is closed
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
        """Resize surface and overlay; the view keeps its fit, or its centre and scale."""
        if not self._is_complete:
            return
        self._surface.widget.setGeometry(self.rect())
        self._overlay.setGeometry(self.rect())
        self._viewpoint.resized()

    def close(self) -> bool:
        """Free the OpenGL objects, stop the timers and disconnect from the view model; afterwards the widget shows
        nothing."""
        if not self._closed:
            self._closed = True
            self.hover_timer.stop()
            self._kernel_timer.stop()
            self._layer_timer.stop()
            self._settle_timer.stop()
            for event in field_events(self.view).values():
                event.disconnect(self._tell_view)
            self._surface.close()
            self._background.close()
            if self._warming_up is not None:
                self._warming_up.close()
        return super().close()
