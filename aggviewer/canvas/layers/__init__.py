"""What lies over the discs and draws data: forces, flashes, marks of steps, discs that something is said of."""
