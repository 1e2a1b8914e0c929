"""Voices are loaded on demand, and closed when memory is short or nobody used them for long."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from voxmatrix.serve.voices.loaded import LoadedVoices, LoadingError

from tests.serve.conftest import copy_voice
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.serve.voices.catalogue import Catalogue, ListedVoice


@pytest.fixture
def listed(voice: Path, tmp_path: Path) -> Callable[[str], ListedVoice]:
    def make(name: str) -> ListedVoice:
        return Catalogue(copy_voice(voice, tmp_path / f"{name}.onnx")).default

    return make


@pytest.fixture
def loaded() -> Iterator[Callable[..., LoadedVoices]]:
    made: list[LoadedVoices] = []

    def make(memory_mib: int = 1000, idle_seconds: float = 1000.0) -> LoadedVoices:
        voices = LoadedVoices(DeviceRequest(kind="cpu"), 1, memory_mib, idle_seconds, warn=lambda _: None)
        made.append(voices)
        return voices

    yield make
    for voices in made:
        voices.close()


def use(voices: LoadedVoices, voice: ListedVoice) -> None:
    with voices.use(voice):
        pass


def test_the_least_recently_used_voice_is_closed_first(
    listed: Callable[[str], ListedVoice], loaded: Callable[..., LoadedVoices]
) -> None:
    a, b, c = (listed(name) for name in "abc")
    size_mib = a.path.stat().st_size * 2.5 / 2**20
    voices = loaded(memory_mib=round(2.5 * size_mib))
    for one in (a, b, a, c):
        use(voices, one)
    assert [voices.is_loaded(one) for one in (a, b, c)] == [True, False, True]


def test_a_voice_in_use_is_never_closed(
    listed: Callable[[str], ListedVoice], loaded: Callable[..., LoadedVoices]
) -> None:
    voices = loaded(memory_mib=0)
    a, b = listed("a"), listed("b")
    with voices.use(a):
        use(voices, b)
        assert voices.is_loaded(a)
    assert not voices.is_loaded(a)


def test_a_voice_that_was_not_used_for_long_is_closed(
    listed: Callable[[str], ListedVoice], loaded: Callable[..., LoadedVoices]
) -> None:
    voices = loaded(idle_seconds=-1.0)
    a = listed("a")
    use(voices, a)
    assert not voices.is_loaded(a)


def test_another_file_under_the_same_name_is_loaded(
    listed: Callable[[str], ListedVoice], loaded: Callable[..., LoadedVoices]
) -> None:
    voices = loaded()
    a = listed("a")
    with voices.use(a) as first:
        os.utime(a.path, (1, 1))
        with voices.use(a) as second:
            assert second is not first
    assert voices.is_loaded(a)


def test_a_voice_that_cannot_be_loaded_is_tried_again(
    listed: Callable[[str], ListedVoice], loaded: Callable[..., LoadedVoices]
) -> None:
    voices = loaded()
    a = listed("a")
    content = a.path.read_bytes()
    a.path.write_bytes(b"nonsense")
    with pytest.raises(LoadingError):
        use(voices, a)
    a.path.write_bytes(content)
    use(voices, a)
    assert voices.is_loaded(a)
