"""What to do about the machine: pure decisions, each with its reason. No torch."""
