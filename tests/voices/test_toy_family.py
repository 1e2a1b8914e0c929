"""A family that nothing above the families knows does whatever a voice can do, and is refused what it cannot."""

import json
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import openai
import pytest

from tests.serve.conftest import running
from tests.toys.family import tones, write_voice  # noqa: F401 (a fixture)
from voxmatrix.cli import main
from voxmatrix.config import home
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.serve.settings import ServeSettings
from voxmatrix.voices.resolve import resolve

pytestmark = pytest.mark.usefixtures("tones", "voice")

TEXT = "Good morning. It is nine o'clock."
Speak = Callable[..., bytes]


@pytest.fixture
def voice(tones: None) -> Path:  # noqa: F811
    return write_voice(home() / "voices" / "bells.tones")


@pytest.fixture
def speak(tmp_path: Path) -> Speak:
    """Speak a text with the command, and return the samples."""

    def speak(*words: str, text: str = TEXT) -> bytes:
        out = tmp_path / "out.wav"
        given = ["--voice", "bells", "--seed", "1", "--text", text, "--out", str(out), "--force"]
        assert main.run(["speak", *given, *words]) == 0
        return samples(out)

    return speak


def samples(path: Path) -> bytes:
    with wave.open(str(path)) as sound:
        assert sound.getframerate() == 12000
        return sound.readframes(sound.getnframes())


def refusal(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What the command says when it refuses: one line, and one that says what to do."""
    capsys.readouterr()
    assert main.run(list(words)) in (2, 3, 4)
    said = capsys.readouterr()
    lines = (said.err or said.out).strip().splitlines()
    assert len(lines) == 2 and "→" in lines[1], lines
    return lines[0]


def test_it_is_listed(voice: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["voices", "list"]) == 0
    shown = capsys.readouterr().out
    assert "bells" in shown and "en-us, 12000 Hz, 2 speakers" in shown and str(voice) in shown

    assert main.run(["voices", "list", "--json"]) == 0
    (found,) = [one for one in json.loads(capsys.readouterr().out)["voices"] if one["name"] == "bells"]
    assert (found["family"], found["rate_hz"], found["speakers"], found["problem"]) == ("tones", 12000, 2, None)


def test_it_is_found_by_its_name_its_file_and_its_folder(voice: Path) -> None:
    assert resolve("bells") == resolve(voice) == resolve(voice.parent) == resolve(voice.name)


def test_a_damaged_file_is_listed_with_the_problem(voice: Path, capsys: pytest.CaptureFixture[str]) -> None:
    voice.write_text("ding")
    assert main.run(["voices", "list"]) == 0
    assert "bells.tones is no voice of tones" in capsys.readouterr().out


def test_it_speaks_and_obeys_its_knobs_its_speakers_and_the_seed(speak: Speak) -> None:
    usual = speak()

    assert speak() == usual
    found = {usual, speak("--set", "vibrato=0.9"), speak("--set", "brightness=1"), speak("--speaker", "high")}
    assert len({*found, speak("--seed", "2")}) == 5
    assert speak("--speaker", "1") == speak("--speaker", "high")
    assert len(speak("--speed", "2")) < 0.7 * len(usual)


def test_a_lexicon_is_applied_before_it_reads(speak: Speak, tmp_path: Path) -> None:
    (tmp_path / "lexicon.txt").write_text("morning|evening\n")

    changed = speak("--lexicon", str(tmp_path / "lexicon.txt"), text="Good morning.")

    assert len(changed) == len(speak(text="Good evening.")) != 0
    assert changed != speak(text="Good morning.")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--set", "warmth=1"], "the voice bells has no setting 'warmth'"),
        (["--noise", "0.5"], "the voice bells has no setting 'noise'"),
        (["--set", "vibrato=7"], "vibrato is 7.0"),
        (["--speed", "3"], "speed is 3.0"),
        (["--speaker", "bo"], "has no speaker 'bo'"),
        (["--device", "cuda"], "the numpy that is installed supports only the CPU"),
    ],
)
@pytest.mark.parametrize("batch", [False, True])
def test_what_it_lacks_is_refused_in_one_sentence(
    words: list[str], said: str, batch: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "list.txt").write_text("Hello.\n")
    given = ["--batch", str(tmp_path / "list.txt"), "--out", str(tmp_path / "all")]
    given = given if batch else ["--text", "Hello.", "--out", str(tmp_path / "one.wav")]

    assert said in refusal(capsys, "speak", "--voice", "bells", *given, *words)
    assert [path.name for path in tmp_path.iterdir()] == ["list.txt"]


def test_a_batch_is_spoken(speak: Speak, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "list.csv").write_text(f"both|{TEXT}\nnothing|…\nhello|Hello.\n")
    out = tmp_path / "all"
    words = ["--batch", str(tmp_path / "list.csv"), "--voice", "bells", "--seed", "1", "--out", str(out)]

    assert main.run(["speak", *words, "--parallel-voices", "2", "--json"]) == 3

    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (told["spoken"], told["failed"]) == (2, 1) and "nothing to speak" in told["problem"]
    assert samples(out / "both.wav") == speak()
    assert samples(out / "hello.wav") == speak(text="Hello.")


def test_a_book_is_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "book.md").write_text("# One\n\nIt begins. It goes on.\n\n# Two\n\nIt ends.\n")
    out = tmp_path / "book.m4b"
    words = [str(tmp_path / "book.md"), "--voice", "bells", "--speaker", "high", "--out", str(out)]

    assert main.run(["book", *words, "--parallel-voices", "1", "--set", "brightness=0"]) == 0

    made = json.loads(out.with_name("book.manifest.json").read_text())
    assert made["complete"] and [unit["rate_hz"] for unit in made["units"]] == [12000] * 5
    assert "bells.tones" in json.dumps(made["voice"])
    capsys.readouterr()
    assert main.run(["book", "inspect", str(tmp_path / "book.md"), "--voice", "bells", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["speed"] > 1


def test_it_is_served(speak: Speak, voice: Path) -> None:
    served = ServeSettings(voice=voice, port=0, device=DeviceRequest(kind="cpu"), threads=1)
    with running(served) as server:
        (found, *_) = server.get("/v1/audio/voices").json()["voices"]
        client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="anything", max_retries=0)
        more: dict[str, Any] = {"seed": 1, "knobs": {"vibrato": 0.9}}
        said = client.audio.speech.create(
            model="tts-1", voice="bells:high", input=TEXT, response_format="wav", extra_body=more
        )
        refused = server.speak(voice="bells", knobs={"noise": 0.5})
        page = httpx.get(f"{server.url}/")

    assert (found["id"], found["speakers"], found["rate_hz"]) == ("bells", ["low", "high"], 12000)
    assert found["capabilities"] == {
        "knobs": {
            "vibrato": {"title": "Depth of the vibrato", "default": 0.1, "low": 0.0, "high": 1.0, "integer": False},
            "brightness": {
                "title": "Loudness of the overtone",
                "default": 0.3,
                "low": 0.0,
                "high": 1.0,
                "integer": False,
            },
        },
        "speed": [0.5, 2.0],
        "phonemes": False,
        "seed": "bytes",
    }
    assert said.content[44:] == speak("--speaker", "high", "--set", "vibrato=0.9")
    assert refused.status_code == 400 and "has no setting 'noise'" in refused.json()["error"]["message"]
    assert page.status_code == 200


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["distil", "bells", "--out", "fast.onnx"], "may not teach: its licence (unknown)"),
        (["export", "voice", "bells", "--out", "bells.onnx"], "cannot be exported: it is a voice of the family"),
        (
            ["train", "data", "--out", "run", "--from", "bells"],
            "cannot be trained further: it is a voice of the family",
        ),
    ],
)
@pytest.mark.parametrize("by_path", [False, True])
def test_what_its_family_does_not_allow_is_refused_in_one_sentence(
    words: list[str], reason: str, by_path: bool, voice: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    given = [str(voice) if by_path and word == "bells" else word for word in words]

    assert reason in refusal(capsys, *given)
    assert not list(tmp_path.iterdir())


def test_a_family_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    from voxmatrix.voices.families import VARIABLE, families

    with pytest.MonkeyPatch.context() as patch:  # undone before that of `tones`
        patch.setenv(VARIABLE, "tests.toys.nothing")
        families.cache_clear()
        assert "VOXMATRIX_FAMILIES names 'tests.toys.nothing'" in refusal(capsys, "voices", "list")


def test_levels_are_equal_from_sentence_to_sentence(speak: Speak) -> None:
    both = np.frombuffer(speak(text="Good morning. Good night."), np.int16).astype(float)
    loud = [float(np.sqrt(np.mean(part**2))) for part in (both[:6000], both[-6000:])]
    assert loud[0] == pytest.approx(loud[1], rel=0.3)
