"""The commands of the command line, without a window."""
