"""Who speaks in the books of a server."""
