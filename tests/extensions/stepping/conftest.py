"""One window for all modules of this folder."""

from tests.canvas.conftest import kernels, make_canvas, view  # noqa: F401
from tests.window.window_of_folder import colors_of_the_desktop, shared_window  # noqa: F401
