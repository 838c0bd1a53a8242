"""The base class of layers: data of a frame, drawn over the discs, with a legend and a switch. Slow layers are computed
on a thread from the newest frame, for a limited share of the time."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from aggviewer.canvas import colors
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.layers.primitives import Color, Primitive
from aggviewer.canvas.legend import Entry, Key
from aggviewer.canvas.scene import Scene, all_seen
from aggviewer.document.view import ViewModel
from aggviewer.latest_job import LatestJob
from engine.boundary import Periodic
from engine.frame import Frame
from engine.plotting.projection import HAZE
from engine.words import body_names


@dataclass(frozen=True, eq=False)
class LayerInput:
    """What a layer is given: a frame with its discs, from which it takes its data.

    Attributes
    ----------
    radii : (N,), before growth (`Frame.radius_factor`).
    box : (d,), its sides, d = 2 or 3.
    periodic : along which axes the box is periodic, or one truth value for all. In a flow the offset
        of the images is that of the frame.
    lasts : duration of flashes in simulation time; 0 for events at the time of the frame only, None for none.
    chosen : the numbers of the selected discs; None or empty for none.
    hidden : (N,), the hidden discs: a layer does not draw them, though it may compute with all discs; None for none.
    memory : the result of `Layer.new_memory` for this picture.
    of : an object that identifies the discs, even if their radii change; None: the array of radii identifies them.
    """

    frame: Frame
    radii: NDArray[np.float64]
    box: NDArray[np.float64]
    periodic: Periodic
    lasts: float | None = None
    chosen: NDArray[np.int64] | None = None
    hidden: NDArray[np.bool_] | None = None
    memory: Any = None
    of: object = None

    def __post_init__(self) -> None:
        around = Periodic.of(self.periodic, len(self.box)).strained(self.frame.strain, self.box)
        object.__setattr__(self, "periodic", around)

    def same_discs(self, other: LayerInput) -> bool:
        """Whether another input shows the same discs."""
        return self.radii is other.radii if self.of is None else self.of is other.of

    @property
    def present_radii(self) -> NDArray[np.float64]:
        """The radii of the discs (N,) at the time of the frame; they grow while discs jam."""
        return self.radii if self.frame.radius_factor == 1.0 else self.radii * self.frame.radius_factor

    def seen(self, discs: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Whether each disc, (K,), or pair of discs, (K, 2), is visible. Numbers below 0 are walls."""
        return all_seen(self.hidden, discs)


@dataclass(frozen=True)
class Style:
    """The view and background on which a layer is drawn."""

    scene: Scene
    camera: Camera
    view: ViewModel

    @property
    def dark(self) -> bool:
        """Whether the background is dark, so that lines and text must be light."""
        return self.view.dark

    @property
    def diameter(self) -> float:
        """The diameter of a mean disc in pixels."""
        return 2.0 * self.scene.mean_radius * self.camera.scale

    def ink(self, on_dark: str, on_light: str, alpha: float = 1.0) -> Color:
        """The one of two colours ``#rrggbb`` that is readable on the background."""
        return Color.of(on_dark if self.dark else on_light, alpha)

    @property
    def background(self) -> Color:
        """The background colour of the picture."""
        return Color(*self.view.background_rgb)

    @property
    def haze(self) -> tuple[Color, float] | None:
        """The colour into which what is far away in space fades, and its share at the back; None if it does not."""
        return (self.background, HAZE) if self.view.depth_fades else None

    def halo(self, alpha: float = 1.0) -> Color:
        """The colour of halos around ink, that of the background, so that ink stands out from any disc."""
        return Color(*self.view.background_rgb, 0.8 * alpha)

    def table(self) -> NDArray[np.uint8]:
        """The 256 colours in which the discs are drawn, (256, 4), red, green, blue and alpha."""
        return colors.scene_table(self.scene, self.view)


class Layer(ABC):
    """A kind of drawing over the discs. To add one, write a subclass in its own file and call `register`.

    Attributes
    ----------
    name : its key among `ViewModel.layers` and in ``--layer``.
    label, tip, keys : of the command that switches it; command : its id, "" for one made from the name.
    icon : a name of qtawesome's bundled fonts, for its button; "" for none.
    optional : whether it has a switch in the view; otherwise it cannot be switched.
    momentary : whether it belongs to watching, or to a session, and is left out of pictures and films of files.
    even_hidden : whether its data are cheap, and taken even while it is switched off.
    cut : whether it is cut at the periodic edges of the box.
    apart_from : the number of discs from which `take` is so slow that a window calls it on another thread with a copy
        of the frame, so that the drawing lags behind. 0 for never.
    missing : the text, after its label, if a frame has no data for it: ``no discs touch``.
    too_small : the text if discs are too small for it.
    opacity : its default opacity; 1 is opaque.
    dimensions : of the boxes in which it has a meaning, 2 for discs and 3 for spheres.
    below : the name of an earlier layer, directly below which it is painted; "" for above all of them.
    """

    name: ClassVar[str]
    label: ClassVar[str] = ""
    tip: ClassVar[str] = ""
    keys: ClassVar[tuple[str, ...]] = ()
    command: ClassVar[str] = ""
    icon: ClassVar[str] = ""
    momentary: ClassVar[bool] = False
    optional: ClassVar[bool] = True
    even_hidden: ClassVar[bool] = False
    cut: ClassVar[bool] = True
    apart_from: ClassVar[int] = 0
    missing: ClassVar[str] = ""
    too_small: ClassVar[str] = ""
    opacity: ClassVar[float] = 1.0
    dimensions: ClassVar[tuple[int, ...]] = (2,)
    below: ClassVar[str] = ""

    def switched_on(self, view: ViewModel) -> bool:
        """Whether the layer is switched on; one without a switch always is."""
        return not self.optional or self.name in view.layers

    def visible(self, view: ViewModel) -> bool:
        """Whether the layer draws its data in this view."""
        return self.switched_on(view)

    def show(self, view: ViewModel, on: bool) -> None:
        """Switch the layer on or off."""
        others = tuple(name for name in view.layers if name != self.name)
        view.layers = (*others, self.name) if on else others

    def opacity_in(self, view: ViewModel) -> float:
        """The opacity of the layer in a view, 0 … 1."""
        return view.opacities.get(self.name, self.opacity)

    @property
    def command_id(self) -> str:
        """The id of the command that switches it on and off."""
        return self.command or f"view.show_{self.name}"

    def new_memory(self) -> Any:
        """Make an object that remembers earlier frames for `take`, one for each picture. None if it is not needed."""
        return None

    def available(self, frame: Frame | None) -> bool:
        """Whether a frame has data for it, so that its switch is offered. None: there is no frame yet."""
        return True

    @abstractmethod
    def take(self, given: LayerInput) -> Any:
        """The data of this layer for a frame, in its own arrays; None if the frame has nothing for it."""

    @abstractmethod
    def marks(self, data: Any, style: Style) -> Iterable[Primitive]:
        """The primitives for the data of `take`, in drawing order; empty if discs are too small."""

    def drawn(self, data: Any, style: Style) -> bool:
        """Whether discs are large enough for it at the present zoom."""
        return True

    def says(self, data: Any, style: Style) -> str:
        """Why it draws nothing, in a few words after its label; "" if it draws something."""
        if data is None:
            hides = self.missing and style.scene.hidden is not None
            words = f"{self.missing}; some {{discs}} are hidden" if hides else self.missing
            return body_names(style.scene.dimensions).fill(words)
        return "" if self.drawn(data, style) else self.too_small

    def covers(self, data: Any, style: Style) -> NDArray[np.int64]:
        """The numbers of the discs that it covers, so that their colours are not seen, (k,)."""
        return np.zeros(0, np.int64)

    def legend(self, data: Any, style: Style, key: Key) -> Sequence[Entry]:
        """The entries of the layer in the legend. data : None if the frame has nothing for the layer."""
        return ()


DUTY = 0.25
"""Share of the time that the thread may work: after d seconds of work it rests for at least d / DUTY - d, except after
the first computation of a layer, most of which may be loading or compiling."""


@dataclass(frozen=True, eq=False)
class _Result:
    """The data of a layer for a frame, or its error."""

    layer: Layer
    given: LayerInput
    data: Any
    error: Exception | None = None

    def fits(self, layer: Layer, given: LayerInput) -> bool:
        """Whether it belongs to these discs and to this version of the layer."""
        return self.layer is layer and self.given.same_discs(given)


class BackgroundLayers:
    """A thread for one computation at a time. All calls come from the GUI thread.

    Parameters
    ----------
    on_done : called on the thread when a result is ready.
    clock : wall time in seconds.
    """

    def __init__(self, on_done: Callable[[], None], clock: Callable[[], float] = time.perf_counter) -> None:
        self._on_done = on_done
        self._clock = clock
        self._results: dict[str, _Result] = {}
        self._waiting: dict[str, tuple[Layer, LayerInput]] = {}  # the newest frame for each layer, owned by the caller
        self._working = False
        self._first_done: set[Layer] = set()  # used only by the thread
        self._last = ""
        self._not_before = 0.0
        self._thread = LatestJob("aggviewer-layers")

    def take(self, layer: Layer, given: LayerInput) -> Any:
        """The latest available data of the layer, None before there are any.

        Raises the layer's exception.
        """
        self._waiting[layer.name] = layer, given
        self.start_next()
        result = self._results.get(layer.name)
        if result is None or not result.fits(layer, given):
            return None
        if result.error is not None:
            del self._results[layer.name]
            raise result.error
        return result.data

    def known(self) -> dict[str, Any]:
        """The latest results for the present discs, by the names of the layers; no errors."""
        found = {}
        for name, (layer, given) in self._waiting.items():
            result = self._results.get(name)
            if result is not None and result.error is None and result.fits(layer, given):
                found[name] = result.data
        return found

    def seconds_to_next(self) -> float | None:
        """Seconds until the thread takes the next computation; None if there is none."""
        return max(self._not_before - self._clock(), 0.0) if self._due() else None

    def start_next(self) -> None:
        """Start the next layer whose result is not of the newest frame, if the thread is free and has rested."""
        due = self._due()
        if not due or self._working or self._clock() < self._not_before:
            return
        # in turn
        name = next((name for name in due if name > self._last), due[0])
        self._last = name
        layer, given = self._waiting[name]
        copy = Frame.empty(0)
        copy.take(given.frame)
        self._working = True
        self._thread.submit(partial(self._take, layer, replace(given, frame=copy)))

    def forget(self, shown: set[str]) -> None:
        """Keep only the results of these layers."""
        for kept in (self._results, self._waiting):
            for name in [name for name in list(kept) if name not in shown]:
                kept.pop(name, None)

    def close(self) -> None:
        """End the thread when its computation is done."""
        self._thread.close()

    def _due(self) -> list[str]:
        found = []
        for name in sorted(self._waiting):
            layer, given = self._waiting[name]
            result = self._results.get(name)
            fits = result is not None and result.fits(layer, given)
            if not fits or result is None or not _same_state(result.given, given):
                found.append(name)
        return found

    def _take(self, layer: Layer, given: LayerInput) -> None:
        """Compute the data of a layer, on the thread."""
        began = self._clock()
        try:
            result = _Result(layer, given, layer.take(given))
        except Exception as error:  # a plug-in may raise anything
            result = _Result(layer, given, None, error)
        took = self._clock() - began
        self._results[layer.name] = result
        self._not_before = began + took / DUTY if layer in self._first_done else 0.0
        self._first_done.add(layer)
        self._working = False
        self._on_done()


def _same_state(one: LayerInput, other: LayerInput) -> bool:
    """Whether a layer draws the same for both inputs, which have the same discs."""
    return one.frame.time == other.frame.time and one.hidden is other.hidden
