"""Turn a voice into a fast one that sounds the same, from its ONNX file alone."""
