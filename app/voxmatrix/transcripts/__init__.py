"""Transcript readers, shared by recordings and batches of texts."""
