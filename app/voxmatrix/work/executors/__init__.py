"""Where workers come from: one file per kind of executor."""
