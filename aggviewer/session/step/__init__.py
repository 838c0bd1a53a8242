"""Inside one time step: how the minimisation moves the discs, iteration by iteration."""
