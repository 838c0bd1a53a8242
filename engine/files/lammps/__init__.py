"""LAMMPS dump and data files."""
