from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from voxmatrix.dataset.checks import check_recordings
from voxmatrix.dataset.folder import Recording
from voxmatrix.dataset.prepared import PrepareSettings
from voxmatrix.dataset.processing import ProcessedRecording
from voxmatrix.dataset.pronunciation import Pronunciation
from voxmatrix.dataset.sound import SoundFacts
from voxmatrix.transcripts.lines import Problem

SETTINGS = PrepareSettings(quality="medium", language="en-us", phoneme_type="text", cache=Path("cache"))
TEXT = "forty letters are in this sentence, nearly so"


def made(
    name: str, *, seconds: float = 3.0, text: str = TEXT, speaker: str | None = None, sha: str = "", **sound: Any
) -> ProcessedRecording:
    facts = {
        "samples": round(seconds * 22050),
        "rate_hz": 22050,
        "seconds": seconds,
        "source_rate_hz": 44100,
        "channels": 1,
        "loudest_dbfs": -15.0,
    }
    return ProcessedRecording(
        recording=Recording(id=name, path=Path(f"{name}.wav"), text=text, speaker=speaker, line=f"m:{name}"),
        sha256=sha or name,
        sound_key=name,
        sound=SoundFacts(**{**facts, **sound}),
        spoken=Pronunciation(phonemes=text, characters=sum(sign.isalnum() for sign in text)),
    )


def kinds(
    *recordings: ProcessedRecording, settings: PrepareSettings = SETTINGS, missing: set[str] | None = None
) -> list[tuple[str, str]]:
    found: list[Problem] = check_recordings(recordings, [missing or set()] * len(recordings), settings)
    return [(problem.id, problem.kind) for problem in found]


def test_a_good_recording_has_no_problem() -> None:
    assert kinds(made("a")) == []


@pytest.mark.parametrize(
    ("changed", "kind"),
    [
        ({"fault": "unreadable"}, "unreadable"),
        ({"loudest_dbfs": -61.0}, "silent"),
        ({"samples": 8191}, "too-short"),
        ({"seconds": 20.1}, "too-long"),
        ({"clipped_fraction": 0.02}, "clipped"),
    ],
)
def test_bad_sound_is_left_out(changed: dict[str, Any], kind: str) -> None:
    assert ("a", kind) in kinds(made("a", **changed))


def test_a_segment_is_just_enough() -> None:
    assert ("a", "too-short") not in kinds(made("a", samples=8192, text="yes"))


@pytest.mark.parametrize(
    ("changed", "kind"), [({"source_rate_hz": 16000}, "low-rate"), ({"clipped_fraction": 0.001}, "clipped")]
)
def test_poor_sound_is_used_with_a_warning(changed: dict[str, Any], kind: str) -> None:
    (problem,) = check_recordings([made("a", **changed)], [set()], SETTINGS)
    assert (problem.kind, problem.severity) == (kind, "warning")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "empty-text"),
        ("!?…", "unpronounceable"),
        ("a" * 2001, "too-many-phonemes"),
        ("a" * 501, "too-many-phonemes"),
    ],
)
def test_bad_text_is_left_out(text: str, kind: str) -> None:
    assert kinds(made("a", text=text)) == [("a", kind)]


def test_symbols_without_an_id_are_named_in_a_warning() -> None:
    (problem,) = check_recordings([made("a")], [{"ß", "ð"}], SETTINGS)
    assert (problem.kind, problem.severity) == ("unknown-symbols", "warning")
    assert "ß ð" in problem.problem


def test_everything_wrong_with_one_recording_is_told_at_once() -> None:
    assert [kind for _, kind in kinds(made("a", text="", samples=10, clipped_fraction=0.5))] == [
        "too-short",
        "clipped",
        "empty-text",
    ]


def test_of_twins_the_first_stays_when_their_texts_agree() -> None:
    twin = made("a")
    twin = ProcessedRecording(**{**vars(twin), "recording": Recording(**{**vars(twin.recording), "line": "m:later"})})
    problems = check_recordings([made("a"), twin], [set()] * 2, SETTINGS)
    assert [(problem.kind, problem.place) for problem in problems] == [("duplicate-id", "m:later")]
    assert kinds(made("a", sha="x"), made("b", sha="x")) == [("b", "duplicate-audio")]


def test_of_twins_with_different_texts_none_stays() -> None:
    assert kinds(made("a", sha="x"), made("b", sha="x", text=TEXT + " and more")) == [
        ("a", "duplicate-audio"),
        ("b", "duplicate-audio"),
    ]


def test_what_is_bad_by_itself_is_nobodys_twin() -> None:
    assert kinds(made("a", sha="x", fault="unreadable"), made("b", sha="x")) == [("a", "unreadable")]


def test_a_recording_without_a_speaker_among_others_with_one_is_left_out() -> None:
    assert kinds(made("a", speaker="anna"), made("b")) == [("b", "no-speaker")]
    assert kinds(made("a", speaker="anna"), made("b", speaker="bob")) == []


def test_a_text_far_from_the_usual_pace_is_left_out() -> None:
    usual = [made(f"{number}", seconds=2.7 + 0.05 * number) for number in range(12)]
    assert kinds(*usual) == []
    assert kinds(*usual, made("fast", seconds=1.0)) == [("fast", "text-does-not-fit")]
    assert kinds(*usual, made("slow", seconds=9.0)) == [("slow", "text-does-not-fit")]


def test_a_short_word_may_be_slow() -> None:
    usual = [made(f"{number}", seconds=2.7 + 0.05 * number) for number in range(12)]
    assert kinds(*usual, made("yes", text="yes", seconds=0.7)) == []


def test_few_recordings_say_nothing_of_what_is_usual() -> None:
    assert kinds(*(made(f"{number}", seconds=3.0) for number in range(4)), made("slow", seconds=9.0)) == []


def test_an_impossible_pace_is_left_out_even_alone() -> None:
    assert kinds(made("a", seconds=0.5)) == [("a", "text-does-not-fit")]
    assert kinds(made("a", seconds=15.0, text="no")) == [("a", "text-does-not-fit")]


def test_a_text_with_more_ids_than_its_sound_has_frames_is_left_out() -> None:
    text = "e" * 60  # 123 ids: 1.43 s of frames at 22050 Hz

    assert kinds(made("a", seconds=1.5, text=text)) == []
    assert kinds(made("a", seconds=1.4, text=text)) == [("a", "text-does-not-fit")]


def test_what_fits_at_a_higher_sample_rate_names_the_limit_and_the_quality() -> None:
    item = made("a", seconds=1.5, text="e" * 60, samples=24000, rate_hz=16000, source_rate_hz=16000)
    settings = replace(SETTINGS, quality="x_low")
    (problem,) = check_recordings([item], [set()], settings)
    assert problem.problem == "its 60 phonemes need 123 frames of sound; 1.50 s at 16000 Hz have 93"
    assert problem.remedy.startswith("choose `quality=medium`")


@pytest.mark.parametrize(("rate_hz", "named"), [(16000, "or choose `quality=low`"), (8000, "")])
def test_a_low_sample_rate_names_the_quality_that_suits(rate_hz: int, named: str) -> None:
    (problem,) = check_recordings([made("a", source_rate_hz=rate_hz)], [set()], SETTINGS)
    assert problem.remedy == "record at 44100 Hz" + (f", {named}" if named else "")
