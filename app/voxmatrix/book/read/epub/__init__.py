"""EPUB: the archive, what it says about itself, and its text."""
