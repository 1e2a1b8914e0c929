"""Voices to speak with."""

from tests.piper.conftest import checkpoint_content, ids, make_checkpoint, make_onnx

__all__ = ["checkpoint_content", "ids", "make_checkpoint", "make_onnx"]
