"""What the family of remote voices, their folder and their files are called."""

NAME = "remote"
SUFFIX = ".toml"
