"""Books: a file in any format becomes chapters of sentences."""
