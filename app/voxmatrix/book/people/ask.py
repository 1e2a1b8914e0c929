"""Who says what, asked of a model: it chooses among numbers and names that it is given, and nothing else is taken.

The text of the book is never read from an answer, so a model can neither add a word nor leave one out.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from voxmatrix.book.content import Speech
from voxmatrix.encoding import parse_json
from voxmatrix.files import read_text_or_empty, write_text
from voxmatrix.wording import quoted

#: Of a window, in characters: what is asked about, and what stands before it.
_MAX_ASKED, _MAX_BEFORE = 6000, 1500
#: What may be said of a speech besides a name.
_NOBODY_KNOWN, _NARRATOR = "?", "narrator"
_INSTRUCTION = (
    "You are given a passage of a novel, in which speeches are marked as <q n=NUMBER>…</q>, and the list of its "
    'people. Say of each number who speaks it, with a name exactly as in the list; the narrator is "narrator", and '
    'what the passage does not tell is "?". Answer with one JSON object of numbers and names, such as '
    '{"3": "Anna", "4": "?"}, and nothing else.'
)
#: How a model is asked: the instruction, the question and the schema of the answer make an object.
Ask = Callable[[str, str, Mapping[str, Any]], Mapping[str, Any]]


@dataclass
class Asked:
    """What a model has said."""

    #: The name by the index of the speech, for those that it knows; "" is the narrator.
    found: dict[int, str] = field(default_factory=dict)
    #: What it has answered that was not taken, or not answered, each as a sentence.
    dropped: list[str] = field(default_factory=list)
    #: Requests that were sent; the others were answered before.
    requests: int = 0

    def add(self, other: "Asked") -> None:
        """Count what was said of another chapter."""
        self.dropped += other.dropped
        self.requests += other.requests


@dataclass(frozen=True)
class _Window:
    text: str
    numbers: tuple[int, ...]


def ask_speakers(
    paragraphs: Sequence[str], speeches: Sequence[Speech], people: Sequence[str], ask: Ask, *, model: str, kept: Path
) -> Asked:
    """Ask who says each speech of a chapter, once: an answer is kept by all that it was asked with.

    Args:
        paragraphs: the text of the chapter.
        speeches: what is spoken in it, in order.
        people: the names that may be answered.
        ask: how the model is asked.
        model: its name, by which answers are kept.
        kept: the folder of answers.

    Raises:
        As `ask`; UnreachableError: the folder cannot be written to.
    """
    result = Asked()
    for window in _windows(paragraphs, speeches):
        question = json.dumps({"people": list(people), "passage": window.text}, ensure_ascii=False)
        key = hashlib.sha256("\0".join((model, _INSTRUCTION, question)).encode("utf-8", "surrogatepass")).hexdigest()
        file = kept / f"{key}.json"
        answer = _kept(file)
        if answer is None:
            answer = dict(ask(_INSTRUCTION, question, _schema(window.numbers, people)))
            result.requests += 1
            if any(str(number) in answer for number in window.numbers):  # else it is worth another request
                write_text(file, json.dumps(answer))
        _take(answer, window.numbers, people, result)
    return result


def _windows(paragraphs: Sequence[str], speeches: Sequence[Speech]) -> Iterator[_Window]:
    """Neighbouring whole paragraphs with speech in them, behind some of those before."""
    by_paragraph: dict[int, list[int]] = {}
    for number, speech in enumerate(speeches):
        by_paragraph.setdefault(speech.paragraph, []).append(number)
    start = 0
    while start < len(paragraphs):
        end, size = start + 1, len(paragraphs[start])
        while end < len(paragraphs) and size + len(paragraphs[end]) <= _MAX_ASKED:
            size += len(paragraphs[end])
            end += 1
        numbers = [number for index in range(start, end) for number in by_paragraph.get(index, ())]
        if numbers:
            marked = [_marked(paragraphs[index], speeches, by_paragraph.get(index, ())) for index in range(start, end)]
            yield _Window("\n".join([*_before(paragraphs, start), *marked]), tuple(numbers))
        start = end


def _before(paragraphs: Sequence[str], start: int) -> list[str]:
    found: list[str] = []
    left = _MAX_BEFORE
    while start > 0 and left > 0:
        start -= 1
        found.insert(0, paragraphs[start][-left:])
        left -= len(paragraphs[start])
    return found


def _marked(paragraph: str, speeches: Sequence[Speech], numbers: Sequence[int]) -> str:
    """A paragraph whose speeches are marked; what looks like such a mark in the text is none."""
    pieces, at = [], 0
    for number in numbers:
        speech = speeches[number]
        pieces += [_plain(paragraph[at : speech.start]), f"<q n={number}>"]
        pieces += [_plain(paragraph[speech.start : speech.end]), "</q>"]
        at = speech.end
    return "".join([*pieces, _plain(paragraph[at:])])


def _plain(text: str) -> str:
    return text.replace("<", "\u2039").replace(">", "\u203a")


def _schema(numbers: Sequence[int], people: Sequence[str]) -> dict[str, Any]:
    names = [str(number) for number in numbers]
    choice = {"enum": [*people, _NARRATOR, _NOBODY_KNOWN]}
    return {
        "type": "object",
        "properties": dict.fromkeys(names, choice),
        "required": names,
        "additionalProperties": False,
    }


def _kept(file: Path) -> dict[str, Any] | None:
    try:
        found = parse_json(read_text_or_empty(file))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _take(answer: Mapping[str, Any], numbers: Sequence[int], people: Sequence[str], result: Asked) -> None:
    """Take names that were offered for numbers that were asked about, in any case of letters."""
    known = {name.casefold(): name for name in people} | {_NARRATOR: ""}
    asked = {str(number): number for number in numbers}
    if not asked.keys() & answer.keys():
        result.dropped.append(f"speeches {numbers[0]} to {numbers[-1]} were not answered")
    for key, value in answer.items():
        name = value.strip().casefold() if isinstance(value, str) else None
        if key not in asked:
            result.dropped.append(f"speech {quoted(key)} was not asked about")
        elif name in known:
            result.found[asked[key]] = known[name]
        elif name != _NOBODY_KNOWN:
            result.dropped.append(f"speech {key}: {quoted(str(value))} is none of the people")
