"""Clips to batches: dataset, sampler, loader."""
