"""The bouncing ball: the effect of rounding on three ways to find the next event."""
