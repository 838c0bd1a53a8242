"""The centre of the window: pictures, transport and overlays."""
