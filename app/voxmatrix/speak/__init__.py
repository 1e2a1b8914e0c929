"""Speaking at the level of text: sentences become samples, and these a file or a stream."""
