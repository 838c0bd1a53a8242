"""Initial arrangements of discs. `engine.arrangements.table` lists them; the other modules compute positions."""
