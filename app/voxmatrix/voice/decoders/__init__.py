"""From latent frames to the wave: one decoder a file."""
