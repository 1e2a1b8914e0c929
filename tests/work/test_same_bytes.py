"""A sentence with a seed has the same samples wherever it is spoken, and after whatever interruption."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
import soundfile

from tests.serve.conftest import running
from tests.toys.family import ENVIRONMENT, tones, voice_of, write_voice  # noqa: F401 (a fixture)
from tests.toys.tones import SECONDS_VARIABLE
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.style import Output, Runtime, Style
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.serve.settings import ServeSettings
from voxmatrix.speak.batch.items import Item
from voxmatrix.speak.output import speak_opened
from voxmatrix.speak.wav import HEADER_BYTES
from voxmatrix.voices.resolve import open_voice, resolve
from voxmatrix.work.batch import speak_batch
from voxmatrix.work.delivery import Delivery
from voxmatrix.work.executor import Executor
from voxmatrix.work.ledger import open_ledger
from voxmatrix.work.local_executor import LocalExecutor

pytestmark = pytest.mark.usefixtures("tones")

STYLE = Style(seed=7)
needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals that kill")


def texts(count: int) -> list[str]:
    """Different sentences, some of which are so short that their loudness is uncertain."""
    return [f"{'No. ' * (number % 3 == 0)}It is line {number}{', and more' * (number % 7)}." for number in range(count)]


def alone(voice: VoiceCard, folder: Path, sentences: Sequence[str]) -> list[bytes]:
    """The samples of each, spoken alone."""
    with closing(open_voice(voice, runtime=Runtime(threads=1, reproducible=True))) as opened:
        found = []
        for number, sentence in enumerate(sentences):
            out = folder / f"{number}.wav"
            speak_opened(out, sentence, opened, STYLE)
            found.append(samples(out))
    return found


def samples(path: Path) -> bytes:
    """Those of a WAV or FLAC file."""
    found: bytes = soundfile.read(path, dtype="int16")[0].tobytes()
    return found


def in_a_batch(voice: VoiceCard, folder: Path, sentences: Sequence[str], workers: int) -> list[bytes]:
    """The samples of each, spoken by worker processes."""

    def start(incoming: Path, _most: int) -> Executor:
        return LocalExecutor(voice, STYLE, incoming, Runtime(threads=1, reproducible=True), workers=workers)

    items = [Item(id=str(number), name=str(number), text=text) for number, text in enumerate(sentences)]
    outcomes = speak_batch(items, folder, "wav", voice, STYLE, output=Output(), workers=start)
    return [samples(outcome.out) for outcome in outcomes if outcome.out is not None]


def served(voice: VoiceCard, sentences: Sequence[str]) -> list[bytes]:
    """The samples of each, as the server answers: in another order, since no answer depends on those before."""
    with running(ServeSettings(voice=voice.path, port=0, device=DeviceRequest(kind="cpu"), threads=1)) as server:
        found = [server.speak(input=text, seed=STYLE.seed).content[HEADER_BYTES:] for text in reversed(sentences)]
    return found[::-1]


@pytest.fixture(params=["tones", pytest.param("en_US-heart-student", marks=pytest.mark.espeak)])
def voice(request: pytest.FixtureRequest, tmp_path: Path) -> VoiceCard:
    return voice_of(tmp_path / "bells.tones") if request.param == "tones" else resolve(request.param)


def count_for(voice: VoiceCard) -> int:
    """Sentences of a test: a voice that computes is spoken less."""
    return 200 if voice.family == "tones" else 12


@pytest.mark.parametrize("workers", [1, 3])
def test_a_batch_speaks_as_one_sentence_alone(voice: VoiceCard, workers: int, tmp_path: Path) -> None:
    sentences = texts(count_for(voice))
    assert in_a_batch(voice, tmp_path / "all", sentences, workers) == alone(voice, tmp_path, sentences)


def test_the_server_speaks_as_one_sentence_alone(voice: VoiceCard, tmp_path: Path) -> None:
    sentences = texts(count_for(voice))
    assert served(voice, sentences) == alone(voice, tmp_path, sentences)


def command(*words: str, folder: Path) -> "subprocess.Popen[bytes]":
    """A command with a voice that takes a while for each sentence."""
    environment = {**ENVIRONMENT, SECONDS_VARIABLE: "0.05", "VOXMATRIX_HOME": str(folder / "home")}
    return subprocess.Popen(
        [sys.executable, "-m", "voxmatrix_entrypoint", *words, "--voice", str(folder / "bells.tones"), "--seed", "7"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        stdout=subprocess.DEVNULL,
    )


def killed_after(files: int, pattern: str, process: "subprocess.Popen[bytes]", folder: Path) -> None:
    """`kill -9` as soon as this many files exist."""
    until = time.monotonic() + 60
    while len(list(folder.glob(pattern))) < files and process.poll() is None:
        assert time.monotonic() < until
        time.sleep(0.01)
    assert process.poll() is None, "it ended before it was killed"
    process.send_signal(signal.SIGKILL)
    process.wait()


def deliveries(folder: Path) -> dict[str, Delivery]:
    """What the ledger of a book has."""
    (job,) = folder.glob("home/jobs/book-*")
    with open_ledger(job) as ledger:
        return dict(ledger.deliveries())


@needs_signals
def test_a_book_that_is_killed_goes_on_and_speaks_nothing_again(tmp_path: Path) -> None:
    sentences = [f"This is line {number}." for number in range(60)]
    voice = voice_of(tmp_path / "bells.tones")
    (tmp_path / "book.txt").write_text("\n\n".join(sentences), encoding="utf-8")
    words = ["book", str(tmp_path / "book.txt"), "--out", str(tmp_path / "book.m4b"), "--parallel-voices", "2"]

    killed_after(12, "home/jobs/*/audio/*/*.flac", command(*words, folder=tmp_path), tmp_path)
    kept = deliveries(tmp_path)
    assert command(*words, folder=tmp_path).wait(120) == 0

    assert 0 < len(kept) < 60
    after = deliveries(tmp_path)
    # Who spoke it and how long that took would be others, had it been spoken again.
    assert len(after) == 60 and {text: after[text] for text in kept} == kept
    (job,) = tmp_path.glob("home/jobs/book-*")
    with open_ledger(job) as ledger:
        spoken = [samples(ledger.audio(after[text].key)) for text in sentences]
    assert spoken == alone(voice, tmp_path, sentences)
    assert json.loads((tmp_path / "book.manifest.json").read_text(encoding="utf-8"))["complete"]


@needs_signals
def test_a_batch_that_is_killed_goes_on_and_speaks_nothing_again(tmp_path: Path) -> None:
    sentences = [f"This is line {number}." for number in range(40)]
    voice, out = voice_of(tmp_path / "bells.tones"), tmp_path / "out"
    (tmp_path / "list.txt").write_text("\n".join(sentences), encoding="utf-8")
    words = ["speak", "--batch", str(tmp_path / "list.txt"), "--out", str(out), "--parallel-voices", "2"]

    killed_after(8, "out/*.wav", command(*words, folder=tmp_path), tmp_path)
    kept = {path: path.stat().st_mtime_ns for path in out.glob("*.wav")}
    assert command(*words, folder=tmp_path).wait(120) == 0

    assert 0 < len(kept) < 40
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert [samples(path) for path in sorted(out.glob("*.wav"))] == alone(voice, tmp_path, sentences)
