"""The text part of a voice's network, from symbols to durations, in fewer nodes."""
