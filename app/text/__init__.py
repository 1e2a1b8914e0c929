"""From text to phoneme ids: normalise, sentences, phonemes, symbols."""
