"""`docker stop` in the middle of long work: it ends by itself in time, keeps what is done, and the next run goes on."""

import random
import re
import wave
from pathlib import Path

import pytest

from tests.images.containers import Container, Hardened, docker
from tests.images.voices import TRAIN, reached

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.usefixtures("one_image")]

#: An engine that loses patience kills, and that is 137.
INTERRUPTED = 130
RECORDINGS = 1500
TEXTS = 40
BATCH = ("speak", "--batch", "/data/texts.csv", "--out", "/data/speech", "--parallel-voices", "2")
#: Commands that keep nothing which a next run could use: they end, and leave nothing.
OTHERS = {
    "bench train": ("bench", "train", "--quality", "medium", "--steps", "1000", "--runs", "1000"),
    "bench matmul": ("bench", "matmul", "--size", "2000", "--runs", "10000"),
    "train --tune": (
        *("train", "/recordings", "--out", "/data/tuned", "--quality", "medium"),
        *("--tune", "--device", "cpu"),
    ),
}


def test_a_training_is_saved_and_the_next_run_goes_on(hardened: Hardened) -> None:
    """Stopped by two signals close together, which are one, and then by Docker itself."""
    run = hardened.data / "run"
    with hardened.started(*TRAIN, "--max-steps", "100000") as container:
        container.wait_until(lambda: reached(run) >= 2, "two steps of a training")
        docker("kill", "--signal", "TERM", container.name)
        docker("kill", "--signal", "TERM", container.name, expect=None)
        code = int(docker("wait", container.name).stdout)
        saved = _saved(code, container.said())
    with hardened.started(*TRAIN, "--max-steps", "100000") as container:
        container.wait_until(lambda: f"{saved} of 100000 steps done" in container.said(), "a training that goes on")
        saved = _saved(container.stop(), container.said())
    again = hardened.run(*TRAIN, "--max-steps", str(saved + 1))
    assert f"{saved} of {saved + 1} steps done" in again.stderr


def test_what_prepare_has_checked_is_not_checked_again(hardened: Hardened) -> None:
    _made_up_recordings(hardened)
    clips = hardened.data / "cache" / "clips"
    before = _files(clips)
    words = ("prepare", "/data/many", "--phonemes", "text", "--quality", "tiny", "--workers", "1", "--no-ears")
    with hardened.started(*words) as container:
        container.wait_until(lambda: len(_files(clips)) > len(before) + 20, "twenty recordings that are checked")
        code = container.stop()
        said = container.said()
    assert code == INTERRUPTED, said
    assert "the same command again" in said
    kept = _files(clips)
    assert len(kept) < len(before) + RECORDINGS, "it was done before it was stopped: more recordings are needed"
    assert f"{RECORDINGS} recordings ready" in hardened.run(*words).stdout
    assert {path: _files(clips)[path] for path in kept} == kept  # a file that is made again has another inode


def test_texts_of_a_batch_that_are_spoken_are_not_spoken_again(hardened: Hardened) -> None:
    hardened.give("texts.csv", "".join(f"text{number:02}|{_words(number)}\n" for number in range(TEXTS)))
    speech = hardened.data / "speech"
    with hardened.started(*BATCH) as container:
        container.wait_until(lambda: len(list(speech.glob("text*.wav"))) >= 2, "two texts that are spoken")
        code = container.stop()
        said = container.said()
    assert code == INTERRUPTED, said
    assert [path for path in speech.iterdir() if path.suffix != ".wav"] == []  # nothing that is half written
    kept = _files(speech)
    assert len(kept) < TEXTS, "it was done before it was stopped: more texts are needed"
    said_again = hardened.run(*BATCH).stdout
    assert f"{TEXTS - len(kept)} of {TEXTS} texts spoken" in said_again
    assert f"{len(kept)} skipped" in said_again
    assert {path: _files(speech)[path] for path in kept} == kept


@pytest.mark.parametrize("voice", [(), ("--voice", "/data/run")], ids=["onnx", "checkpoint"])
def test_a_long_text_is_continued_where_it_was_stopped(hardened: Hardened, voice: tuple[str, ...]) -> None:
    hardened.give("book.txt", "\n".join(map(_words, range(300))))
    words = ("speak", *voice, "--file", "/data/book.txt", "--out", "/data/book.wav")
    with hardened.started(*words) as container:
        size = 1_000_000  # bytes of samples
        container.wait_until(lambda: any(p.stat().st_size > size for p in hardened.data.glob(".book.wav*")), "speech")
        code = container.stop()
        said = container.said()
    assert code == INTERRUPTED, said
    kept = re.findall(r"the first (\d+) sentences .* are kept in /data/book\.partial\.wav", said)
    assert kept, said
    with hardened.started(*words) as container:
        container.wait_until(lambda: f"{kept[0]} sentences" in container.said(), "a speech that is continued")
        container.stop()
    for path in hardened.data.glob("book.*"):
        path.unlink()


@pytest.mark.parametrize("words", OTHERS.values(), ids=OTHERS)
def test_other_long_work_ends_by_itself_and_leaves_nothing_half_done(
    hardened: Hardened, words: tuple[str, ...]
) -> None:
    hardened.give("book.txt", "\n".join(map(_words, range(300))))
    before = {path for path in hardened.data.iterdir() if path.name != "tuned"}
    with hardened.started(*words) as container:
        container.wait_until(lambda: _seconds_of_cpu(container) >= 6, "work that has begun")
        code = container.stop()
        said = container.said()
    assert code == INTERRUPTED, said
    assert "Traceback" not in said
    assert {path for path in hardened.data.iterdir() if path.name != "tuned"} == before


def test_nothing_in_the_mounted_folder_belongs_to_somebody_else(hardened: Hardened) -> None:
    assert hardened.strangers() == []


def _saved(code: int, said: str) -> int:
    """The step up to which a training that was stopped is saved."""
    assert code == INTERRUPTED, said
    return int(re.findall(r"stopped after step (\d+); saved \S*last\.ckpt", said)[-1])


def _words(number: int) -> str:
    return " ".join(f"This is sentence number {number * 10 + each}, and it is spoken slowly." for each in range(10))


def _files(folder: Path) -> dict[Path, int]:
    """Every finished file below it, with its inode."""
    return {path: path.stat().st_ino for path in folder.rglob("*.*") if path.is_file() and path.name[0] != "."}


def _made_up_recordings(hardened: Hardened) -> None:
    """Noise, each another: what is known of one says nothing of the next."""
    noise = random.Random(1)
    hardened.give("many/metadata.csv", "".join(f"{number}|One, two, three.\n" for number in range(RECORDINGS)))
    for number in range(RECORDINGS):
        path = hardened.give(f"many/{number}.wav", "")
        with wave.open(str(path), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(16000)
            file.writeframes(noise.randbytes(32000))


def _seconds_of_cpu(container: Container) -> int:
    """Of all its processes together."""
    times = [line.split()[-1] for line in docker("top", container.name, "-o", "pid,time").stdout.splitlines()[1:]]
    return sum(int(part) * 60**place for time in times for place, part in enumerate(reversed(time.split(":"))))
