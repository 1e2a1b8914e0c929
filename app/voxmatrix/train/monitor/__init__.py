"""Monitor a training: progress, metrics, telemetry, samples, validation."""
