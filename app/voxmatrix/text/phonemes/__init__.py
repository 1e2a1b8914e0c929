"""Words to phonemes, through espeak-ng or letter by letter."""
