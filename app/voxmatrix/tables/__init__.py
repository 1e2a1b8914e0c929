"""Facts in TOML tables, each read and validated once."""
