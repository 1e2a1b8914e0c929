"""What a request must pass before it is answered: host, origin, key, size."""
