"""Names in the order in which people and file managers count them: 2 before 10."""

import re


def natural_order(name: str) -> tuple[list[str | int], str]:
    """A key to sort names by, in which numbers count by their value.

    Splitting puts the numbers in every second place, so that types never mix.
    """
    parts = re.split(r"(\d+)", name.casefold())
    return [_number(part) if place % 2 else part for place, part in enumerate(parts)], name


def _number(digits: str) -> int:
    return int(digits[-300:])  # more digits than Python converts are no number that somebody counted
