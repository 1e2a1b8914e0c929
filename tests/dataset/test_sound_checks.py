"""The rules for the sound of a recording, alone and compared with others."""

from dataclasses import replace

import pytest

from voxmatrix.audio.measures.measures import Measures
from voxmatrix.dataset.sound_checks import Usual, clipping, faults, pitch_ratio

GOOD = Measures(
    speech_dbfs=-20.0,
    noise_dbfs=-65.0,
    edge_hz=10_900.0,
    decay_db=420.0,
    voice_hz=100.0,
    before_seconds=0.4,
    after_seconds=0.4,
    pause_seconds=0.4,
    active_seconds=3.0,
    first_dbfs=-62.0,
    last_dbfs=-62.0,
)


def kinds(one: Measures, usual: Usual | None = None) -> list[tuple[str, str]]:
    return [(fault.kind, fault.severity) for fault in faults(one, usual)]


def usual(**changed: float) -> Usual:
    found = Usual.of([GOOD._replace(**changed)] * 8)
    assert found is not None
    return found


def test_a_short_word_may_have_no_high_frequencies() -> None:
    assert kinds(GOOD._replace(edge_hz=4000.0, active_seconds=0.3), usual()) == []  # I.


def test_a_good_recording_has_no_fault() -> None:
    assert kinds(GOOD) == kinds(GOOD, usual()) == []


@pytest.mark.parametrize(
    ("changed", "kind", "severity"),
    [
        ({"speech_dbfs": -57.0, "noise_dbfs": -95.0, "first_dbfs": -99.0, "last_dbfs": -99.0}, "quiet", "warning"),
        ({"noise_dbfs": -35.0}, "noisy", "warning"),
        ({"noise_dbfs": -28.0}, "noisy", "error"),
        ({"hum_hz": 50.0, "hum_dbfs": -50.0}, "hum", "warning"),
        ({"hum_hz": 60.0, "hum_dbfs": -30.0}, "hum", "error"),
        ({"offset": -0.15}, "offset", "warning"),
        ({"clicks": 2, "click_seconds": 0.01}, "click", "warning"),
        ({"edge_hz": 4300.0}, "narrow-band", "warning"),
        ({"decay_db": 110.0}, "echo", "warning"),
        ({"pause_seconds": 2.0, "pause_at": 1.5}, "long-pause", "warning"),
        ({"before_seconds": 3.0}, "no-speech", "warning"),
        ({"last_dbfs": -30.0}, "cut-off", "warning"),
    ],
)
def test_a_fault_of_its_own_is_told_alone(changed: dict[str, float], kind: str, severity: str) -> None:
    assert kinds(GOOD._replace(**changed)) == [(kind, severity)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changed", "kind"),
    [
        ({"speech_dbfs": -37.0, "noise_dbfs": -82.0, "first_dbfs": -80.0, "last_dbfs": -80.0}, "quiet"),
        ({"edge_hz": 6700.0}, "narrow-band"),
        ({"decay_db": 175.0}, "echo"),
    ],
)
def test_a_fault_beside_the_others_is_none_where_all_have_it(changed: dict[str, float], kind: str) -> None:
    one = GOOD._replace(**changed)  # type: ignore[arg-type]
    assert kinds(one) == kinds(one, usual(**changed)) == []
    assert kinds(one, usual()) == [(kind, "warning")]


def test_recordings_that_were_trimmed_on_purpose_are_not_cut_off() -> None:
    one = GOOD._replace(first_dbfs=-25.0)
    assert kinds(one) == kinds(one, usual()) == [("cut-off", "warning")]
    assert kinds(one, usual(first_dbfs=-25.0)) == []


def test_few_recordings_are_not_compared() -> None:
    assert Usual.of([GOOD] * 7) is None


@pytest.mark.parametrize(
    ("fraction", "tops", "severity"), [(0.02, 0, "error"), (0.001, 0, "warning"), (0, 9, "warning")]
)
def test_clipping_is_told_at_full_scale_and_below(fraction: float, tops: int, severity: str) -> None:
    found = clipping(fraction, tops)
    assert found is not None and (found.kind, found.severity) == ("clipped", severity)
    assert clipping(0.0, 2) is None


def test_another_pitch_is_another_voice_unless_the_speaker_varies_as_much() -> None:
    high = GOOD._replace(voice_hz=160.0)
    assert pitch_ratio(high, usual()) == pytest.approx(1.6)
    assert pitch_ratio(high, None) == pitch_ratio(GOOD, usual()) == 1.0
    assert pitch_ratio(high, replace(usual(), other_pitch=1.8)) == 1.0
    lively = Usual.of([GOOD._replace(voice_hz=hz) for hz in (80.0, 90.0, 95.0, 100.0, 105.0, 120.0, 130.0, 140.0)])
    assert pitch_ratio(high, lively) == 1.0
