"""The picture of the discs: one widget, drawn with OpenGL or, where there is none, by the program. GUI thread only.

``create_canvas(parent, view) -> DiscCanvas`` tries OpenGL (VisPy, instanced quads) and falls back to a canvas that
draws into an image with compiled kernels. Both have the same methods and the same picture. The environment
variable ``AGGVIEWER_CANVAS`` (``opengl`` or ``painter``) forces one of them. Where the fallback was needed,
``canvas.notice`` holds a plain sentence for the person, else it is empty.

The canvas is made to be the central widget of a window, never to live in a dock: floating a dock destroys its
OpenGL context.

A picture is shown with ``set_system`` and then ``show_frame`` for each frame: the arrays are copied, and the drawing
happens at the next repaint, so that several frames between two repaints cost one. Frames never move the view; a resize
keeps its middle and scale, or the fit where the box was fitted. ``snapshot`` draws the same picture for a file.

Dragging with the left or middle button pans, the wheel zooms about the pointer, a double click fits. Keys belong to
the window. The canvas follows ``view`` (`aggviewer.document.view.ViewModel`) by itself: ``colormap``, ``background``,
``show_scale_bar``, ``show_legend``, ``show_time``, ``show_box``. ``view.color_by`` is for who makes the scalar: the
session.

The kernels are loaded by a thread that the first canvas starts, at the first start of a version after a child process
has compiled them; until they are ready the canvas shows its background. ``warm_up()`` does it in the calling thread.
"""

from aggviewer.canvas.base import DiscCanvas
from aggviewer.canvas.create import create_canvas
from aggviewer.canvas.warmup import warm_up

__all__ = ["DiscCanvas", "create_canvas", "warm_up"]
