"""What a person sets about the picture, in small windows over it: its layers, the scale of its colours."""
