"""Running simulations: the thread, its pace, steps, and stored frames."""
