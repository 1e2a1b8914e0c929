"""What turns ids into samples: torch and onnxruntime."""
