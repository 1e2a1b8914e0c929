"""From written text to the ids that a voice understands: split, normalise, phonemise, number."""
