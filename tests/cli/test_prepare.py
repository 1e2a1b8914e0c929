"""`voxmatrix prepare` over a folder with everything wrong, and over the samples."""

import json
import shutil
from pathlib import Path

import pytest

from tests.dataset import broken
from voxmatrix.cli import main

SAMPLES = Path(__file__).resolve().parent.parent.parent / "samples"


def test_every_kind_of_broken_recording_is_reported_by_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = broken.build(tmp_path / "data")
    report = tmp_path / "report.html"

    code = main.run(["prepare", str(tmp_path / "data"), "--phonemes", "text", "--force", "--report", str(report)])

    out = capsys.readouterr().out
    assert code == 0
    assert report.stat().st_size > 1000
    bad = [name for name, what in expected.items() if what != "used" and not what.startswith("warning:")]
    assert len(bad) >= 30
    assert [name for name in bad if f"left out: {name}" not in out] == []


def test_json_has_each_problem_with_its_kind_and_remedy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken.build(tmp_path / "data")

    main.run(["prepare", str(tmp_path / "data"), "--phonemes", "text", "--force", "--json"])

    answer = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert answer["problems"]
    assert all(problem["kind"] and problem["remedy"] for problem in answer["problems"])


def test_too_few_recordings_is_exit_3_with_what_was_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.wav").write_bytes(b"")
    (tmp_path / "a.txt").write_text("Hello.", encoding="utf-8")

    assert main.run(["prepare", str(tmp_path), "--phonemes", "text"]) == 3

    said = capsys.readouterr()
    assert "left out: a" in said.out
    assert "voxmatrix:" in said.err


@pytest.fixture
def two_recordings(tmp_path: Path) -> str:
    """Four seconds of speech."""
    (tmp_path / "data" / "wavs").mkdir(parents=True)
    lines = (SAMPLES / "en" / "metadata.csv").read_text(encoding="utf-8").splitlines(keepends=True)[:2]
    (tmp_path / "data" / "metadata.csv").write_text("".join(lines), encoding="utf-8")
    for line in lines:
        (path,) = (SAMPLES / "en" / "wavs").glob(f"{line.partition('|')[0]}.*")
        shutil.copy(path, tmp_path / "data" / "wavs")
    return str(tmp_path / "data")


def test_nothing_in_a_transcript_commands_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    title = "\x1b]0;evil\x07\x9b2J\r"
    (tmp_path / "metadata.csv").write_text(f"x{title}y|Hello.\n", encoding="utf-8")

    assert main.run(["prepare", str(tmp_path), "--phonemes", "text"]) == 3

    said = capsys.readouterr()
    assert r"left out: x\x1b]0;evil\x07\x9b2J\ry" in said.out
    assert not {"\x1b", "\x07", "\x9b", "\r"} & set(said.out + said.err)


@pytest.mark.parametrize("name", ["sound.wav", "metadata.csv", "list.jsonl"])
def test_what_is_no_text_is_one_error(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / name).write_bytes(b"RIFF$\0\0\0WAVEfmt \n" * 300)

    for data in (tmp_path / name, *([] if name == "sound.wav" else [tmp_path])):
        assert main.run(["prepare", str(data), "--phonemes", "text"]) == 3
        said = capsys.readouterr()
        assert said.out == "" and f"{name} is not a text" in said.err and len(said.err.splitlines()) == 2


@pytest.mark.parametrize("command", [["prepare"], ["train", "--out", "run"]])
def test_less_than_a_minute_of_speech_requires_force(
    command: list[str], two_recordings: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(two_recordings).parent)
    words = [command[0], two_recordings, *command[1:], "--phonemes", "text", "--quality", "tiny"]

    assert main.run(words) == 3

    said = capsys.readouterr()
    assert "expect: no voice at all" in said.out and "distil" not in said.out
    assert "4 s of usable speech" in said.err and "--force" in said.err
    assert not Path("run").exists()


def test_force_accepts_less_than_a_minute_of_speech(two_recordings: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["prepare", two_recordings, "--phonemes", "text", "--quality", "tiny", "--force"]) == 0
    assert "2 recordings ready (0 min 4 s)" in capsys.readouterr().out


def test_the_amount_of_speech_is_followed_by_the_voice_to_expect_and_what_more_would_give(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main.run(["prepare", str(SAMPLES / "en"), "--phonemes", "text", "--quality", "tiny"]) == 0
    out = capsys.readouterr().out
    assert "2 min 5" in out and "expect: a first try" in out and "with 10 minutes:" in out
    assert f"voxmatrix voices make {SAMPLES / 'en'} --out" in out
    assert main.run(["prepare", str(SAMPLES / "en"), "--phonemes", "text", "--quality", "tiny", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert "a first try" in answer["expect"] and answer["level"] == "trial"
    for shown in (answer["durations"], answer["paces"]):
        assert (
            shown["width"] > 0
            and sum(shown["used"]) == answer["clips"]
            and len(shown["left_out"]) == len(shown["used"])
        )


def test_warnings_that_many_share_take_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["prepare", str(SAMPLES / "en"), "--phonemes", "text", "--quality", "medium"]) == 0

    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("used, but")]
    assert len(lines) == 1
    assert "more" in lines[0]


def test_a_reason_that_many_share_is_not_repeated_for_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(25):
        shutil.copy(next((SAMPLES / "en" / "wavs").iterdir()), tmp_path / f"en-{number:02}.wav")
    (tmp_path / "en-24.txt").write_text("The only one that has a text.")

    assert main.run(["prepare", str(tmp_path), "--phonemes", "text"]) == 3

    out = capsys.readouterr().out
    assert out.count("has no text") == 5
    assert "left out: 19 more for the same reason" in out and "24 left out" in out


def test_recordings_of_a_phone_are_answered_with_the_command_that_cuts_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(24):
        (tmp_path / f"New Recording {number}.m4a").touch()
    (tmp_path / "script.txt").write_text("1. One.")

    assert main.run(["prepare", str(tmp_path)]) == 3

    said = capsys.readouterr().err
    assert said.count("New Recording") == 1
    command = f"voxmatrix segment {tmp_path} --out {tmp_path}-clips --text {tmp_path / 'script.txt'}"
    assert command in " ".join(said.split())


@pytest.mark.espeak
def test_the_samples_are_clean() -> None:
    for language, voice in (("en", "en_US"), ("sv", "sv-SE")):
        assert main.run(["prepare", str(SAMPLES / language), "--language", voice, "--quality", "tiny", "--json"]) == 0


@pytest.mark.parametrize("as_json", [False, True])
def test_an_interruption_says_that_what_is_done_is_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("voxmatrix.dataset.prepare.prepare", interrupted)
    code = main.run(["prepare", str(SAMPLES / "en"), "--phonemes", "text", *(["--json"] if as_json else [])])
    said = capsys.readouterr()
    assert code == 130
    assert "is kept in" in (json.loads(said.out)["problem"] if as_json else said.err)


def test_zero_seconds_means_the_automatic_limit(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["prepare", str(SAMPLES / "en"), "--phonemes", "text", "--quality", "tiny", "--json"]
    answers = []
    for more in ([], ["--max-seconds", "0"], ["--max-seconds", "20"]):
        assert main.run([*words, *more]) == 0
        answers.append(json.loads(capsys.readouterr().out.splitlines()[-1]))
    assert answers[0] == answers[1] == answers[2]
    assert answers[0]["clips"] > 0
