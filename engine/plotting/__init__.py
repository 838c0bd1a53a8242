"""Pictures of discs with matplotlib, for notebooks and scripts. matplotlib is imported when something is drawn."""
