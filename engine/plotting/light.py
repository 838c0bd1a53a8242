"""The light on spheres and rods, which the painter's kernels, shaders and the gradients of vector files share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats

AMBIENT, DIFFUSE, GLOSS, RIM = 0.46, 0.56, 0.16, 0.3
"""The share of a colour that shows without light, what the light adds at most, how white its reflection is, and how
much darker the rim is."""

LIGHT = (-0.42, 0.56, 0.714)
"""The direction of the light in the picture: from the left, above, and the viewer."""

HALFWAY = (-0.227, 0.3025, 0.926)
"""The direction halfway between the light and the viewer."""

CUT = 0.92
"""The share of a colour that shows on the flat face of a sphere that a slab cuts: bright, and told from spheres by
being flat."""

FOCUS = (-0.3, 0.4)
"""Where the radial gradient of a sphere in a vector file begins, in radii from the middle, to the right and up. It ends
at the outline."""

STOPS = (0.0, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95, 1.0)
"""The places of its colours between both."""

_SHADE = np.array([1.0, 0.98, 0.93, 0.86, 0.74, 0.63, 0.52, 0.41])
_SHINE = np.array([0.15, 0.13, 0.04, 0.0, 0.0, 0.0, 0.0, 0.0])
"""The colour of the sphere and the white of the light in these: what the kernels paint, fitted to the gradient."""

_SHARES = 32  # of light and of distance that are told apart: so many spheres share a gradient


def gradients(
    colors: Floats, keeps: Floats, far: Floats, ground: Floats, flat: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.uint8], NDArray[np.intp]]:
    """The different gradients of spheres.

    Parameters
    ----------
    colors : (N, 3), 0…255, without light.
    keeps : (N,), the share of light that neighbours leave.
    far : (N,), the share of the background that is mixed into what is far away.
    ground : (3,), the background, 0…255.
    flat : (N,), which are faces that a slab has cut, of one colour; None for none.

    Returns
    -------
    The colours at the `STOPS` (G, S, 3), and which gradient each sphere has (N,).
    """
    keeps, far = (np.rint(_SHARES * share)[:, np.newaxis, np.newaxis] / _SHARES for share in (keeps, far))
    shade = np.tile(_SHADE, (len(colors), 1)) * keeps[..., 0]
    shine = np.tile(_SHINE, (len(colors), 1)) * keeps[..., 0]
    if flat is not None:
        shade[flat], shine[flat] = CUT, 0.0
    lit = colors[:, np.newaxis] * shade[..., np.newaxis] + 255.0 * shine[..., np.newaxis]
    seen = np.clip(np.rint((1.0 - far) * lit + far * ground), 0, 255).astype(np.uint8)
    rows, which = np.unique(seen.reshape(len(seen), len(STOPS) * 3), axis=0, return_inverse=True)
    return rows.reshape(-1, len(STOPS), 3), which.reshape(-1)
