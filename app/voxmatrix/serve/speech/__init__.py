"""From a checked request to the bytes of an answer."""
