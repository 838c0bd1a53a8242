"""Lightness, chroma and differences of colours, also as the colour-blind see them: after Viénot et al. (1999) and
Brettel et al. (1997) beside Machado et al. (2009), which the product uses. Written anew here."""

from __future__ import annotations

import numpy as np

MATRICES = {
    "normal": np.eye(3),
    "protan, Machado": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deutan, Machado": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritan, Machado": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.3039],
    ],
    "protan, Viénot": [[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]],
    "deutan, Viénot": [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]],
}

MACHADO = tuple(MATRICES)[:4]


def rgb_of(names: tuple[str, ...]) -> np.ndarray:
    """(n, 3), 0 … 255, of colours ``#rrggbb``."""
    return np.array([[int(name[at : at + 2], 16) for at in (1, 3, 5)] for name in names])


def contrast(color: str, ground: str) -> float:
    """By WCAG 2, 1 to 21."""
    c = rgb_of((color, ground)) / 255.0
    linear = np.where(c > 0.04045, ((c + 0.055) / 1.055) ** 2.4, c / 12.92)
    low, high = sorted(linear @ (0.2126, 0.7152, 0.0722))
    return float((high + 0.05) / (low + 0.05))


def cielab(rgb: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """(n, 3) of colours 0 … 255."""
    c = np.asarray(rgb, float) / 255.0
    linear = np.where(c > 0.04045, ((c + 0.055) / 1.055) ** 2.4, c / 12.92)
    seen = np.clip(linear @ np.asarray(matrix).T, 0.0, 1.0)
    x = 0.4124564 * seen[:, 0] + 0.3575761 * seen[:, 1] + 0.1804375 * seen[:, 2]
    y = 0.2126729 * seen[:, 0] + 0.7151522 * seen[:, 1] + 0.0721750 * seen[:, 2]
    z = 0.0193339 * seen[:, 0] + 0.1191920 * seen[:, 1] + 0.9503041 * seen[:, 2]

    def f(t: np.ndarray) -> np.ndarray:
        return np.where(t > 216 / 24389, np.cbrt(t), (24389 / 27 * t + 16) / 116)

    fx, fy, fz = f(x / 0.95047), f(y), f(z / 1.08883)
    return np.stack([116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)], axis=1)


def differences(rgb: np.ndarray, sights: tuple[str, ...] = tuple(MATRICES)) -> np.ndarray:
    """(n, n): distance in CIELAB for the sight that sees the least of it."""
    labs = [cielab(rgb, np.asarray(MATRICES[name])) for name in sights]
    return np.min([np.linalg.norm(one[:, None] - one, axis=-1) for one in labs], axis=0)
