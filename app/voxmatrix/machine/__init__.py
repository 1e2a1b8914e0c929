"""Facts about this computer, read by probes with time limits. No torch."""
