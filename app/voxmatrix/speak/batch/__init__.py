"""Many texts to many files, spoken by several processes."""
