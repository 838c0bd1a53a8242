"""The view of jamming."""
