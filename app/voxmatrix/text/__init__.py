"""From written text to the ids that a voice understands: normalise, split, phonemise, number."""
