"""The sound of an audiobook: finished speech at an even loudness, and the files that it is encoded to."""
