"""VITS (Kim et al. 2021, arXiv 2106.06103) as plain modules, one part per file, with the weight names of Piper.

Letters in shapes: b = batch, c = channels, t = text symbols, f = spectrogram frames, n = samples of the wave.
"""
