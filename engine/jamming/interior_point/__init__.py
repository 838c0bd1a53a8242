"""The interior-point method that solves the linear programs of jamming."""
