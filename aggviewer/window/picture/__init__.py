"""Settings of the picture in small windows over it: layers, and the scale of the colours."""
