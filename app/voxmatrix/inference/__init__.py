"""Networks in onnxruntime, on the CPU or a GPU, for the families of voices."""
