"""Actions on discs: select, follow, hide, move and throw."""
