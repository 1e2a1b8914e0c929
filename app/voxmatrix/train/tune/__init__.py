"""`--tune`: measure the largest batch that fits, in child processes."""
