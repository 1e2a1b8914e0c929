"""The pack `hf` speaks with transformers' own code, and small random weights, through the process that users have."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from tests.toys.engines import install_pack, install_weights, make_weights
from voxmatrix.audio.waves import Samples
from voxmatrix.errors import BadInputError, DamagedFileError, VoxmatrixError
from voxmatrix.external.install import try_out
from voxmatrix.external.installed import Engine
from voxmatrix.external.process import EngineProcess, EngineStart, Limits, Recording

pytestmark = pytest.mark.engines

HELLO = "Hello there. How are you?"
FRAME, FRAMES = 3200, 12
RATE = {"vibevoice": 24000, "csm": 24000, "dia": 44100, "pocket_tts": 24000}
IDS = {"vibevoice": "vibevoice-1-5b", "csm": "csm-1b", "dia": "dia-1-6b", "pocket_tts": "pocket"}


class Model:
    """A running engine with one of its models."""

    def __init__(self, installed: Engine, name: str, dtype: str) -> None:
        self.installed = installed
        found = make_weights(installed, IDS[name], name)
        self.start = EngineStart(
            folder=self.installed.folder,
            weights=((IDS[name], found),),
            gpu=None,
            dtype=dtype,
            attention="sdpa",
            threads=1,
        )
        self.process = EngineProcess(
            Engine(self.installed.folder, self.installed.manifest.of(IDS[name])), self.start, Limits()
        )

    def say(
        self,
        text: str = HELLO,
        seed: int = 1,
        recordings: tuple[Recording | None, ...] = (),
        cancelled: Callable[[int], bool] = lambda frames: False,
        **more: object,
    ) -> list[Samples]:
        """The frames of a text."""
        frames: list[Samples] = []
        request = {"text": text, "voice": "", "language": "en", "speed": 1.0, "seed": seed, "knobs": {}, **more}
        self.process.speak(request, recordings, frames.append, lambda: cancelled(len(frames)), 60.0)
        return frames


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VOXMATRIX_HOME", str(tmp_path_factory.mktemp("home")))
        yield install_pack()


def opened(engine: Engine, name: str, dtype: str = "float32") -> Iterator[Model]:
    model = Model(engine, name, dtype)
    yield model
    model.process.close()


@pytest.fixture(scope="module")
def vibevoice(installed: Engine) -> Iterator[Model]:
    yield from opened(installed, "vibevoice")


@pytest.fixture(scope="module", params=["csm", "dia", "pocket_tts"])
def whole(request: pytest.FixtureRequest, installed: Engine) -> Iterator[Model]:
    yield from opened(installed, request.param, "bfloat16")


def recording(transcript: str = "hello you", hertz: float = 300.0, rate: int = 24000) -> Recording:
    samples = (0.3 * np.sin(2 * np.pi * hertz / rate * np.arange(3 * rate))).astype(np.float32)
    return Recording(f"{hertz}", samples, rate, transcript)


def same(one: list[Samples], other: list[Samples]) -> bool:
    return np.array_equal(np.concatenate(one), np.concatenate(other))


def test_vibevoice_streams_its_frames_and_repeats_them_with_their_seed(vibevoice: Model) -> None:
    frames = vibevoice.say()
    assert [len(frame) for frame in frames] == [FRAME] * FRAMES
    assert vibevoice.process.opened["attention"] == "sdpa"
    assert same(frames, vibevoice.say())
    assert not same(frames, vibevoice.say(seed=2))
    assert 0.01 < np.abs(np.concatenate(frames)).mean() < 0.5
    assert np.abs(np.concatenate(frames) - np.concatenate(vibevoice.say("Bye."))).mean() > 0.001


def test_vibevoice_stops_in_the_middle_and_speaks_on_as_if_nothing_had_been(vibevoice: Model) -> None:
    frames = vibevoice.say()
    assert len(vibevoice.say(cancelled=lambda heard: heard >= 3)) < FRAMES
    assert same(frames, vibevoice.say())


def test_vibevoice_imitates_its_recordings_and_takes_four_speakers(vibevoice: Model) -> None:
    turns = [["Ann", "Hello."], ["Bob", "Hi."], ["Ann", "Bye."]]
    plain = vibevoice.say(turns=turns)
    heard = vibevoice.say(turns=turns, recordings=(recording(), recording(hertz=100)))
    assert not same(plain, heard)
    assert not same(heard, vibevoice.say(turns=turns, recordings=(recording(),)))
    assert not same(heard, vibevoice.say(turns=turns, recordings=(None, recording())))
    with pytest.raises(BadInputError, match="5 speakers, and the model has 4"):
        vibevoice.say(turns=[[name, "Hello."] for name in "abcde"])


def test_knobs_change_the_speech(vibevoice: Model) -> None:
    assert not same(vibevoice.say(), vibevoice.say(knobs={"cfg": 3.0}))
    assert not same(vibevoice.say(), vibevoice.say(knobs={"steps": 3}))


def test_the_others_speak_whole_and_repeat_with_their_seed(whole: Model) -> None:
    (kind,) = (name for name, identifier in IDS.items() if identifier == whole.start.weights[0][0])
    assert whole.process.opened["rate"] == RATE[kind]
    frames = whole.say()
    assert sum(map(len, frames)) > 0.1 * RATE[kind]
    assert same(frames, whole.say())
    assert not same(frames, whole.say(seed=2))
    heard = whole.say(recordings=(recording(rate=RATE[kind]),))
    assert not same(frames, heard)
    assert sum(map(len, whole.say(cancelled=lambda heard: True))) == 0
    assert same(frames, whole.say())
    if kind != "pocket_tts":
        silent = Recording("silent", recording().samples, RATE[kind], "")
        with pytest.raises(BadInputError, match="needs the words of the reference"):
            whole.say(recordings=(silent,))


def test_what_is_no_model_of_the_pack_is_said(installed: Engine) -> None:
    found = install_weights(**{"config.json": b'{"model_type": "bert"}'})
    start = EngineStart(
        folder=installed.folder, weights=(("x", found),), gpu=None, dtype="float32", attention="sdpa", threads=1
    )
    with pytest.raises(DamagedFileError, match="none of vibevoice, csm, dia, pocket_tts"):
        EngineProcess(installed, start, Limits())


def test_an_attention_without_its_package_is_said(vibevoice: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOXMATRIX_HOME", str(vibevoice.installed.folder.parents[1]))
    start = replace(vibevoice.start, attention="flash_attention_2")
    with pytest.raises(VoxmatrixError, match=r"(?i)flash"):
        EngineProcess(vibevoice.installed, start, Limits())


def test_an_installation_is_tried_with_a_voice_of_random_weights(installed: Engine) -> None:
    assert try_out(installed) == pytest.approx(FRAME * FRAMES / 24000)
