"""What a command makes on a cluster is what it makes alone."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.toys.family import voice_of
from tests.toys.tones import FAMILY
from tests.work.cluster.jobs import Job, write_voice
from tests.work.cluster.processes import ClusterWorker, RedisServer
from tests.work.test_same_bytes import STYLE, alone, samples, texts
from voxmatrix.cli import main
from voxmatrix.config import home
from voxmatrix.models.card import VoiceCard
from voxmatrix.work.ledger import open_ledger
from voxmatrix.work.unit import unit_of

pytestmark = [pytest.mark.redis, pytest.mark.slow]

Start = Callable[..., ClusterWorker]


@pytest.fixture
def broker(redis_server: RedisServer, start_worker: Start) -> str:
    """Two workers."""
    for name in ("a", "b"):
        start_worker(redis_server.url, name, seconds=0.0)
    return redis_server.url


def test_units_have_the_bytes_of_sentences_alone(broker: str, tmp_path: Path) -> None:
    voice, sentences = write_voice(tmp_path), texts(200)
    units = [unit_of(text, voice.digest, STYLE, whole=False) for text in sentences]

    job = Job(broker, voice, tmp_path / "job", units)

    assert job.end().given_up == ()
    with open_ledger(tmp_path / "job") as ledger:
        spoken = [samples(ledger.audio(unit.key)) for unit in units]
    assert spoken == alone(voice, tmp_path, sentences)
    assert {event.worker for event in job.events if hasattr(event, "worker")} == {"a", "b"}


def test_a_batch_is_spoken_by_the_workers(broker: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    voice = write_voice(tmp_path)
    lines = ["Good morning. It is nine o'clock.", "Good night.", "Good night.", "This text always fails."]
    rows = [f"{name}|{text}" for name, text in zip("wxyz", lines, strict=True)]
    (tmp_path / "list.csv").write_text("\n".join(rows), encoding="utf-8")
    words = ["speak", "--batch", str(tmp_path / "list.csv"), "--voice", str(voice.path), "--seed", "7", "--json"]

    code = main.run([*words, "--out", str(tmp_path / "out"), "--cluster", broker])

    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert code == 1 and (told["spoken"], told["failed"]) == (3, 1)
    assert "always fails" in told["items"][3]["problem"] and told["items"][0]["sentences"] == 2
    files = sorted((tmp_path / "out").iterdir())
    assert [path.name for path in files] == ["w.wav", "x.wav", "y.wav"]
    assert [samples(path) for path in files] == alone(voice, tmp_path, lines[:3])

    assert main.run([*words, "--out", str(tmp_path / "out"), "--cluster", broker]) == 1
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["skipped"] == 3


def test_a_batch_has_the_formats_and_the_knobs_of_the_voice(
    broker: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    voice = write_voice(tmp_path)
    (tmp_path / "list.txt").write_text("Good morning.\n", encoding="utf-8")
    words = ["speak", "--batch", str(tmp_path / "list.txt"), "--voice", str(voice.path), "--cluster", broker]

    assert main.run([*words, "--out", str(tmp_path / "flac"), "--format", "flac", "--set", "vibrato=0.9"]) == 0
    assert (tmp_path / "flac" / "0001.flac").read_bytes()[:4] == b"fLaC"
    assert main.run([*words, "--out", str(tmp_path / "no"), "--set", "warmth=1"]) == 2
    assert "no setting 'warmth'" in capsys.readouterr().err and not (tmp_path / "no").exists()


def test_a_book_is_made_by_the_workers(broker: str, tmp_path: Path) -> None:
    voice = write_voice(tmp_path)
    (tmp_path / "book.md").write_text("# One\n\nIt begins. It goes on.\n\n# Two\n\nIt ends.\n", encoding="utf-8")
    made = {}
    for way, more in {"alone": ["--parallel-voices", "1"], "cluster": ["--cluster", broker]}.items():
        shutil.rmtree(home() / "jobs", ignore_errors=True)  # each way speaks all of it
        (tmp_path / way).mkdir()
        out = tmp_path / way / "book.m4b"
        words = ["book", str(tmp_path / "book.md"), "--voice", str(voice.path), "--speaker", "high", "--out", str(out)]
        assert main.run([*words, *more]) == 0
        units = json.loads(out.with_name("book.manifest.json").read_text(encoding="utf-8"))["units"]
        made[way] = [(unit["text"], unit["samples"], unit["audio_sha256"]) for unit in units], out.read_bytes()

    assert made["cluster"] == made["alone"] and len(made["alone"][0]) == 5


BOOK = "# One\n\nIt was late. [voice:Anna] Who is it? [voice:Bo] Me.\n\n[voice] So. [pause:1s]\n\n# Two\n\nAh.\n"


def test_characters_have_their_voices_also_at_the_workers(
    broker: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Their files are elsewhere there."""
    voice = write_voice(tmp_path)
    voice_of(tmp_path / "others" / "anna.tones", rate_hz=16_000)
    voice_of(tmp_path / "others" / "bo.tones", speakers={"one": 300, "two": 400})
    (tmp_path / "cast.txt").write_text(f"Anna|{tmp_path}/others/anna.tones|high\nBo|{tmp_path}/others/bo.tones|1\n")
    (tmp_path / "book.md").write_text(BOOK, encoding="utf-8")
    (tmp_path / "list.txt").write_text("[voice:Anna] Good morning. [voice:Bo] Good night.\nNobody else.\n")
    common = ["--voice", str(voice.path), "--cast", str(tmp_path / "cast.txt"), "--seed", "7"]
    made = {}
    for way, more in {"alone": ["--parallel-voices", "1"], "cluster": ["--cluster", broker]}.items():
        shutil.rmtree(home() / "jobs", ignore_errors=True)  # each way speaks all of it
        out = tmp_path / way / "book.mp3"
        assert main.run(["book", str(tmp_path / "book.md"), *common, "--out", str(out), *more]) == 0
        batch = ["speak", "--batch", str(tmp_path / "list.txt"), *common, "--out", str(tmp_path / way / "all"), *more]
        assert main.run(batch) == 0
        units = json.loads(out.with_name("book.manifest.json").read_text(encoding="utf-8"))["units"]
        sums = [(unit["text"], unit["audio_sha256"]) for unit in units]
        files = sorted(path for path in (tmp_path / way).rglob("*") if path.suffix in (".wav", ".mp3"))
        made[way] = sums, [path.read_bytes() for path in files]

    assert made["cluster"] == made["alone"] and len(made["alone"][0]) == 7 and len(made["alone"][1]) == 4


def test_a_voice_that_cannot_travel_is_refused(
    redis_server: RedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    voice, card = write_voice(tmp_path), FAMILY.card

    def at_home(_self: object, path: Path) -> VoiceCard:
        found = card(path)
        return replace(found, capabilities=replace(found.capabilities, portable=False))

    monkeypatch.setattr(type(FAMILY), "card", at_home)
    (tmp_path / "list.txt").write_text("Good morning.\n", encoding="utf-8")
    words = ["--batch", str(tmp_path / "list.txt"), "--voice", str(voice.path), "--out", str(tmp_path / "out")]

    assert main.run(["speak", *words, "--cluster", redis_server.url]) == 3
    assert "the voice anna cannot be sent to the workers of a cluster" in capsys.readouterr().err
