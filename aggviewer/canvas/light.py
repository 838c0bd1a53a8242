"""The light on spheres, the same for kernels and shaders."""

from __future__ import annotations

AMBIENT, DIFFUSE, GLOSS, RIM = 0.46, 0.56, 0.16, 0.3
"""The share of a colour that shows without light, what the light adds at most, how white its reflection is, and how
much darker the rim is."""

LIGHT = (-0.42, 0.56, 0.714)
"""The direction of the light in the picture: from the left, above, and the viewer."""

HALFWAY = (-0.227, 0.3025, 0.926)
"""The direction halfway between the light and the viewer."""

CUT = 0.72
"""The share of a colour that shows on the flat face of a sphere that a slab cuts; darker than a face in full light, so
that cuts are told from spheres."""
