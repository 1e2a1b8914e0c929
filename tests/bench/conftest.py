"""Voices of random weights, as the tests of speaking have them, and one core for everything that is measured."""

from tests.bench.cores import one_core
from tests.piper.conftest import checkpoint_content, make_checkpoint

__all__ = ["checkpoint_content", "make_checkpoint", "one_core"]
