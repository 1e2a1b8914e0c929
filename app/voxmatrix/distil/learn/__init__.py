"""The fast decoder, and how it learns."""
