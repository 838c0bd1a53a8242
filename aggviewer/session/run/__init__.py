"""The run, and how it runs: its thread, pace, lanes and observers, and the playback of its past."""
