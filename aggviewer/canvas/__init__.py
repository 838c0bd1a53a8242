"""The picture of the discs: a widget that draws with OpenGL or, without it, in software. GUI thread only.

``create_canvas(parent, view) -> DiscCanvas`` tries a surface with OpenGL (VisPy, instanced quads), or else takes one
that draws into an image with compiled kernels. On both surfaces the picture is the same. The environment variable
``AGGVIEWER_CANVAS`` (``opengl`` or ``painter``) forces one of them. If OpenGL does not work, ``canvas.notice`` has a
sentence for the user, else it is empty.

The canvas belongs in the central widget of a window (`Stage`), never in a dock: floating a dock destroys its OpenGL
context.

To show a picture, call ``replace_discs`` and then ``show_frame`` for each frame: the arrays are copied and drawn at the
next repaint, so several frames between two repaints cost only one drawing. Frames never move the view; a resize keeps
its centre and scale, or the fit if the box was fitted. ``snapshot`` draws the same picture for a file.

Dragging with the left or middle button pans, the wheel zooms about the pointer, a double-click fits. Keys belong to the
window. The canvas follows ``view`` (`aggviewer.document.view.ViewModel`): ``colormap``, ``background``,
``show_scale_bar``, ``show_legend``, ``show_time``, ``show_box``. ``view.color_by`` is for the session, which computes
the scalar.

The first canvas starts a thread that loads the kernels; at the first start of a version, a child process compiles them
before. Until they are ready the canvas shows its background. ``warm_up()`` loads them in the calling thread.
"""

from aggviewer.canvas.base import DiscCanvas
from aggviewer.canvas.create import create_canvas
from aggviewer.canvas.warmup import warm_up

__all__ = ["DiscCanvas", "create_canvas", "warm_up"]
