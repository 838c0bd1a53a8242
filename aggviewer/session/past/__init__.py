"""The past of runs: frames in memory, and recordings."""
