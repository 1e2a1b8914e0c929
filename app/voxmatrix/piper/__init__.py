"""Family 1: VITS voices, exported in Piper's format or as checkpoints."""
