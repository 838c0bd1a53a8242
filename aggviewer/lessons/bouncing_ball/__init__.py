"""The bouncing ball: what floating point does to three ways of finding the next event."""
