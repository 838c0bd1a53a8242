"""One time step looked into: how the minimisation moved the discs, iteration by iteration."""
