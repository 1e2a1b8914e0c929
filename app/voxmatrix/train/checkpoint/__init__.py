"""Checkpoints of a run: files, content, and starting from another voice."""
