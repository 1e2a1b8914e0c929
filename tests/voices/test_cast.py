"""Several voices in one text: named by tags, of one rate, the same alone and in a batch."""

import json
import shutil
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.piper.conftest import checkpoint_content, make_checkpoint, make_onnx  # noqa: F401
from voxmatrix.cli import main
from voxmatrix.config import home
from voxmatrix.errors import BadInputError
from voxmatrix.models.style import Role, Style
from voxmatrix.voices.cast import read_cast, unused_names, with_voices_of
from voxmatrix.work.unit import unit_of


@pytest.fixture
def voices(make_onnx: Any) -> list[Path]:  # noqa: F811
    """A narrator, a voice of another rate, and one with three speakers, in the folder of voices."""
    folder = home() / "voices"
    folder.mkdir(parents=True)
    found = []
    for name, made in {"teller": ("tiny", 1), "anna": ("medium", 1), "many": ("x_low", 3)}.items():
        source = make_onnx(*made, "text")
        found.append(folder / f"{name}.onnx")
        shutil.copy(source, found[-1])
        shutil.copy(f"{source}.json", f"{found[-1]}.json")
    return found


def sound(path: Path) -> tuple[int, np.ndarray]:
    with wave.open(str(path)) as file:
        return file.getframerate(), np.frombuffer(file.readframes(10**9), "<i2")


def speak(out: Path, text: str, *more: str) -> tuple[int, np.ndarray]:
    command = ["speak", "--voice", "teller", "--seed", "1", "--text", text, "--out", str(out), "--force", *more]
    assert main.run(command) == 0
    return sound(out)


def test_voices_rates_and_pauses_in_a_text(voices: list[Path], tmp_path: Path) -> None:
    cast = tmp_path / "cast.txt"
    cast.write_text("# who is who\nAnna|anna\nBo Li|many|2\n", encoding="utf-8")
    out, by_cast = tmp_path / "a.wav", ["--cast", str(cast)]
    first, second, third = "Once upon a time.", "Who is there?", "It is me."
    rate, one = speak(out, first)
    text = f"{first} [pause:1.5s] [voice:ANNA] {second} [voice:Bo Li] {third} [voice][rate:0.5] {first} [pause:500ms]"
    all_rate, everything = speak(out, text, *by_cast)
    assert all_rate == rate
    assert np.array_equal(everything[: len(one)], one)
    gap = everything[len(one) :]
    assert not gap[: round(1.69 * rate)].any() and gap[: round(1.75 * rate)].any()
    assert not everything[-rate // 2 :].any()

    _, slow = speak(out, f"[rate:0.5] {first}")
    assert np.array_equal(everything[-rate // 2 - len(slow) : -rate // 2], slow)
    assert len(slow) > 1.3 * len(one)

    _, of_anna = speak(out, f"[voice:anna] {second}")
    anna_rate, alone = sound(_spoken_by(tmp_path, "anna", second))
    assert anna_rate != rate and len(of_anna) == pytest.approx(len(alone) * rate / anna_rate, abs=2)
    _, of_bo = speak(out, f"[voice:Bo Li] {third}", *by_cast)
    _, by_speaker = sound(_spoken_by(tmp_path, "many", third, "--speaker", "2"))
    assert len(of_bo) == pytest.approx(len(by_speaker), abs=2)


def _spoken_by(folder: Path, voice: str, text: str, *more: str) -> Path:
    out = folder / f"{voice}.wav"
    assert main.run(["speak", "--voice", voice, "--seed", "1", "--text", text, "--out", str(out), *more]) == 0
    return out


def test_captions_have_the_words_of_all_voices(voices: list[Path], tmp_path: Path) -> None:
    captions = tmp_path / "a.json"
    speak(tmp_path / "a.wav", "Hello there. [pause:1s] [voice:anna] Who is it?", "--captions", str(captions))
    content = json.loads(captions.read_text())
    assert [word["word"] for word in content["words"]] == ["Hello", "there.", "Who", "is", "it?"]
    assert content["words"][2]["start"] > content["words"][1]["end"] + 1.19
    assert content["words"][-1]["end"] <= content["segments"][-1]["end"]


def test_ssml_is_spoken_from_a_text_and_a_file(voices: list[Path], tmp_path: Path) -> None:
    text = '<speak>Hello.<break time="1s"/><voice name="anna">Bye &amp; bye.</voice></speak>'
    file = tmp_path / "a.ssml"
    file.write_text(text, encoding="utf-8")
    _, given = speak(tmp_path / "a.wav", text)
    _, tagged = speak(tmp_path / "b.wav", "Hello. [pause:1s] [voice:anna] Bye & bye.")
    assert np.array_equal(given, tagged)
    out = tmp_path / "c.wav"
    assert main.run(["speak", "--voice", "teller", "--seed", "1", "--file", str(file), "--out", str(out)]) == 0
    assert np.array_equal(sound(out)[1], given)


def test_a_batch_says_what_one_text_says(voices: list[Path], tmp_path: Path) -> None:
    texts, out = tmp_path / "texts", tmp_path / "out"
    texts.mkdir()
    text = "Hello. [voice:anna] Who is there? [pause:1s] [voice:many] Me."
    (texts / "a.txt").write_text(text)
    (texts / "b.txt").write_text("Hello. [voice:nobody] Bye.")
    command = ["speak", "--voice", "teller", "--seed", "1", "--batch", str(texts), "--out", str(out)]
    assert main.run(command) == 3
    assert np.array_equal(sound(out / "a.wav")[1], speak(tmp_path / "a.wav", text)[1])
    assert not (out / "b.wav").exists()


def test_a_voice_that_is_not_there_is_named(
    voices: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "a.wav"
    assert main.run(["speak", "--voice", "teller", "--text", "[voice:nobody] Hi.", "--out", str(out)]) == 3
    assert "nobody" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize(
    ("line", "message"),
    [("Anna", "not a name and a voice"), ("A|anna|0|x", "not a name"), ("A|anna\na|many", "listed twice"),
     ("A|nobody", "no voice nobody"), ("A|many|9", "no speaker")],
)  # fmt: skip
def test_a_bad_table_is_refused(line: str, message: str, voices: list[Path], tmp_path: Path) -> None:
    path = tmp_path / "cast.txt"
    path.write_text(line)
    with pytest.raises(BadInputError, match=message):
        read_cast(path)


def test_a_name_that_is_no_voice_leads_to_the_cast() -> None:
    with pytest.raises(BadInputError, match=r"the text has \[voice:Nobody\], and there is no voice Nobody") as caught:
        with_voices_of(Style(), "[voice:Nobody] Hello.")
    assert "Nobody|VOICE" in caught.value.remedy and "`cast`" in caught.value.remedy


def test_units_have_the_voices_that_they_need_and_none_changes_without_a_cast(voices: list[Path]) -> None:
    style = Style(cast={"anna": Role("anna.onnx", None, "1")})
    named = with_voices_of(style, "[voice:Anna] Hello [voice:many] you.")
    assert named.cast["anna"] == style.cast["anna"] and named.cast["many"].digest
    assert Style.from_json(named.to_json()) == named
    assert with_voices_of(style, "Hello.") == Style()
    assert "cast" not in Style().to_json()
    assert (
        unit_of("Hello.", "digest", Style()).key == "7f1c820b396c18579fa70663870576f2126d055a2f0e62652daa1c5b07104bff"
    )


def test_quotations_and_emphasis_sound_as_if_tags_named_their_voices(voices: list[Path], tmp_path: Path) -> None:
    cast = tmp_path / "cast.txt"
    cast.write_text("Bo|many|2\n", encoding="utf-8")
    out = tmp_path / "a.wav"
    text = "He said “who is there?” and *opened the door*. “Nobody.” So it was."
    marks = ["--cast", str(cast), "--dialogue-voice", "anna", "--emphasis-voice", "Bo"]
    _, by_marks = speak(out, text, *marks)
    tags = (
        "He said [voice:anna] “who is there?” [voice] and [voice:Bo] opened the door. "
        "[voice:anna] “Nobody.” [voice] So it was."
    )
    _, by_tags = speak(out, tags, "--cast", str(cast))
    assert np.array_equal(by_marks, by_tags)
    _, plain = speak(out, text)
    assert not np.array_equal(by_marks, plain)
    path = tmp_path / "text.txt"  # in a file, a quotation goes on from sentence to sentence
    path.write_text("He said “who is there? It is late.” So it was.", encoding="utf-8")
    command = ["speak", "--voice", "teller", "--seed", "1", "--file", str(path), "--out", str(out), "--force"]
    assert main.run([*command, "--dialogue-voice", "anna"]) == 0
    _, of_file = sound(out)
    _, of_tags = speak(out, "He said [voice:anna] “who is there? It is late.” [voice] So it was.")
    assert np.array_equal(of_file, of_tags)


def test_a_voice_for_quotations_that_is_missing_is_named(
    voices: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["speak", "--voice", "teller", "--text", "x", "--out", str(tmp_path / "a.wav")]
    assert main.run([*command, "--dialogue-voice", "nobody"]) == 3
    assert "nobody" in capsys.readouterr().err


def test_names_of_a_cast_that_a_text_does_not_use_are_told() -> None:
    style = Style(cast=dict.fromkeys(("anna", "bob", "eve", "d"), Role("v")), dialogue_voice="D")
    assert unused_names(style, "[voice:Anna] Hello.\n\nBob: Hello.", ["Eve"]) == ()
    (told,) = unused_names(style, "Hello.")
    assert told.problem == "the text does not use anna, bob, eve of the cast"
    assert set(with_voices_of(style, "Bob: Hello.", speakers=["Eve", "Al"]).cast) == {"bob", "eve", "d"}
