"""The panels beside the picture, and the presenter, who hides them."""
