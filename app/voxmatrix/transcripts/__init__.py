"""Readers of transcripts, which recordings and batches of texts share."""
