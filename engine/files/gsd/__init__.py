"""GSD files: trajectories in HOOMD's schema, which HOOMD-blue, OVITO and freud share, and our recordings."""

from __future__ import annotations

from engine.files.formats import Format
from engine.files.gsd.reader import GsdTrajectory
from engine.files.gsd.writer import GsdWriter, write_gsd

FORMAT = Format(
    name="GSD",
    label="GSD, for OVITO, freud and HOOMD",
    suffixes=(".gsd",),
    reads=GsdTrajectory,
    writes=write_gsd,
    records=GsdWriter,
    needs=("box", "radii"),
)
