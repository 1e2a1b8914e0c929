"""A part of README.md that a program writes, between two marks. Standard library only."""

from tools.rows import ROOT

README = ROOT / "README.md"


def with_part(text: str, begin: str, end: str, part: str) -> str:
    """README with this part between its marks.

    Raises:
        ValueError: the marks are not there.
    """
    before, found, rest = text.partition(begin)
    _, found_end, after = rest.partition(end)
    if not (found and found_end):
        raise ValueError(f"README.md has not both lines {begin} and {end}")
    return f"{before}{begin}\n\n{part}\n{end}{after}"
