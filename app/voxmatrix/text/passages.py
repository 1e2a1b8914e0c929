"""Tags in a text: `[pause:1.5s]`, `[voice:Anna]` … `[voice]`, `[rate:0.8]` … `[rate]`. Other brackets are text.

`[/voice]` and `[/rate]` are the same as `[voice]` and `[rate]`: many programs close tags like that.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from voxmatrix.text.lazy_pattern import lazy_pattern
from voxmatrix.text.speech.quotes import Quotes

MAX_PAUSE_SECONDS = 60.0
#: Silence where another voice goes on with a sentence.
JOINT_SECONDS = 0.06
MIN_RATE, MAX_RATE = 0.1, 10.0
_NUMBER = r"\d{1,5}(?:\.\d{1,5})?"
#: Two brackets are phonemes.
TAG = lazy_pattern(
    rf"(?<!\[)\[(?:pause:\s*(?P<pause>{_NUMBER})\s*(?P<unit>ms|s)|rate(?::\s*(?P<rate>{_NUMBER})\s*)?"
    r"|voice(?::\s*(?P<voice>[^\[\]\n]{1,256}?)\s*)?|/\s?(?:voice|rate))\](?!\])",
    re.IGNORECASE,
)

#: The end of a sentence, with what closes behind it.
_CLOSING = "\"'\u2019\u201d\u201c\u00bb\u00ab\u300d\u300f)\\]*"
_SENTENCE_END = lazy_pattern(rf"[.!?\u2026\u3002\uff01\uff1f\u061f\u0964][{_CLOSING}]*\s*\Z")
#: What stands before a word that may go on with a sentence.
_BEFORE_WORD = lazy_pattern(r"[\s,;:)\u201d\u00bb\u2019\u2014\u2013-]*(?=[^\W\d_])")

#: How scripts for models of several speakers are written.
_SPEAKER = lazy_pattern(r"^[ \t]*(Speaker \d{1,2})[ \t]*:[ \t]*", re.IGNORECASE | re.MULTILINE)


_BLANK_LINES = lazy_pattern(r"(\n[^\S\n]*\n)")


@dataclass(frozen=True)
class SaidPart:
    """A part of a passage that one person says, or the narrator."""

    letters: int  # and digits, which every way of splitting a text keeps
    who: str
    rule: str


@dataclass(frozen=True)
class Passage:
    """A part of a text that is spoken in one way."""

    text: str = ""
    voice: str = ""  # as the text names it; "": the voice of the text
    rate: float = 1.0  # times the speed of the text
    pause: float = 0.0  # seconds of silence before it
    continues: bool = False  # it goes on with the sentence before it
    breaks_off: bool = False  # the next one goes on with its last sentence
    who: str = ""  # who says it in a book, whatever voice that is; "" where it is not one person
    rule: str = ""  # how that is known
    together: tuple[SaidPart, ...] = ()  # what it was made of by `joined`, where that is more than one

    @property
    def parts(self) -> tuple[SaidPart, ...]:
        """Who says which of its letters, in order."""
        return self.together or (SaidPart(sum(map(str.isalnum, self.text)), self.who, self.rule),)


class Passages:
    """Reads the parts of a text one after the other: what a tag sets lasts until another one of its kind."""

    def __init__(self, dialogue: str = "", emphasis: str = "", language: str = "") -> None:
        """The voices of what is in quotation marks and in *asterisks*, where no tag names one; "": that of the text.

        The `language`, e.g. `sv` or `en-US`, tells where else there is speech: behind dashes.
        """
        self._next = Passage()
        self._voices = {"dialogue": dialogue, "emphasis": emphasis, "": ""}
        self._quotes = None
        if dialogue or emphasis:
            self._quotes = Quotes(dialogue=bool(dialogue), emphasis=bool(emphasis), language=language)

    def read(self, text: str) -> Iterator[Passage]:
        """The passages of a further part of the text. None is empty."""
        place = 0
        for tag in TAG.finditer(text):
            yield from self._passage(text[place : tag.start()])
            self._next = _after(tag, self._next)
            place = tag.end()
        yield from self._passage(text[place:])

    @property
    def voice(self) -> str:
        """The voice that the last tag has named."""
        return self._next.voice

    def rest(self) -> float:
        """The pause at the end of what was read, in seconds; what is read next has it not."""
        pause = self._next.pause
        if pause:
            self._next = replace(self._next, pause=0.0)
        return pause

    def _passage(self, text: str) -> Iterator[Passage]:
        parts: list[tuple[str, str]] = [("", text)]
        if self._quotes is not None:
            marked = [*self._quotes.split(text)]  # also where a tag is stronger: what is open goes on behind it
            parts = parts if self._next.voice else [*marked]
        for kind, part in parts:
            if part.strip():
                yield replace(self._next, text=part, voice=self._voices[kind] or self._next.voice)
                self.rest()


def joined(passages: Iterable[Passage], voices: Mapping[str, object]) -> list[Passage]:
    """Passages of one paragraph, those as one that the same voice says in the same way, and where one cuts a sentence.

    `voices` are by names in small letters: names of the same voice have equal values.
    """
    found: list[Passage] = []
    for passage in passages:
        last = found[-1] if found else None
        if last and not passage.pause and _manner(last, voices) == _manner(passage, voices):
            who, rule = (last.who, last.rule) if last.who == passage.who else ("", "")
            parts = (*last.parts, *passage.parts) if last.who != passage.who or last.together else ()
            text = _together(last.text, passage.text)
            found[-1] = replace(last, text=text, who=who, rule=rule, together=parts)
        else:
            found.append(passage)
    for place, (before, after) in enumerate(pairwise(found)):
        if _is_cut(before, after):
            found[place] = replace(found[place], breaks_off=True)
            found[place + 1] = replace(found[place + 1], continues=True)
    return found


def speakers_of(texts: Iterable[str], passage: Passage) -> Iterator[tuple[str, str]]:
    """Who says each of the texts that a passage is split into, and how that is known; "": nobody, or several people.

    What the narrator says beside somebody counts for nothing: `"Yes," said Anna` is what Anna says.
    """
    if not passage.together:
        yield from ((passage.who, passage.rule if passage.who else "") for _ in texts)
        return
    left = list(passage.together)[::-1]
    for text in texts:
        letters, said = sum(map(str.isalnum, text)), dict[str, str]()
        while letters > 0 and left:
            part = left.pop()
            if part.letters > letters:
                left.append(replace(part, letters=part.letters - letters))
            if part.who and part.letters:
                said.setdefault(part.who, part.rule)
            letters -= part.letters
        yield next(iter(said.items())) if len(said) == 1 else ("", "")


def voice_names(text: str) -> set[str]:
    """The voices that a text names."""
    return {tag["voice"] for tag in TAG.finditer(text) if tag["voice"]}


def without_tags(text: str) -> str:
    """What a text says, whoever says it."""
    return TAG.sub(" ", text)


def with_script_tags(script: str) -> str:
    """A script whose lines begin with `Speaker 1:` … with tags in their place."""
    return _SPEAKER.sub(r"[voice:\1] ", script)


def with_tags(text: str, names: Collection[str]) -> str:
    """A text with tags instead of these names before lines, `Anna: Hello.`; what they set ends with its paragraph."""
    if not names:
        return text
    longest_first = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    lines = re.compile(rf"^[ \t]*({longest_first})[ \t]*:[ \t]+(?=\S)", re.IGNORECASE | re.MULTILINE)
    return "".join(
        paragraph if lines.search(paragraph) is None else lines.sub(r"[voice:\1] ", paragraph) + "[voice]"
        for paragraph in _BLANK_LINES.split(text)
    )


def _manner(passage: Passage, voices: Mapping[str, object]) -> tuple[object, float]:
    name = passage.voice.casefold()
    return voices.get(name, name), passage.rate


def _together(before: str, after: str) -> str:
    """Two texts between which a tag stood: no words are joined by its end."""
    are_words = before[-1:].isalnum() and after[:1].isalnum()
    return f"{before} {after}" if are_words else before + after


def _is_cut(before: Passage, after: Passage) -> bool:
    """Whether one sentence stands in both passages."""
    between = before.text[len(before.text.rstrip()) :] + after.text[: len(after.text) - len(after.text.lstrip())]
    if after.pause or between.count("\n") > 1:
        return False
    word = _BEFORE_WORD.match(after.text)
    if word is not None and after.text[word.end()].islower():
        return True
    return "\n" not in between and _SENTENCE_END.search(before.text) is None


def _after(tag: re.Match[str], before: Passage) -> Passage:
    """What is said behind a tag."""
    if tag["pause"]:
        seconds = float(tag["pause"]) / (1000 if tag["unit"].lower() == "ms" else 1)
        return replace(before, pause=min(before.pause + seconds, MAX_PAUSE_SECONDS))
    if tag[0].strip("[/ ").lower().startswith("rate"):
        return replace(before, rate=min(max(float(tag["rate"] or 1), MIN_RATE), MAX_RATE))
    return replace(before, voice=tag["voice"] or "")
