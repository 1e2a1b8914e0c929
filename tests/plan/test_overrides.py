"""What was typed becomes a forced setting, or none."""

import pytest

from voxmatrix.errors import UsageError
from voxmatrix.plan.overrides import override_number, override_precision, override_switch


@pytest.mark.parametrize("text", ["0", "auto", "AUTO", "", " "])
def test_0_and_auto_and_nothing_decide(text: str) -> None:
    assert override_number(text, "--workers", "flag") is None
    assert override_switch(text, "--tf32", "flag") is None
    assert override_precision(text, "--precision", "flag") is None


def test_a_number_keeps_who_said_it() -> None:
    asked = override_number("8", "VOXMATRIX_BATCH_SIZE", "environment")
    assert asked is not None
    assert (asked.value, asked.reason, asked.source) == (8, "set by VOXMATRIX_BATCH_SIZE", "environment")


def test_none_is_the_word_for_0_where_0_makes_sense() -> None:
    asked = override_number("none", "--workers", "flag", none=True)
    assert asked is not None
    assert asked.value == 0
    with pytest.raises(UsageError):
        override_number("none", "--batch-size", "flag")


@pytest.mark.parametrize(
    ("text", "on"), [("on", True), ("True", True), ("yes", True), ("1", True), ("False", False), ("off", False)]
)
def test_a_switch(text: str, on: bool) -> None:
    asked = override_switch(text, "--tf32", "flag")
    assert asked is not None
    assert asked.value is on


@pytest.mark.parametrize("text", ["-1", "1.5", "eight", "²", "1000000", "9" * 40])
def test_what_is_no_number_is_usage_and_named(text: str) -> None:
    with pytest.raises(UsageError, match="--batch-size"):
        override_number(text, "--batch-size", "flag")
