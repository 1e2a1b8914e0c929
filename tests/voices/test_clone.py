"""A voice of a recording: what is refused and why, what is kept, and that it speaks."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import soundfile

from tests.toys.engines import install_engine, install_weights, write_toy_voice
from tests.toys.joined import CODECS, by_bytes, ffmpeg
from tests.toys.recordings import RATE_HZ, recording
from voxmatrix.cli import main
from voxmatrix.config import home
from voxmatrix.external.installed import find_engine
from voxmatrix.external.voice import recording_of
from voxmatrix.external.voice_file import read_voice
from voxmatrix.voices.resolve import remove, rename, resolve


@pytest.fixture(autouse=True)
def _engine(monkeypatch: pytest.MonkeyPatch) -> None:
    install_engine()
    monkeypatch.setitem(sys.modules, "resemblyzer", None)


def clone(path: Path, *more: str, name: str = "me", engine: str = "toy", consent: str = "Joe") -> int:
    given = ["voices", "clone", name, "--engine", engine, "--reference", str(path), "--json"]
    return main.run([*given, *(["--consent", consent] if consent else []), *more])


def test_a_recording_becomes_a_voice_that_speaks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert clone(recording(tmp_path / "me.wav"), "--transcript", "some words") == 0

    made = json.loads(capsys.readouterr().out)
    assert made["voice"] == "toy/me" and 5 < made["seconds"] < 6.1
    voice = read_voice(Path(made["path"]))
    assert voice.consent is not None and voice.reference is not None
    assert (voice.consent.by, voice.reference.transcript) == ("Joe", "some words")
    assert (
        voice.consent.statement == "The voice in this recording is that of Joe, who agrees that software imitates it."
    )
    assert main.run(["speak", "--voice", "me", "--text", "Hello there.", "--out", str(tmp_path / "me.flac")]) == 0
    write_toy_voice("bell")
    assert main.run(["speak", "--voice", "bell", "--text", "Hello there.", "--out", str(tmp_path / "bell.flac")]) == 0
    mine, other = (soundfile.read(tmp_path / name)[0] for name in ("me.flac", "bell.flac"))
    assert not np.array_equal(mine, other)


@pytest.mark.parametrize("ending", ["flac", "mp3"])
def test_a_recording_that_was_joined_from_two_is_imitated_whole(
    ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    piece = tmp_path / f"piece.{ending}"
    ffmpeg("-i", recording(tmp_path / "piece.wav", 2.4), *CODECS[ending], piece)
    assert clone(by_bytes([piece, piece])) == 0
    assert 3.8 < json.loads(capsys.readouterr().out)["seconds"] < 5.1


def test_a_recording_is_kept_once_and_goes_with_its_last_voice(tmp_path: Path) -> None:
    path = recording(tmp_path / "me.wav")
    assert clone(path) == clone(path, name="again") == 0
    kept = home() / "voices" / "references"
    assert len(list(kept.iterdir())) == 1

    rename("toy/again", "second")
    remove("toy/me")
    assert len(list(kept.iterdir())) == 1 and resolve("toy/second").files[1].parent == kept
    remove("second")
    assert not list(kept.iterdir())


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"seconds": 2.0}, "s of speech, and the engine needs 3 s"),
        ({"gain": 0.0, "noise": 0.0}, "is silent"),
        ({"noise": 0.3}, "dB below the speech"),
        ({"gain": 8.0}, "clipped at full scale"),
        ({"seconds": 130.0}, "is 130.0 s long; the limit is 120 s"),
    ],
)
def test_a_bad_recording_is_refused_with_the_reason(
    how: dict[str, float], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert clone(recording(tmp_path / "bad.wav", **how)) == 3  # type: ignore[arg-type]
    shown = json.loads(capsys.readouterr().out)
    assert said in shown["problem"] and shown["remedy"]
    assert not (home() / "voices").exists()


def test_what_is_no_recording_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "me.wav").write_bytes(b"RIFF....WAVE")
    assert clone(tmp_path / "me.wav") == 3
    capsys.readouterr()
    assert clone(tmp_path / "missing.wav") == 3
    shown = json.loads(capsys.readouterr().out)
    assert "there is no recording" in shown["problem"] and "--reference" in shown["remedy"]
    assert "line" not in shown["remedy"], "there is no list of recordings"


def test_several_speakers_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class SpeakerEncoder:
        def embedding(self, samples: np.ndarray, rate_hz: int) -> np.ndarray:
            return np.eye(2)[int(samples.max() > 0.5)]

    monkeypatch.setattr("voxmatrix.voices.clone.find_spec", lambda name: SimpleNamespace())
    monkeypatch.setattr("voxmatrix.judge.likeness.SpeakerEncoder", SpeakerEncoder)
    path = recording(tmp_path / "one.wav")
    assert clone(path) == 0
    one, _ = soundfile.read(path)
    soundfile.write(tmp_path / "two.wav", np.concatenate([0.3 * one, one]), RATE_HZ)
    capsys.readouterr()
    assert clone(tmp_path / "two.wav", name="two") == 3
    assert "seems to have several speakers" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "options", "code", "said"),
    [
        ([], {"consent": ""}, 2, "a voice is imitated only if its speaker agrees"),
        ([], {"name": "../me"}, 2, "is no name of a voice"),
        ([], {"engine": "gone"}, 3, "is not installed → installed are: toy; to install: hf, indextts, xtts"),
        ([], {"engine": "xtts"}, 3, "the engine xtts is not installed → voxmatrix engines install xtts"),
        (["--language", "fr"], {}, 2, "choose one of: en-us, de"),
        (["--weights", "big"], {}, 3, "the weights big are not installed"),
    ],
)
def test_what_cannot_be_cloned_is_said(
    more: list[str], options: dict[str, str], code: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert clone(recording(tmp_path / "me.wav"), *more, **options) == code
    shown = json.loads(capsys.readouterr().out)
    assert said in f"{shown['problem']} → {shown['remedy']}"


def test_a_name_that_is_taken_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = recording(tmp_path / "me.wav")
    assert clone(path) == 0
    assert clone(path) == 2
    assert "there is already a voice toy/me" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("rule", "words", "said"),
    [
        ("required", [], "this engine needs the words of the recording"),
        ("none", ["--transcript", "words"], "this engine does not read the words"),
    ],
)
def test_a_transcript_is_given_where_it_is_wanted(
    rule: str, words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    install_engine("other", **{'transcript = "optional"': f'transcript = "{rule}"'})
    assert clone(recording(tmp_path / "me.wav"), *words, engine="other") == 2
    assert said in capsys.readouterr().out


def test_an_engine_that_imitates_nobody_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    install_engine("mute", **{'reference = {seconds = [3, 10], transcript = "optional"}': ""})
    assert clone(recording(tmp_path / "me.wav"), engine="mute") == 3
    assert "does not imitate recordings" in capsys.readouterr().out


def test_the_weights_of_the_engine_are_those_of_the_voice(tmp_path: Path) -> None:
    digest = install_weights(model=b"weights")
    record = {"engine": "toy", "id": "small", "revision": "ab" * 20}
    (home() / "engines" / "weights" / f"{digest}.json").write_text(json.dumps(record))
    assert clone(recording(tmp_path / "me.wav")) == 0
    assert read_voice(resolve("me").path).weights == {"small": digest}
    assert resolve("me").provenance["weights"] == {"small": {"sha256": digest, "revision": "ab" * 20}}
    assert main.run(["speak", "--voice", "me", "--text", "Hello.", "--out", str(tmp_path / "me.wav.flac")]) == 0


def test_a_person_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["Ann", True])
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("typer.prompt", lambda *_, **__: next(answers))
    monkeypatch.setattr("typer.confirm", lambda *_, **__: next(answers))
    path = recording(tmp_path / "me.wav")
    assert main.run(["voices", "clone", "me", "--engine", "toy", "--reference", str(path)]) == 0
    consent = read_voice(resolve("me").path).consent
    assert consent is not None and consent.by == "Ann"


def test_the_seconds_that_are_told_are_those_that_are_imitated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    speech, _ = soundfile.read(recording(tmp_path / "part.wav", seconds=7.0))
    soundfile.write(tmp_path / "long.wav", np.concatenate([speech, np.zeros(RATE_HZ // 2), speech, speech]), RATE_HZ)
    assert clone(tmp_path / "long.wav") == 0
    shown = capsys.readouterr()
    made = json.loads(shown.out)
    assert 5.0 < made["seconds"] < 9.9  # the toy uses 10 s at most
    assert f"only {made['seconds']:.1f} s of 2" in shown.err and "from the first one on" in shown.err
    card = resolve(made["voice"])
    heard = recording_of(card.path, read_voice(card.path), find_engine("toy").manifest.can)
    assert heard is not None
    assert len(heard.samples) / heard.rate_hz == pytest.approx(made["seconds"], abs=0.05)


def test_the_best_seconds_are_kept_and_not_the_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    noisy, _ = soundfile.read(recording(tmp_path / "noisy.wav", seconds=8.0, noise=0.02))
    clear, _ = soundfile.read(recording(tmp_path / "clear.wav", seconds=8.0))
    soundfile.write(tmp_path / "both.wav", np.concatenate([noisy, clear]), RATE_HZ)

    assert clone(tmp_path / "both.wav") == 0

    shown = capsys.readouterr()
    assert "which are the clearest" in shown.err
    card = resolve(json.loads(shown.out)["voice"])
    heard = recording_of(card.path, read_voice(card.path), find_engine("toy").manifest.can)
    assert heard is not None
    quiet = np.percentile(np.abs(heard.samples), 5)
    assert quiet < 0.002 < np.percentile(np.abs(noisy), 5) + 0.002


def test_without_the_package_two_pitches_are_named_and_else_what_was_not_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = recording(tmp_path / "one.wav", seconds=8.0)
    assert clone(path) == 0
    assert "whether only one person speaks in one.wav was not checked, but for the pitch" in capsys.readouterr().err

    one, _ = soundfile.read(path)
    faster = np.interp(np.arange(0, len(one), 1.8), np.arange(len(one)), one)
    soundfile.write(tmp_path / "two.wav", np.concatenate([one, faster, faster]), RATE_HZ)
    assert clone(tmp_path / "two.wav", name="two") == 0
    assert "seems to have two speakers: one at 120 Hz, and one at 216 Hz" in capsys.readouterr().err


@pytest.mark.parametrize(("engine", "file"), [("absent", "me.wav"), ("toy", "missing.wav")])
def test_nobody_is_asked_for_consent_to_what_cannot_be(
    engine: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("typer.prompt", lambda *_, **__: pytest.fail("asked"))
    recording(tmp_path / "me.wav")
    given = ["voices", "clone", "me", "--engine", engine, "--reference", str(tmp_path / file)]
    assert main.run(given) == 3
    assert ("absent" if engine == "absent" else "there is no recording") in capsys.readouterr().err
