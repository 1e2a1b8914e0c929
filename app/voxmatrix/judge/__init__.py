"""What a listener would say of speech: whether it can be all of a text, and which words are heard."""
