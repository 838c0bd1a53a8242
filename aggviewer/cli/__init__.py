"""The command line: what each command does, without a window."""
