"""What neighbours hide from the points of spheres, one pair after the other."""

from __future__ import annotations

import numpy as np


def hidden(positions, radii, axes, number, normals, reach):
    """How much neighbours hide from the points of one sphere with these normals, (K,).

    positions, radii : (N, 3) and (N,). axes : (3, 3), of the camera: to the right, up, and towards the viewer. number :
    of the sphere. normals : (K, 3), of length 1, along these axes. reach : distance of two centres, in radii of the
    larger sphere, from which there are no shadows.
    """
    found = np.zeros(len(normals))
    for other, (place, radius) in enumerate(zip(positions, radii, strict=True)):
        between = axes @ (place - positions[number])
        distance = np.linalg.norm(between)
        far = reach * max(radius, radii[number])
        if other == number or not distance < far:
            continue
        cosine = normals @ between / distance
        share = 2.2 * (radius / distance) ** 2 * (1.0 - (distance / far) ** 2) ** 2
        found += share * (1.0 + 2.4 * cosine + 2.5 * (3.0 * cosine**2 - 1.0) / 2.0)
    return found
