"""Engines that turn phoneme ids into samples: torch and onnxruntime."""
