"""What a card says of a voice, and what it refuses."""

from pathlib import Path
from typing import Any

import pytest

from voxmatrix.errors import BadInputError, UsageError
from voxmatrix.models.card import Capabilities, Knob, VoiceCard
from voxmatrix.models.style import Style

KNOBS = {
    "warmth": Knob(title="Warmth", default=0.5, low=0.0, high=1.0),
    "steps": Knob(title="Steps", default=2.0, low=1.0, high=10.0, integer=True),
}


def card(*files: Path, **facts: Any) -> VoiceCard:
    given = {"capabilities": Capabilities(knobs=KNOBS), "languages": ("sv", "en"), "rate_hz": 16000, **facts}
    return VoiceCard(id="anna", family="toys", files=files, **given)


def test_the_digest_is_of_the_contents_of_all_files_in_their_order(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"one")
    two.write_bytes(b"two")
    found = {card(one).digest, card(one, two).digest, card(two, one).digest}
    copy = tmp_path / "copy"
    copy.write_bytes(b"one")
    assert card(copy).digest == card(one).digest

    two.write_bytes(b"2")

    assert len({*found, card(one, two).digest}) == 4


def test_speakers_are_named_or_numbered() -> None:
    several = card(Path("anna.toy"), num_speakers=3, speakers={"anna": 0, "bo": 2}, default_speaker=2)
    assert [several.speaker(name) for name in (None, "", "anna", "bo", "1", 0)] == [2, 2, 0, 2, 1, 0]
    assert several.speaker_names == ["anna", "bo"]
    assert card(num_speakers=2).speaker_names == ["0", "1"] and card().speaker_names == []
    with pytest.raises(BadInputError, match="no speaker '3'"):
        several.speaker("3")


@pytest.mark.parametrize(
    ("style", "problem"),
    [
        ({"speed": 11.0}, "speed is 11.0"),
        ({"knobs": {"noise": 0.5}}, "no setting 'noise'"),
        ({"knobs": {"warmth": 1.5}}, "warmth is 1.5"),
        ({"knobs": {"steps": 2.5}}, "choose a whole number from 1 to 10"),
    ],
)
def test_a_style_that_the_voice_cannot_have_is_refused(style: Any, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        card().check(Style(**style))
    card().check(Style(speed=2.0, knobs={"warmth": 1.0, "steps": 10.0}))


def test_a_voice_without_speed_speaks_as_it_does() -> None:
    fixed = card(capabilities=Capabilities(speed=None))
    fixed.check(Style())
    with pytest.raises(UsageError, match="cannot be changed"):
        fixed.check(Style(speed=1.1))


def test_a_knob_that_is_not_set_has_its_default() -> None:
    assert card().knob(Style(), "warmth") == 0.5
    assert card().knob(Style(knobs={"warmth": 0.0}), "warmth") == 0.0
    assert card().language == "sv"
