"""The picture of the discs: one widget, drawn with OpenGL or, where there is none, by the program. GUI thread only.

``create_canvas(parent, view) -> DiscCanvas`` tries OpenGL (VisPy, instanced quads) and falls back to a canvas that
draws into an image with compiled kernels. Both have the same methods and the same picture. The environment
variable ``AGGVIEWER_CANVAS`` (``opengl`` or ``painter``) forces one of them. Where the fallback was needed,
``canvas.notice`` holds a plain sentence for the person, else it is empty.

The canvas is made to be the central widget of a window, never to live in a dock: floating a dock destroys its
OpenGL context.

DiscCanvas (a QWidget)
    - ``set_system(radii, box, periodic, *, clock=TIME, has_forces=False)``: radii (N,), box (2,), in units
      of the scenario's length. Forgets the frame shown before; fits the view where the box is another one. clock: what
      the time counts; has_forces: frames may have a force network.
    - ``show_frame(positions, scalar, coloring, time, radius_factor=1.0, layers=None)``:
      positions (N, 2) float64 or float32 inside the box, scalar (N,) float32 and its ``Coloring`` from
      `aggviewer.session.publish.coloring`, simulation time, the radii now over those of the system, and what lies over
      the discs (`aggviewer.canvas.layers.registry.of_frame`). The arrays are copied.
      The drawing itself happens at the next repaint, so that several frames between two repaints cost one.
    - ``explain_colors(here)``: whether this picture has the legend; of pictures side by side one is enough.
    - ``show_marks(marks)``: links, overlaps in red and arrows (`aggviewer.canvas.layers.steps`) over the discs.
    - ``fit()``: the whole box in view. ``zoom(factor, about=None)``: about a widget pixel (x, y), default the middle.
      ``pan(dx, dy)``: the picture moves by so many widget pixels (y down, as Qt counts).
      ``set_view_rect(x, y, width, height)``: this world rectangle in view, aspect kept. ``camera``: the present one.
      ``fitted``: whether `fit` is kept.
      Frames never move the view; a resize keeps its centre and scale, or the fit where the box was fitted.
    - ``snapshot(width, height, *, transparent=False) -> (height, width, 4) uint8``, RGBA, straight alpha, of the world
      rectangle in view (more of it where the aspect differs) with box, scale bar, legend and time as shown.
    - ``ready``: there are discs, and they can be drawn at once.
    - ``renderer``: a text for the status bar. ``notice``: see above. ``frames_drawn``: repaints with discs so far.
      ``fps``: repaints a second over the last second, 0.0 when nothing was drawn in it.
    - ``disc_at(x, y) -> int | None``: the disc at a widget pixel, or the nearest within three pixels.
    - Signal ``hovered(int)``: the disc under the pointer changed, -1 for none; the tooltip is the window's to show.
      Signal ``view_changed()``: pan, zoom or fit.
    - ``close()``: frees the OpenGL objects and stops listening to the view model.

Dragging with the left or middle button pans, the wheel zooms about the pointer, a double click fits. Keys belong to
the window. The canvas follows ``view`` (`aggviewer.session.view.ViewModel`) by itself: ``colormap``, ``background``,
``show_scale_bar``, ``show_legend``, ``show_time``, ``show_box``. ``view.color_by`` is for who makes the scalar: the
session.

The kernels are loaded by a thread that the first canvas starts, at the first start of a version after a child process
has compiled them; until they are ready the canvas shows its background. ``warm_up()`` does it in the calling thread.
"""

from aggviewer.canvas.base import DiscCanvas
from aggviewer.canvas.create import create_canvas
from aggviewer.canvas.warmup import warm_up

__all__ = ["DiscCanvas", "create_canvas", "warm_up"]
