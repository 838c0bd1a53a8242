"""The schemes (3.17) and (3.22) written out plainly, in the plane and in space: every disc, every link, every
iteration; no safeguard but λ >= 0."""

from __future__ import annotations

import numpy as np


def overlap_function(x, radii, links):
    """φ (3.4) in units of ((R_i + R_j) / 2)², and X_i - X_j, for each link."""
    i, j = links[:, 0], links[:, 1]
    d = x[i] - x[j]
    sigma = radii[i] + radii[j]
    return (sigma**2 - (d**2).sum(axis=1)) / (sigma / 2) ** 2, d


def gradient(x, radii, links, multiplier):
    """∂L/∂X (3.8): for each disc the sum of (1 - 2 λ) (X_i - X_j)."""
    _, d = overlap_function(x, radii, links)
    pull = (1 - 2 * multiplier)[:, None] * d
    out = np.zeros_like(x)
    np.add.at(out, links[:, 0], pull)
    np.add.at(out, links[:, 1], -pull)
    return out


def run(x, radii, links, iterations, *, alpha, beta, gamma, c, damped):
    """Positions after each iteration, (iterations + 1, N, d), and the multipliers at the end."""
    x = np.array(x, float)
    old = x.copy()
    multiplier = np.full(len(links), 0.5)
    kept = [x.copy()]
    for _ in range(iterations):
        force = alpha * gradient(x, radii, links, multiplier)
        if damped:
            phi, d = overlap_function(x, radii, links)
            term = (gamma * multiplier * phi)[:, None] * (-2 * d)
            np.add.at(force, links[:, 0], term)
            np.add.at(force, links[:, 1], -term)
            new = (2 * x - (1 - c / 2) * old - force) / (1 + c / 2)
        else:
            new = x - force
        old, x = x, new
        phi, _ = overlap_function(x, radii, links)
        multiplier = np.maximum(0, multiplier + beta * phi)
        kept.append(x.copy())
    return np.array(kept), multiplier
