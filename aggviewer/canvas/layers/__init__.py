"""Layers that draw data over the discs: forces, flashes, marks of time steps, remarks and others."""
