"""Current state of a device: load, memory, temperature, power."""
