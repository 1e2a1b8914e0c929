"""`speak`: a text becomes a file or a stream, whole or not at all."""

import io
import os
import subprocess
import sys
import threading
import wave
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.speak.saying import say
from voxmatrix.audio.loudness import speech_level_dbfs
from voxmatrix.errors import BadInputError, UsageError
from voxmatrix.models.style import MAX_SEED
from voxmatrix.speak.output import Speech
from voxmatrix.speak.synthesize import SpokenSentence

TEXT = "Good morning. The birch canoe slid on the smooth planks! Is that so?"


@pytest.fixture
def voice(make_onnx: Any) -> Path:
    return make_onnx("tiny", 1, "text")


def read_wav(path: Path | io.BytesIO) -> tuple[int, np.ndarray]:
    with wave.open(path if isinstance(path, io.BytesIO) else str(path)) as file:
        return file.getframerate(), np.frombuffer(file.readframes(file.getnframes()), "<i2")


def spoken(text: Any, voice: Path, **settings: Any) -> tuple[Speech, np.ndarray]:
    """A text as raw samples."""
    out = io.BytesIO()
    speech = say(out, text, voice, raw=True, **settings)
    return speech, np.frombuffer(out.getvalue(), "<i2")


def test_a_text_becomes_a_wav_file(voice: Path, tmp_path: Path) -> None:
    heard: list[SpokenSentence] = []

    speech = say(tmp_path / "new" / "out.wav", TEXT, voice, heard.append)

    rate_hz, samples = read_wav(tmp_path / "new" / "out.wav")
    assert speech.sentences == 3 == len(heard) and speech.rate_hz == rate_hz
    assert heard[0].text.text == "Good morning."
    assert speech.seconds == pytest.approx(len(samples) / rate_hz)
    assert speech.seconds == pytest.approx(sum(one.seconds for one in heard) + 2 * 0.2, abs=0.01)
    assert np.abs(samples).max() < 32767
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["out.wav"]


def test_sentences_are_equally_loud_or_as_the_voice_gives_them(voice: Path) -> None:
    def levels(levelled: bool) -> list[float]:
        heard: list[SpokenSentence] = []
        say(io.BytesIO(), TEXT, voice, heard.append, levelled=levelled, noise=0, noise_w=0)
        return [speech_level_dbfs(one.samples, one.rate_hz)[0] for one in heard]

    even, own = levels(True), levels(False)

    assert max(even) - min(even) < 1.5
    assert abs(own[0] + 20) > abs(even[0] + 20)


def test_speed_pause_and_noise_are_heard(voice: Path) -> None:
    still = {"noise": 0.0, "noise_w": 0.0}
    usual, fast = spoken(TEXT, voice, **still)[1], spoken(TEXT, voice, speed=2.0, **still)[1]
    pausing = spoken(TEXT, voice, pause_seconds=1.0, **still)[1]
    noisy = spoken(TEXT, voice, noise=1.0, noise_w=0.0)[1]

    assert len(fast) < 0.8 * len(usual)
    assert len(pausing) - len(usual) == 2 * round(0.8 * 16000) or len(pausing) > len(usual)
    assert len(noisy) == len(usual) and not np.array_equal(noisy, usual)


def test_volume_scales_the_samples_and_clips_them(voice: Path) -> None:
    usual, quiet, loud = (
        spoken(TEXT, voice, noise=0, noise_w=0, volume=volume)[1].astype(int) for volume in (1.0, 0.5, 10.0)
    )

    assert np.abs(quiet - usual / 2).max() <= 1
    assert len(loud) == len(usual) and np.abs(loud).max() == 32767


def test_speakers_are_chosen_by_name(make_onnx: Any) -> None:
    voice = make_onnx("tiny", 3, "text")
    anna, cleo, third = (spoken(TEXT, voice, speaker=who, noise=0, noise_w=0)[1] for who in ("anna", "cleo", "2"))

    assert np.array_equal(cleo, third) and not np.array_equal(anna[:5000], cleo[:5000])


def test_a_checkpoint_speaks_like_its_export(make_checkpoint: Any, voice: Path) -> None:
    still = {"noise": 0.0, "noise_w": 0.0, "levelled": False}
    exported, trained = (spoken(TEXT, one, **still)[1] for one in (voice, make_checkpoint("tiny", 1, "text")))

    assert exported.shape == trained.shape
    assert np.abs(exported.astype(int) - trained).max() <= 4  # 1e-4 of full scale


def test_the_same_seed_makes_the_same_file(voice: Path) -> None:
    first, again, other = (spoken(TEXT, voice, seed=seed, threads=3)[1] for seed in (1, 1, 2))

    assert np.array_equal(first, again) and not np.array_equal(first, other)


@pytest.mark.parametrize("kind", ["make_onnx", "make_checkpoint"])
def test_the_largest_seed_is_enough_for_many_sentences(kind: str, request: pytest.FixtureRequest) -> None:
    voice = request.getfixturevalue(kind)("tiny", 1, "text")
    assert spoken(TEXT, voice, seed=MAX_SEED)[0].sentences == 3


def test_a_stream_sounds_before_its_text_has_ended(voice: Path) -> None:
    heard = threading.Event()

    class Stream(io.BytesIO):
        def flush(self) -> None:
            heard.set()

    def text() -> Iterator[str]:
        yield "Good morning. "
        assert heard.wait(60), "the first sentence was kept back"
        yield "And good night."

    out = Stream()
    speech = say(out, text(), voice)

    assert speech.sentences == 2
    assert out.getvalue()[:4] == b"RIFF" and out.getvalue()[40:44] == b"\xff" * 4
    assert len(out.getvalue()) == 44 + 2 * round(speech.seconds * speech.rate_hz)


def test_a_reader_that_leaves_ends_the_speech_quietly(voice: Path) -> None:
    read, write = os.pipe()
    os.close(read)

    with os.fdopen(write, "wb", buffering=0) as out, pytest.raises(BrokenPipeError):
        say(out, iter([TEXT] * 50), voice)


@pytest.mark.parametrize("text", ["", "   \n\n \t", "🙂🙂 🎉", "...!?", "\x00\x01", iter(["🙂", "\n"])])
def test_a_text_without_a_word_is_refused_and_leaves_no_file(voice: Path, tmp_path: Path, text: Any) -> None:
    with pytest.raises(BadInputError, match="nothing to speak") as caught:
        say(tmp_path / "out.wav", text, voice)

    assert caught.value.exit_code == 3 and list(tmp_path.iterdir()) == []


def test_what_cannot_be_said_is_left_out_and_named(voice: Path) -> None:
    speech, _ = spoken("Good morning. 🎉🎉 漢字. Good night.", voice)

    assert speech.sentences >= 2 and speech.findings and all(finding.remedy for finding in speech.findings)


@pytest.mark.parametrize(
    "text",
    [
        "word " * 2000,
        "x" * 10_000,
        "Zażółć gęślą jaźń. Ĥ ŝ ё λ \u202e reversed \ufeff zero\u200bwidth e\u0301.",
        "[[h@l'oU]] <speak>tags</speak> $(rm -rf) %s %n",
        "A.\r\nB.\rC.\x0b\x0cD.",
    ],
    ids=["10,000 characters", "one word", "scripts", "orders", "line ends"],
)
def test_odd_texts_are_spoken(voice: Path, text: str) -> None:
    speech, samples = spoken(text, voice, speed=8.0)

    assert speech.sentences >= 1 and len(samples) > 1000


@pytest.mark.espeak
def test_a_voice_with_espeak_phonemes_speaks_text_with_numbers(make_onnx: Any) -> None:
    speech, samples = spoken("Dr. Smith paid $5.20 for 3 apples. He left.", make_onnx("tiny", 1, "espeak"))

    assert speech.sentences == 2 and len(samples) > 5000


def test_what_is_there_is_replaced_only_when_told(voice: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.wav"
    out.write_text("mine")

    with pytest.raises(UsageError, match="already exists"):
        say(out, TEXT, voice)
    assert out.read_text() == "mine"
    say(out, TEXT, voice, force=True)
    assert read_wav(out)[0] > 0


def test_an_error_on_the_way_leaves_what_was_there(voice: Path, tmp_path: Path) -> None:
    def text() -> Iterator[str]:
        yield "Good morning. "
        raise BadInputError("the text is not UTF-8")

    (tmp_path / "out.wav").write_text("mine")

    with pytest.raises(BadInputError, match="UTF-8"):
        say(tmp_path / "out.wav", text(), voice, force=True)

    assert (tmp_path / "out.wav").read_text() == "mine" and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("name", ["speech", "speech.doc", "speech."])
def test_an_ending_that_is_unknown_is_refused_before_anything_loads(voice: Path, tmp_path: Path, name: str) -> None:
    damaged = tmp_path / "damaged.onnx"
    damaged.write_bytes(b"no network")
    damaged.with_name("damaged.onnx.json").write_bytes(Path(f"{voice}.json").read_bytes())
    with pytest.raises(UsageError, match=r"\.mp3") as caught:
        say(tmp_path / name, TEXT, damaged)

    assert caught.value.exit_code == 2


def test_a_folder_is_no_file(voice: Path, tmp_path: Path) -> None:
    (tmp_path / "folder.wav").mkdir()

    with pytest.raises(UsageError, match="is a folder"):
        say(tmp_path / "folder.wav", TEXT, voice, force=True)


def test_a_wrong_speaker_is_refused_before_a_file_is_begun(voice: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no speaker 'bo'"):
        say(tmp_path / "out.wav", TEXT, voice, speaker="bo")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ["mp3", "flac", "raw"])
def test_other_formats_are_written(voice: Path, tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"out.{ending}"

    speech = say(out, TEXT, voice)

    begins = {"mp3": (b"ID3", b"\xff\xfb", b"\xff\xf3"), "flac": (b"fLaC",), "raw": (b"",)}[ending]
    assert out.read_bytes().startswith(begins)
    if ending == "raw":
        assert out.stat().st_size == 2 * round(speech.seconds * speech.rate_hz)


@pytest.mark.parametrize(
    "wrong",
    [
        {"speed": 0.0},
        {"speed": float("nan")},
        {"noise": -1},
        {"noise_w": 99},
        {"pause_seconds": -1},
        {"volume": -1},
        {"threads": -1},
        {"seed": -1},
        {"seed": 2**64},
    ],
)
def test_settings_that_make_no_sense_are_refused(voice: Path, wrong: dict[str, Any]) -> None:
    (name,) = wrong
    with pytest.raises(UsageError, match=name.removesuffix("_seconds")):
        say(io.BytesIO(), TEXT, voice, **wrong)


def test_a_process_whose_reader_leaves_ends_although_its_text_goes_on(voice: Path) -> None:
    program = """
import sys
from pathlib import Path
from voxmatrix.speak.text_chunks import read_text
from voxmatrix.models.style import Style
from voxmatrix.speak.output import speak_to
from voxmatrix.voices.resolve import resolve
try:
    speak_to(open(1, "wb", closefd=False), read_text(sys.stdin.buffer), resolve(sys.argv[1]), Style())
except BrokenPipeError:
    sys.exit(0)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(voice)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin and process.stdout and process.stderr
    process.stdin.write(b"Good morning. Good day.\n\n")
    process.stdin.flush()
    assert process.stdout.read(44)[:4] == b"RIFF"
    process.stdout.close()
    process.stdin.write(b"Good night. Good bye.\n\nAnd more.\n\n")  # standard input stays open
    process.stdin.flush()

    assert process.wait(60) == 0
    assert process.stderr.read() == b""
    process.stdin.close()
    process.stderr.close()
