"""Files and waves: load, silence, spectrum, loudness, encode."""
