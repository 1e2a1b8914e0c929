r"""Lines of `start\tend\ttext`: labels that Audacity exports, in seconds, and Whisper's `.tsv`, in milliseconds."""

import re

from voxmatrix.transcripts.label import Label

#: Audacity writes the numbers of the system's language.
_LINE = re.compile(r"\s*(\d{1,12}(?:[.,]\d{1,12})?)\t(\d{1,12}(?:[.,]\d{1,12})?)(?:\t(.*))?")
_WHISPERS_HEADER = ["start", "end", "text"]


def read_label_lines(text: str) -> list[Label] | None:
    """A label for each line; None if any line is another one."""
    lines = [line for line in text.splitlines() if line.strip()]
    in_milliseconds = bool(lines) and lines[0].strip().lower().split("\t") == _WHISPERS_HEADER
    labels = []
    for line in lines[in_milliseconds:]:
        if line.startswith("\\"):  # the frequencies of the label before
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            return None
        start, end = (float(number.replace(",", ".")) for number in match.group(1, 2))
        scale = 1000 if in_milliseconds else 1
        labels.append(Label(start / scale, end / scale, match[3] or ""))
    return labels or None
