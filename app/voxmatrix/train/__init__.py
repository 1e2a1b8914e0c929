"""A voice from recordings: batches, the adversarial step, the loop, what it writes down."""
