"""The picture, or two side by side, and the control of the view."""
