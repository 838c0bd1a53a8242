"""GSD files in HOOMD's schema."""
