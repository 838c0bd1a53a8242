"""The picture, or two side by side, and what a person does with the view of it."""
