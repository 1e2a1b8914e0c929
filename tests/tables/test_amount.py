"""What to expect of a voice by the amount of speech."""

import pytest

from voxmatrix.tables.amount import MIN_SECONDS, amount_of, amounts


def test_more_speech_is_never_expected_to_give_less() -> None:
    minutes = [row.minutes for row in amounts()]
    assert minutes == sorted(set(minutes))
    assert minutes[0] == 0


@pytest.mark.parametrize(
    ("seconds", "name", "better"),
    [
        (0, "nothing", "1 minute"),
        (59.4, "nothing", "1 minute"),
        (59.5, "trial", "10 minutes"),
        (4000, "intelligible", "5 hours"),
        (1e6, "best", None),
    ],
)
def test_the_row_that_is_reached_applies_and_the_next_one_is_named(
    seconds: float, name: str, better: str | None
) -> None:
    row, following = amount_of(seconds)
    assert row.name == name
    assert (following and following.duration) == better


def test_the_first_row_that_makes_a_voice_is_the_least_that_is_accepted() -> None:
    assert amounts()[1].minutes * 60 == MIN_SECONDS
