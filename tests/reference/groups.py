"""What `engine.analysis.group_labels` finds, by counting: the plain twin of its kernels."""

from __future__ import annotations

import numpy as np


def counts_to_two(labels, count):
    """0, 1 or 2 for each label below `count`: it has no disc, one, or more."""
    return np.minimum(np.bincount(labels, minlength=count), 2)


def largest(labels, most):
    """The labels of the largest groups of two or more, the largest first, of equal ones the smaller label first."""
    sizes = np.bincount(labels)
    ranked = sorted(np.flatnonzero(sizes >= 2).tolist(), key=lambda label: (-sizes[label], label))
    return ranked[:most]
