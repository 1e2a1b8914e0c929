"""Layers and functions that several networks of a voice share."""
