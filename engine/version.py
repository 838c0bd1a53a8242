"""The version of the program, in a file of its own: all of the engine may ask for it."""

__version__ = "0.2.0"
