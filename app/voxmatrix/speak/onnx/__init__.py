"""The ONNX graph of a voice: read, split in two, rewritten."""
