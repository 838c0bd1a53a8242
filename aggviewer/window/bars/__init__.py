"""The strips around the picture: transport, timeline, status bar, headers."""
