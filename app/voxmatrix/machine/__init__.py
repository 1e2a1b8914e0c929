"""What this computer is: facts, read by probes with time limits. No torch."""
