"""LAMMPS files: dumps hold trajectories, data files hold one state. The first line tells them apart."""

from __future__ import annotations

from engine.files.formats import Format
from engine.files.lammps.bonds import write_bonds_beside
from engine.files.lammps.common import is_dump
from engine.files.lammps.data import DataState
from engine.files.lammps.dump import DumpTrajectory, write_dump

_SUFFIXES = (".dump", ".lammpstrj", ".lammps", ".data", ".lmp")

DUMP = Format(
    name="LAMMPS dump",
    label="LAMMPS dump",
    suffixes=_SUFFIXES,
    reads=DumpTrajectory,
    recognizes=is_dump,
    writes=write_dump,
    written_as=_SUFFIXES[:2],
    needs=("box",),
    beside=write_bonds_beside,
)
DATA = Format(name="LAMMPS data", label="LAMMPS data", suffixes=_SUFFIXES, reads=DataState, one_frame=True)
