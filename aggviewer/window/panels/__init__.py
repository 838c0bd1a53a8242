"""The panels beside the picture."""
