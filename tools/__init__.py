"""Programs of the repository: they make, lock, measure; nothing of the app imports them."""
