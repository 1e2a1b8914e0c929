"""The training step: gradients, random numbers, out-of-memory recovery, several devices."""
