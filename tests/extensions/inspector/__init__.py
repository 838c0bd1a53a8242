"""The inspector: tables of discs and clusters."""
