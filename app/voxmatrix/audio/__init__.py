"""Audio: load, trim, level, transform and encode.

Letters in shapes: b = batch, n = samples, f = spectrogram frames.
"""
