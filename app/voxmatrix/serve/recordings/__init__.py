"""The recording studio: lists of sentences to read, and what was recorded of them, ready for `prepare` and `train`."""
