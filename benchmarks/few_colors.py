"""Pictures for docs/ and resources/ as small files."""

from __future__ import annotations

import io

from PIL import Image
from PyQt6.QtGui import QImage

from aggviewer.export.files import png_bytes


def few_colors(image: QImage, colors: int) -> bytes:
    """A PNG of so many colours, at most 256: a third of the bytes, and with enough of them no eye sees a difference."""
    with Image.open(io.BytesIO(png_bytes(image))) as found:
        few = found.convert("RGB").quantize(colors, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    written = io.BytesIO()
    few.save(written, "PNG", optimize=True)
    return written.getvalue()
