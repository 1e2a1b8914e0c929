"""The stress that espeak-ng's program adds, taken away again.

The program also intones what it reads, and lifts one syllable of a clause that has no stressed one (`Sir,`). Piper asks
the library, which only reads. Clauses with more than one stressed syllable are the same in both.
"""

import re
from collections.abc import Callable

PRIMARY, SECONDARY = "ˈ", "ˌ"

#: A stressed syllable in espeak-ng's own letters. Beside it in a clause, no other is lifted.
_STRESSED = "[[b'a]]"
_MARKS_AT_END = re.compile(r"[^\w]*$")
#: The tones of a syllable that is written without one, inside a clause and at its end; only the program says them.
_LEVEL_TONES = {"vi": re.compile("[17]")}


def as_read(spoken: str, clause: str, voice: str, ask: Callable[[str], list[str]]) -> str:
    """The phonemes of a clause without what intonation did to them. `ask` asks the program again where it must be."""
    level_tones = _LEVEL_TONES.get(voice.split("-", maxsplit=1)[0])
    if level_tones is not None:
        spoken = level_tones.sub("", spoken)
    if spoken.count(PRIMARY) != 1:
        return spoken
    lifted = spoken.index(PRIMARY)
    beside = ask(f"{_STRESSED} {clause}")
    before = _mark(spoken, lifted, beside[0].partition(" ")[2] if len(beside) == 1 else "")
    if before == PRIMARY:
        return spoken
    end = _MARKS_AT_END.search(clause)
    body = clause[: end.start()] if end else clause
    beside = ask(f"{body} {_STRESSED}{clause[len(body) :]}")
    behind = _mark(spoken, lifted, beside[0].rpartition(" ")[0] if len(beside) == 1 else "")
    known = [mark for mark in (before, behind) if mark is not None]
    return spoken if PRIMARY in known or not known else spoken[:lifted] + known[0] + spoken[lifted + 1 :]


def _mark(spoken: str, lifted: int, beside: str) -> str | None:
    """The mark that stands at `lifted` in the other reading, if the two differ in nothing else."""
    marks = (PRIMARY, SECONDARY, "")
    return next((mark for mark in marks if spoken[:lifted] + mark + spoken[lifted + 1 :] == beside), None)
