"""Train a voice from prepared recordings.

Letters in shapes: b = batch, c = channels, t = text symbols, f = spectrogram frames, n = samples of the wave.
"""
