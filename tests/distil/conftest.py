"""The random voices that the tests of speech use."""

from tests.piper.conftest import checkpoint_content, make_checkpoint, make_onnx

__all__ = ["checkpoint_content", "make_checkpoint", "make_onnx"]
