"""How what there is runs: one thread, its pace, steps, the frames that are kept of it."""
