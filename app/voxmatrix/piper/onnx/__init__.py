"""Read, split and rewrite the ONNX graph of a voice."""
