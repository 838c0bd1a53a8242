"""The view of hard discs that bounce."""
