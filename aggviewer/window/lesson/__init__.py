"""A lesson in the window: its panel, and what it asks of the other parts."""
