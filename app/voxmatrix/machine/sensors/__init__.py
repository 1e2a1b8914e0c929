"""What a device is doing at this moment: load, memory, temperature, power."""
