"""What can be measured of a recording of speech without a model: `measure`."""
