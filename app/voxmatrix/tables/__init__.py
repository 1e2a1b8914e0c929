"""Facts as TOML rows, each read and validated once."""
