"""What there is to run: scenarios built and loaded, methods switched, runs put aside."""
