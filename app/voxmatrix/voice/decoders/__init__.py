"""Decoders from latent frames to the wave, one per file."""
