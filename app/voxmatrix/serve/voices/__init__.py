"""The voices that can be named, those that are loaded, and whose turn it is to compute."""
