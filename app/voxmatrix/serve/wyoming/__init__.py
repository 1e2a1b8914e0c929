"""Wyoming, the protocol of Home Assistant's voice programs, on a port of its own."""
