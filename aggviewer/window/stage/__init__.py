"""The middle of the window: pictures, transport, and what lies over the pictures."""
