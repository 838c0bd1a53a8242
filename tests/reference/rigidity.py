"""Whether contacts hold discs: the rank of the plain rigidity matrix, and loads on discs that may only press."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from engine.boundary import Periodic
from tests.reference.jamming import images


def touching(positions, radii, box, periodic, near=1e-9):
    """All contacts with a gap below `near` of a diameter, of discs with every image, each once, and with walls: a list
    of (i, j, unit vector from j to i), j = -1 for a wall. A disc's own images are left out: they move with it.
    """
    near = near * 2.0 * radii.mean()
    found = []
    for shift in images(box, periodic):
        for i in range(len(radii)):
            for j in range(i + 1, len(radii)):
                apart = positions[i] - positions[j] - shift
                if np.linalg.norm(apart) - radii[i] - radii[j] <= near:
                    found.append((i, j, apart / np.linalg.norm(apart)))
    for i in range(len(radii)):
        for axis in Periodic.of(periodic, len(box)).walls:
            unit = np.eye(len(box))[axis]
            if positions[i, axis] - radii[i] <= near:
                found.append((i, -1, unit))
            if box[axis] - positions[i, axis] - radii[i] <= near:
                found.append((i, -1, -unit))
    return found


def rigidity(contacts, discs, d):
    """The rigidity matrix, a row for each contact and d columns for each of these discs."""
    place = {disc: k for k, disc in enumerate(discs)}
    rows = np.zeros((len(contacts), d * len(discs)))
    for k, (i, j, unit) in enumerate(contacts):
        rows[k, d * place[i] : d * place[i] + d] += unit
        if j >= 0:
            rows[k, d * place[j] : d * place[j] + d] -= unit
    return rows


def motions_at_no_cost(contacts, d, periodic):
    """Motions of the discs with contacts, beside the common translations along periodic axes, that to first order
    change no length of a contact: degrees of freedom less the rank, from the singular values.
    """
    discs = sorted({disc for contact in contacts for disc in contact[:2] if disc >= 0})
    sizes = np.linalg.svd(rigidity(contacts, discs, d), compute_uv=False)
    return d * len(discs) - int((sizes > 1e-7).sum()) - len(Periodic.of(periodic, d).axes)


def farthest_motion(contacts, discs, d, periodic):
    """How far any of `discs` goes, relative to the first one along periodic axes, if random loads of both signs drive
    all discs, no contact closes further, and nothing moves by more than 1 along an axis: 0 where contacts hold them.
    """
    everyone = sorted({disc for contact in contacts for disc in contact[:2] if disc >= 0})
    opening = rigidity(contacts, everyone, d)
    bounds = [(-1.0, 1.0)] * opening.shape[1]
    fixed = d * everyone.index(discs[0])
    for axis in Periodic.of(periodic, d).axes:
        bounds[fixed + axis] = (0.0, 0.0)
    loads = np.random.default_rng(0).standard_normal(opening.shape[1])
    farthest = 0.0
    for load in (loads, -loads):
        answer = linprog(-load, A_ub=-opening, b_ub=np.zeros(len(contacts)), bounds=bounds)
        assert answer.status == 0
        moved = np.abs(answer.x.reshape(-1, d))
        farthest = max(farthest, float(moved[[everyone.index(disc) for disc in discs]].max()))
    return farthest


def of_packing(packing):
    """The contacts with a force of a packing, as `touching` gives them, and their discs."""
    units = packing.contact_vectors / np.linalg.norm(packing.contact_vectors, axis=1)[:, None]
    contacts = [(i, max(j, -1), unit) for (i, j), unit in zip(packing.contacts.tolist(), units, strict=True)]
    return contacts, sorted({disc for contact in contacts for disc in contact[:2] if disc >= 0})
