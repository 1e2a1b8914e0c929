"""Checkpoints of a run: the files, what is in them, and starting from the weights of another voice."""
