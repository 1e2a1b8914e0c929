"""Speech synthesis: torch and ONNX engines behind one protocol, streaming, and export."""
