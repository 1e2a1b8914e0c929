"""Weights on disk: reading ours and Piper's, their names, and copying them into another voice."""
