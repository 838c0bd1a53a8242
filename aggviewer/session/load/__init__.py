"""Building and loading scenarios, switching methods, and setting runs aside."""
