"""A voice that speaks: torch and ONNX behind one Protocol, streaming, export."""
