"""What is shown: the newest frame, its colours and its measurements, handed to whoever looks."""
