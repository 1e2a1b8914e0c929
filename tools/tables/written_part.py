"""Replace a generated part of docs/images.md, between two markers. Standard library only."""

from tools.images.rows import ROOT

PAGE = ROOT / "docs" / "images.md"


def with_part(text: str, begin: str, end: str, part: str) -> str:
    """The text with `part` between the markers.

    Raises:
        ValueError: a marker is missing.
    """
    before, found, rest = text.partition(begin)
    _, found_end, after = rest.partition(end)
    if not (found and found_end):
        raise ValueError(f"{PAGE.relative_to(ROOT)} must have the lines {begin} and {end}")
    return f"{before}{begin}\n\n{part}\n{end}{after}"
