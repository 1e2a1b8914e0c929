"""Units of speech over many workers: what is done, who speaks what next, and where workers come from."""
