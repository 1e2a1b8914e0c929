"""The family of Kokoro: one network in ONNX and a table of styles for each voice. Imports no torch."""
