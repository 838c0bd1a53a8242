"""What paints discs, lines and marks on the processor, compiled by numba.

Machine code is kept for the sources in this folder (`engine.kept_kernels`): another file of the canvas that changes has
nothing compiled anew.
"""
