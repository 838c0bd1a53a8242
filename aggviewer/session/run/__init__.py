"""What runs: the thread that owns the simulation, its pace, and building what it runs."""
