"""Voices of an engine do what any voice does: they are listed, speak, are served, and read books."""

import json
import wave
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from tests.serve.conftest import running
from tests.toys.engines import install_engine, write_toy_voice
from voxmatrix.cli import main
from voxmatrix.errors import BadInputError, DamagedFileError
from voxmatrix.files import content_digest
from voxmatrix.machine.facts import Gpu, Machine, TorchBuild
from voxmatrix.models.device import CPU
from voxmatrix.plan.device_request import AUTO, DeviceRequest
from voxmatrix.plan.preflight import Preflight
from voxmatrix.serve.settings import ServeSettings
from voxmatrix.voices.device_selection import select_devices
from voxmatrix.voices.resolve import resolve

TEXT = "Good morning. It is nine o'clock, and the sun is up."


@pytest.fixture(autouse=True)
def voice() -> Path:
    install_engine()
    return write_toy_voice("bell", title="A bell")


def samples(path: Path) -> bytes:
    with wave.open(str(path)) as sound:
        assert sound.getframerate() == 16000
        return sound.readframes(sound.getnframes())


def speak(out: Path, *words: str, text: str = TEXT) -> bytes:
    given = ["--voice", "toy/bell", "--seed", "1", "--text", text, "--out", str(out), "--force"]
    assert main.run(["speak", *given, *words]) == 0
    return samples(out)


def test_it_is_listed_and_found_by_its_names(voice: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["voices", "list", "--json"]) == 0
    (row,) = [one for one in json.loads(capsys.readouterr().out)["voices"] if one["name"] == "toy/bell"]
    assert (row["family"], row["rate_hz"], row["license"], row["problem"]) == ("external", 16000, "Apache-2.0", None)
    assert resolve("toy/bell") == resolve("bell") == resolve(voice) == resolve("bell.voice")
    assert resolve("toy/bell").capabilities.may_teach  # as the licence in the manifest says


def test_a_voice_without_its_engine_says_what_to_install(capsys: pytest.CaptureFixture[str]) -> None:
    write_toy_voice("lost", engine="gone")
    assert main.run(["speak", "--voice", "gone/lost", "--text", "Hello", "--out", "-"]) == 3
    said = capsys.readouterr().err
    assert "the engine gone is not installed" in said
    assert "installed are: toy; to install: hf, indextts, xtts" in said, "there is no engine gone to install"

    write_toy_voice("lost", engine="xtts")
    assert main.run(["speak", "--voice", "xtts/lost", "--text", "Hello", "--out", "-"]) == 3
    assert "→ voxmatrix engines install xtts" in capsys.readouterr().err


def test_a_name_that_two_engines_have_is_refused() -> None:
    write_toy_voice("bell", engine="other")
    with pytest.raises(BadInputError, match="several voices are called bell"):
        resolve("bell")


@pytest.mark.parametrize("content", ["", "{}", '{"engine": "../toy", "language": "en"}', "[" * 100])
def test_a_file_that_is_no_voice_is_said(content: str, voice: Path) -> None:
    voice.write_text(content)
    with pytest.raises(DamagedFileError, match="is no voice of an engine"):
        resolve("toy/bell")


def test_it_speaks_with_its_knobs_and_repeats_itself_with_a_seed(tmp_path: Path) -> None:
    out = tmp_path / "out.wav"
    usual = speak(out)
    assert speak(out) == usual
    others = [speak(out, *words) for words in (["--seed", "2"], ["--set", "pitch=1.5"], ["--speed", "1.5"])]
    assert len({usual, *others}) == 4
    assert not [one for one in psutil.Process().children(recursive=True) if "wire.py" in " ".join(one.cmdline())]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--set", "warmth=1"], "the voice toy/bell has no setting 'warmth'"),
        (["--speed", "3"], "speed is 3.0"),
        (["--device", "cuda"], "the engine of this voice that is installed supports only the CPU"),
        (["--text", "one EXIT two"], "the engine toy exited with code 3 while it speaks: the driver is gone"),
    ],
)
def test_what_it_cannot_do_is_said(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--voice", "toy/bell", "--out", str(tmp_path / "out.wav")]
    assert main.run(["speak", *given, *words, *([] if "--text" in words else ["--text", "Hello."])]) != 0
    shown = capsys.readouterr().err
    assert said in shown and "→" in shown
    assert not list(tmp_path.iterdir())


def test_a_long_sentence_is_spoken_in_parts_that_the_engine_takes(tmp_path: Path) -> None:
    long = "word " * 70 + "end."
    halves = speak(tmp_path / "long.wav", text=long)
    assert len(halves) > 70 * 2 * 16000 * 0.1


def test_a_batch_is_spoken(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text(f"both|{TEXT}\nhello|Hello.\n")
    words = [
        "--batch",
        str(tmp_path / "list.csv"),
        "--voice",
        "toy/bell",
        "--seed",
        "1",
        "--out",
        str(tmp_path / "all"),
    ]
    assert main.run(["speak", *words, "--parallel-voices", "2"]) == 0
    assert samples(tmp_path / "all" / "both.wav") == speak(tmp_path / "one.wav")


def test_the_key_of_what_it_speaks_has_its_files_and_its_arithmetic(voice: Path) -> None:
    card = resolve("toy/bell")
    placed = card.on(CPU)
    assert placed.variant == "cpu float32 sdpa" and placed.digest != card.digest
    before = card.digest
    (voice.parents[2] / "engines" / "toy" / "lock.txt").write_text("something else\n")
    assert resolve("toy/bell").digest != before


@pytest.mark.parametrize(("words", "may"), [('name = "Apache-2.0"', True), ('name = "X"\nmay_teach = false', False)])
def test_it_teaches_only_if_its_licence_allows_that(words: str, may: bool) -> None:
    install_engine("other", **{'name = "Apache-2.0"': words})
    assert resolve(write_toy_voice("ring", engine="other")).capabilities.may_teach is may


def test_it_is_served_and_heard_before_the_sentence_is_spoken() -> None:
    write_toy_voice("lost", engine="gone")
    settings = ServeSettings(voice=Path("toy/bell"), port=0, device=DeviceRequest(kind="cpu"), threads=1)
    with running(settings) as server:
        listed = server.get("/v1/audio/voices").json()["voices"][0]
        shown = {voice["id"]: voice["problem"] for voice in server.get("/v1/voices").json()["voices"]}
        whole = server.speak(voice="toy/bell", input=TEXT, seed=1, response_format="pcm", knobs={"steps": 3})
        refused = server.speak(voice="toy/bell", knobs={"noise": 0.5})
        failed = server.speak(voice="toy/bell", input="one EXIT two")
        again = server.speak(voice="toy/bell", input=TEXT, seed=1, response_format="pcm", knobs={"steps": 3})
    assert listed["id"] == "toy/bell"
    assert (shown["toy/bell"], shown["gone/lost"]) == (None, "the engine gone is not installed")
    assert set(listed["capabilities"]["knobs"]) == {"pitch", "steps"}
    assert whole.status_code == 200 and len(whole.content) > 16000
    assert refused.status_code == 400
    assert failed.status_code >= 500
    assert np.array_equal(whole.content, again.content)


def make_book(out: Path, *more: str) -> dict[str, Any]:
    book = out.with_name("book.md")
    book.write_text("# One\n\nIt begins. It goes on, and on.\n\n# Two\n\nIt ends.\n")
    words = [str(book), "--voice", "toy/bell", "--out", str(out), "--parallel-voices", "1", "--seed", "1"]
    assert main.run(["book", *words, *more]) == 0
    return dict(json.loads(out.with_suffix(".manifest.json").read_text()))


def test_a_book_is_made_and_its_certificate_says_what_computed_it(
    voice: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = make_book(tmp_path / "B.flac")
    assert made["voice"]["engine"] == "toy" and made["voice"]["computed"] == ["cpu float32 sdpa"]
    assert made["voice"]["lock_sha256"] == content_digest(voice.parents[2] / "engines" / "toy" / "lock.txt")
    assert [unit["rate_hz"] for unit in made["units"]] == [16000] * 5

    capsys.readouterr()
    again = make_book(tmp_path / "B.flac", "--force", "--json")
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["spoken"] == 0
    assert again["units"] == made["units"]


def test_a_device_that_the_engine_does_not_know_is_left_for_the_cpu() -> None:
    write_toy_voice("ring", engine="other")
    install_engine("other", **{'kinds = ["cpu"]': 'kinds = ["cpu", "cuda"]'})
    gpu = Gpu(index=0, kind="xpu", name="Arc", target="bmg")
    machine = Machine(
        platform="linux", cpus=2, gpus=(gpu,), torch=TorchBuild(version="2.8", xpu="2025", kernels=("bmg",))
    )
    preflight = Preflight.on(machine, AUTO, "speak")
    assert preflight.selected.gpu == gpu
    found = select_devices(resolve("ring"), AUTO, preflight)
    assert found.devices == (CPU,) and "does not compute on xpu devices" in found.findings[0].problem


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("rtx-3060", ("bfloat16", "sdpa", 300)),
        ("gtx-1660", ("float32", "sdpa", 600)),
        ("no-gpu", ("float32", "sdpa", 600)),
    ],
)
def test_the_plan_says_how_it_is_computed_and_why(
    name: str, expected: tuple[str, str, int], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = '[run]\ndtypes = ["bfloat16", "float32"]\nmemory = { fixed_mib = 300 }\n\n[licence]'
    install_engine("other", **{'kinds = ["cpu"]': 'kinds = ["cpu", "cuda"]', "[licence]": run})
    write_toy_voice("ring", engine="other")
    words = ["plan", "--voice", "other/ring", "--machine", str(Path(__file__).parents[1] / "machines" / f"{name}.json")]
    assert main.run([*words, "--json"]) == 0
    settings = json.loads(capsys.readouterr().out)["settings"]
    shown = [settings[f"voice_{name}"] for name in ("dtype", "attention", "memory_mib")]
    assert tuple(one["value"] for one in shown) == expected and all(one["reason"] for one in shown)
    assert main.run(words) == 0
    assert "voice_dtype" in capsys.readouterr().out
    monkeypatch.setenv("VOXMATRIX_VOICE", "other/ring")
    assert main.run(["plan", "--json"]) == 0  # of a training, which has no such voice
    assert "voice_dtype" not in capsys.readouterr().out


def test_a_voice_is_shown_with_how_it_is_computed_here(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["voices", "show", "toy/bell", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["dtype"] == {"value": "float32", "reason": "the CPU computes float32 fastest"}
    assert main.run(["voices", "show", "toy/bell"]) == 0
    assert "attention      sdpa: the first that needs no package of its own" in capsys.readouterr().out
