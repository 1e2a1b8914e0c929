"""Export checkpoints as voices in Piper's format, verified and with their provenance."""
