"""Colours as people see them, the colour-blind too: CIELAB of sRGB colours under four kinds of sight. No Qt."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SIGHTS: Floats = np.array(
    [
        np.eye(3),
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    ]
)
"""Linear sRGB to linear sRGB: normal sight, protanopia, deuteranopia, tritanopia (Machado et al. 2009, severity 1)."""

_XYZ = np.array(  # of linear sRGB, over that of white (D65)
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
_XYZ = _XYZ / _XYZ.sum(axis=1, keepdims=True)
_BEND = 6.0 / 29.0


def rgb(names: tuple[str, ...]) -> Floats:
    """(n, 3), 0 … 1, of #rrggbb."""
    return np.array([[int(name[i : i + 2], 16) for i in (1, 3, 5)] for name in names]) / 255.0


def lab(colors: Floats) -> Floats:
    """CIELAB (4, n, 3) of sRGB colours (n, 3), 0 … 1, under each of `SIGHTS`."""
    linear = np.where(colors <= 0.04045, colors / 12.92, ((colors + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.einsum("sij,nj->sni", SIGHTS, linear), 0.0, 1.0)
    t = seen @ _XYZ.T
    f = np.where(t > _BEND**3, np.cbrt(t), t / (3.0 * _BEND**2) + 4.0 / 29.0)
    return np.stack(
        [116.0 * f[..., 1] - 16.0, 500.0 * (f[..., 0] - f[..., 1]), 200.0 * (f[..., 1] - f[..., 2])], axis=-1
    )


def least_difference(one: Floats, others: Floats) -> float:
    """The smallest distance in CIELAB between a color (3,) and others (n, 3), whichever of the sights; inf for none."""
    if not len(others):
        return float("inf")
    labs = lab(np.vstack([one, others]))
    return float(np.linalg.norm(labs[:, 1:] - labs[:, :1], axis=-1).min())
