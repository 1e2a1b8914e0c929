"""Audiobooks as shops take them: credits, files within their limits, and which files they would refuse."""
