"""The HTTP server: OpenAI's speech endpoint, Piper's, and what operators watch."""
