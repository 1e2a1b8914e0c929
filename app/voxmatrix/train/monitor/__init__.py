"""What a person sees of a training: progress, metrics, telemetry, samples, validation."""
