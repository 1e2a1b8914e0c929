"""Words of CLDR for the signs and numbers that espeak-ng does not read."""
