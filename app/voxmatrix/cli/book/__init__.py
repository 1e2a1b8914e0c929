"""The commands about books."""
