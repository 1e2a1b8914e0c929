"""How many examples hypothesis tries."""

from hypothesis import settings


def examples(number: int) -> int:
    """This number in the profile `full`, a part of it in others: see tests/conftest.py."""
    return max(1, number * settings().max_examples // settings.get_profile("full").max_examples)
