"""A voice in Piper's format taught by any other, of which nothing is needed but that it speaks a text."""
