"""A checkpoint to a voice in Piper's format, verified, with its provenance."""
