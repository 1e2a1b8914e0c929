"""Dataset, schedule and loader of training batches."""
