"""One ball on a plate, followed with three predictors of the next event."""
