"""Lengths of measured recordings, compared with their texts."""

from dataclasses import replace

from tests.dataset.test_checks import SETTINGS, made
from tests.dataset.test_sound_checks import GOOD
from voxmatrix.audio.measures.measures import Measures
from voxmatrix.dataset.checks import check_recordings
from voxmatrix.dataset.processing import ProcessedRecording

TEXT = "it was the best of times and it was the worst of times"


def spoken(name: str, seconds: float, text: str = TEXT, **measured: float) -> ProcessedRecording:
    """A recording in which somebody speaks for these seconds."""
    measures: Measures = GOOD._replace(active_seconds=seconds, **measured)  # type: ignore[arg-type]
    return replace(made(name, seconds=seconds + 0.4, text=text), measures=measures)


def problems(*some: ProcessedRecording) -> list[tuple[str, str, str]]:
    items = [*(spoken(f"{number}", 2.9 + 0.03 * number) for number in range(12)), *some]
    found = check_recordings(items, [set()] * len(items), SETTINGS)
    return [(problem.id, problem.kind, problem.severity) for problem in found]


def test_usual_paces_have_no_problem_however_long_the_pauses_are() -> None:
    slow = replace(spoken("slow", 3.0), sound=made("slow", seconds=9.0).sound)
    assert problems(slow) == []


def test_words_that_are_missing_are_told() -> None:
    assert problems(spoken("half", 1.4)) == [("half", "text-does-not-fit", "error")]
    assert problems(spoken("some", 2.05)) == [("some", "text-does-not-fit", "warning")]


def test_a_wrong_sample_rate_is_told_by_pitch_and_pace_together() -> None:
    assert problems(spoken("chipmunk", 1.55, voice_hz=200.0)) == [("chipmunk", "wrong-rate", "error")]
    assert problems(spoken("slow", 6.0, voice_hz=52.0)) == [("slow", "wrong-rate", "error")]
    assert problems(spoken("woman", 3.0, voice_hz=200.0)) == [("woman", "other-speaker", "error")]


def test_where_noise_or_echo_fills_the_pauses_nothing_is_said_of_the_pace() -> None:
    assert problems(spoken("echo", 5.0, decay_db=100.0)) == [("echo", "echo", "warning")]


def test_a_recording_that_is_left_out_has_no_warnings_besides() -> None:
    assert problems(spoken("half", 1.4, offset=0.2)) == [("half", "text-does-not-fit", "error")]


def test_sentences_among_many_single_words_are_as_fast_as_usual() -> None:
    words = [spoken(f"word {number}", 0.4 + 0.01 * number, "yes") for number in range(10)]
    sentences = [spoken(f"{number}", 2.9 + 0.03 * number) for number in range(4)]
    items = [*words, *sentences]
    assert check_recordings(items, [set()] * len(items), SETTINGS) == []
