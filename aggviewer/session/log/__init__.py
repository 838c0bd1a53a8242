"""The log of a run: commands as values, what each did and when, and the run made again from it."""
