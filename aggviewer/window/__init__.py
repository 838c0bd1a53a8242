"""The window of the program. ``run_window(files)`` opens it."""
