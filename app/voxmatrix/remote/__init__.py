"""The family of remote voices: those of any server with OpenAI's `POST /v1/audio/speech`. Imports no torch."""
