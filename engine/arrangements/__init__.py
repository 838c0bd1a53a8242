"""Where discs can start. `engine.arrangements.table` lists the arrangements; the other modules compute positions."""
