"""Which punctuation mark ends a clause: espeak-ng returns its phonemes without the mark, so it is found in the text.

Learned by observing the library; tests/text/phonemes/test_phonemizer.py compares it with the marks that Piper gets.
"""

import re
from collections.abc import Iterator, Sequence

from voxmatrix.text.lazy_pattern import lazy_pattern

#: What Piper writes for a mark.
MARKS = {
    ".": ".",
    "!": "!",
    "?": "?",
    ",": ",",
    ":": ":",
    ";": ";",
    "\u2013": ";",  # dashes
    "\u2014": ";",
    "\u060c": ",",  # Arabic
    "\u061b": ";",
    "\u061f": "?",
    "\u06d4": ".",
    "\u037e": "?",  # Greek
    "\u0387": ";",
    "\u1362": ".",  # Ethiopic
    "\u1363": ",",
    "\u1364": ";",
}
#: For these Piper writes nothing: the ellipsis, the inverted marks, the Armenian and the Indian full stop, the marks of
#: Chinese and Japanese.
_SILENT_MARKS = "\u2026\u00a1\u00bf\u0589\u0964\u3001\u3002\uff01\uff0c\uff0e\uff1a\uff1b\uff1f\uff61\uff64"
#: Of several marks in a row the first counts.
_MARKS_IN_A_ROW = lazy_pattern("[" + re.escape("".join(MARKS) + _SILENT_MARKS) + "]+")
_SPOKEN = lazy_pattern(r"[^\W_]")


def marks(text: str, ends: Sequence[int]) -> Iterator[str]:
    """The mark of each clause as Piper writes it, "" for none. `ends`: how far espeak-ng has read at each clause's end.

    That is one character too far where a space follows the mark, since espeak-ng looks at what comes next.
    """
    start = read = 0
    for number, end in enumerate(ends, start=1):
        mark = ""
        for match in _MARKS_IN_A_ROW.finditer(text, max(start, read - 1), end):
            beyond = text[match.end() : end].strip()
            if len(beyond) <= (number < len(ends)) and _SPOKEN.search(text, start, match.start()):
                mark = "" if match.group().startswith("...") else MARKS.get(match.group()[0], "")
                start = match.end()
                break
        read = end
        yield mark
