"""The film of a lesson: its steps with captions, played by nobody, with what the runs give."""
