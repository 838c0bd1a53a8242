"""A Python console in the window: what stands at hand in it, its prompt, and the panel that a person opens."""
