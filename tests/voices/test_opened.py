"""Voices are loaded on demand, and closed when memory is short or nobody used them for long."""

import os
import shutil
import weakref
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.piper.conftest import checkpoint_content, make_checkpoint, make_onnx  # noqa: F401
from voxmatrix.errors import DamagedFileError
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.device import CPU
from voxmatrix.models.style import Runtime
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.voices import opened as module
from voxmatrix.voices.memory import Opened, VoiceMemory
from voxmatrix.voices.opened import OpenVoices
from voxmatrix.voices.resolve import resolve

MakeCard = Callable[[str], VoiceCard]
MakeVoices = Callable[..., OpenVoices]


class Measured(VoiceMemory):
    """Each open voice takes this much, whatever its file is like."""

    def __init__(self, each_mib: float, left_behind_mib: float = 0.0) -> None:
        super().__init__(lambda processes: None)
        self.each_mib, self.left_behind_mib = each_mib, left_behind_mib

    def used_mib(self, voices: Collection[Opened]) -> float:
        return self.each_mib * len(voices) + self.left_behind_mib


@pytest.fixture
def card(make_onnx: Callable[..., Path], tmp_path: Path) -> MakeCard:  # noqa: F811
    """A voice that needs no espeak-ng, under any name."""
    source = make_onnx("tiny", phoneme_type="text")

    def make(name: str) -> VoiceCard:
        path = tmp_path / f"{name}.onnx"
        shutil.copy(source, path)
        shutil.copy(f"{source}.json", f"{path}.json")
        return resolve(path)

    return make


@pytest.fixture
def opened() -> Iterator[MakeVoices]:
    made: list[OpenVoices] = []

    def make(memory_mib: float = 1000, idle_seconds: float = 1000.0, **more: object) -> OpenVoices:
        request, runtime = DeviceRequest(kind="cpu"), Runtime(threads=1)
        more = {"memory": Measured(100.0), **more}
        voices = OpenVoices(request, runtime, memory_mib, idle_seconds, warn=lambda _: None, **more)  # type: ignore[arg-type]
        made.append(voices)
        return voices

    yield make
    for voices in made:
        voices.close()


def use(voices: OpenVoices, card: VoiceCard) -> None:
    with voices.use(card):
        pass


def is_open(voices: OpenVoices, card: VoiceCard) -> bool:
    return f"{card.id}_cpu" in voices.names


def test_the_least_recently_used_voice_is_closed_first(card: MakeCard, opened: MakeVoices) -> None:
    a, b, c = (card(name) for name in "abc")
    voices = opened(memory_mib=250, memory=Measured(100))
    for one in (a, b, a, c):
        use(voices, one)
    assert [is_open(voices, one) for one in (a, b, c)] == [True, False, True]
    assert voices.names == ("a_cpu", "c_cpu")


@pytest.mark.parametrize(("each_mib", "stay"), [(1.0, 5), (50.0, 4), (101.0, 1), (300.0, 1)])
def test_what_is_measured_decides_how_many_stay_open(
    card: MakeCard, opened: MakeVoices, each_mib: float, stay: int
) -> None:
    voices = opened(memory_mib=201, memory=Measured(each_mib))
    for name in "abcde":
        use(voices, card(name))
    assert len(voices.names) == min(stay, 5)
    assert is_open(voices, card("e"))


def test_room_is_made_before_a_voice_is_opened(card: MakeCard, opened: MakeVoices) -> None:
    open_then = []
    voices = opened(memory_mib=200, memory=Measured(100), on_open=lambda *_: open_then.append(voices.names))  # type: ignore[has-type]
    a, b, c = (replace(card(name), memory_mib=100.0) for name in "abc")
    for one in (a, b, c):
        use(voices, one)
    assert open_then == [(), ("a_cpu",), ("b_cpu",)]


def test_memory_is_given_back_when_nothing_of_a_closed_voice_is_left(
    card: MakeCard, opened: MakeVoices, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = []
    monkeypatch.setattr(module, "free_cached", lambda _: gone.append(engine() is None))  # type: ignore[has-type]
    voices = opened()
    with voices.use(card("a")) as one:
        engine = weakref.ref(one.voice.engine)  # type: ignore[attr-defined]
    del one
    voices.close()
    assert gone == [True]


def test_what_sentences_left_behind_is_given_back_before_a_voice_is_closed(
    card: MakeCard, opened: MakeVoices, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = Measured(100, left_behind_mib=500)
    monkeypatch.setattr(module, "free_cached", lambda _: setattr(memory, "left_behind_mib", 0))
    voices = opened(memory_mib=250, memory=memory)
    for name in "ab":
        use(voices, card(name))
    assert voices.names == ("a_cpu", "b_cpu")


def test_a_voice_in_use_is_never_closed(card: MakeCard, opened: MakeVoices) -> None:
    voices = opened(memory_mib=0)
    a, b = card("a"), card("b")
    with voices.use(a):
        use(voices, b)
        assert is_open(voices, a) and not is_open(voices, b)


def test_a_voice_that_is_larger_than_the_memory_stays_until_another_is_used(card: MakeCard, opened: MakeVoices) -> None:
    voices = opened(memory_mib=0)
    a, b = card("a"), card("b")
    use(voices, a)
    assert is_open(voices, a)
    use(voices, b)
    assert is_open(voices, b) and not is_open(voices, a)


def test_a_voice_that_was_not_used_for_long_is_closed(card: MakeCard, opened: MakeVoices) -> None:
    voices = opened(idle_seconds=-1.0)
    a = card("a")
    use(voices, a)
    assert not is_open(voices, a)


@pytest.mark.parametrize("file", [0, 1])
def test_another_file_under_the_same_name_is_loaded(card: MakeCard, opened: MakeVoices, file: int) -> None:
    voices = opened()
    a = card("a")
    with voices.use(a) as first:
        os.utime(a.files[file], (1, 1))
        with voices.use(a) as second:
            assert second is not first
    assert is_open(voices, a)


def test_a_voice_whose_two_files_are_replaced_one_after_the_other_is_never_half_old(
    card: MakeCard, opened: MakeVoices
) -> None:
    voices = opened()
    a = card("a")
    config = Path(f"{a.path}.json")
    use(voices, a)
    os.utime(a.path, (1, 1))
    use(voices, a)
    config.write_text(config.read_text().replace('"length_scale": 1', '"length_scale": 3'))
    use(voices, a)  # by a card from before
    with voices.use(resolve(a.path)) as found:
        assert found.voice.card.facts["inference"]["length_scale"] == 3
        assert found.card == found.voice.card


def test_a_voice_that_has_failed_is_known_until_its_files_change(card: MakeCard, opened: MakeVoices) -> None:
    voices = opened()
    a = card("a")
    content = a.path.read_bytes()
    assert not voices.has_failed(a)
    a.path.write_bytes(b"nonsense")
    with pytest.raises(DamagedFileError):
        use(voices, a)
    assert voices.has_failed(a)
    a.path.write_bytes(content)
    assert not voices.has_failed(a)
    a.path.unlink()
    assert voices.has_failed(a)


def test_a_voice_that_cannot_be_loaded_is_tried_again(card: MakeCard, opened: MakeVoices) -> None:
    voices = opened()
    a = card("a")
    content = a.path.read_bytes()
    a.path.write_bytes(b"nonsense")
    with pytest.raises(DamagedFileError):
        use(voices, a)
    assert not is_open(voices, a)
    a.path.write_bytes(content)
    use(voices, a)
    assert is_open(voices, a)


def test_a_voice_is_announced_before_it_is_opened_and_the_open_ones_are_counted(
    card: MakeCard, opened: MakeVoices
) -> None:
    announced, counts = [], []
    voices = opened(on_open=lambda *what: announced.append(what), on_count=counts.append)
    a, b = card("a"), card("b")
    for one in (a, b, a):
        use(voices, one)
    voices.close()
    assert announced == [(a, CPU), (b, CPU)]
    assert counts[0] == 1
    assert max(counts) == 2
    assert counts[-1] == 0


def test_a_voice_that_speaks_is_unloaded_when_it_has_ended(card: MakeCard, opened: MakeVoices) -> None:
    voices = opened()
    a, b = card("a"), card("b")
    use(voices, b)
    with voices.use(a) as used:
        assert voices.unload(lambda one: True) == (["b"], ["a"])
        assert not voices.names
        assert used.voice.is_loaded
        use(voices, a)  # from now on, another one
        assert is_open(voices, a)
    assert is_open(voices, a)
    assert voices.unload(lambda one: one.id == "b") == ([], [])
