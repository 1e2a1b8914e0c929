"""What a computer is, whether this torch runs on it, and what is wrong. torch is imported in a child only."""
