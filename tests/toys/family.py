"""The family of tones as a user adds it: by a variable of the environment."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from voxmatrix.models.card import VoiceCard
from voxmatrix.voices.families import VARIABLE, families

#: For programs that a test starts.
ENVIRONMENT = {VARIABLE: "tests.toys.tones"}


@contextmanager
def added() -> Iterator[None]:
    """The family is there, also in the processes that are started meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        families.cache_clear()
        yield
    families.cache_clear()


@pytest.fixture
def tones() -> Iterator[None]:
    """`added` for a test."""
    with added():
        yield


def write_voice(path: Path, **facts: Any) -> Path:
    """A voice with two speakers: NAME.tones."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"rate_hz": 12000, "speakers": {"low": 110, "high": 220}, **facts}), encoding="utf-8")
    return path


def voice_of(path: Path, **facts: Any) -> VoiceCard:
    """The card of a new voice."""
    from tests.toys.tones import FAMILY

    return FAMILY.card(write_voice(path, **facts))
