"""Tables, progress bars and warnings on a terminal."""
