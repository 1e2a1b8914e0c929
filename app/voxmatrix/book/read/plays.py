"""Plays and scripts: who says each passage, by what a document marks, or by the names that stand before the lines."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, chain, pairwise
from typing import NamedTuple

from voxmatrix.book.content import Speech
from voxmatrix.book.read.marks import MAX_LINE, NUMBER_LINE
from voxmatrix.book.read.passage import Document, Passage
from voxmatrix.book.read.play_marks import NOBODY, PlayLine, is_all_stage

KIND = "stage-directions"
#: A name leads as many passages at least, and names lead this share of all passages; else it is no play.
_FEWEST, _SHARE = 3, 0.3
#: So many names come again before the next heading: not in recipes, where each has its ingredients and its method.
_AGAIN = 0.2
#: No people, if most names are of these: those above the days of a diary.
_DATE = re.compile(
    "monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july"
    "|august|september|october|november|december|montag|dienstag|mittwoch|donnerstag|freitag|samstag"
    "|sonnabend|sonntag|januar|februar|m\u00e4rz|mai|juni|juli|oktober|dezember|lundi|mardi|mercredi|jeudi"
    "|vendredi|samedi|dimanche|janvier|f\u00e9vrier|mars|avril|juin|juillet|ao\u00fbt|septembre|octobre"
    "|novembre|d\u00e9cembre|m\u00e5ndag|tisdag|onsdag|torsdag|fredag|l\u00f6rdag|s\u00f6ndag|januari"
    "|februari|maj|augusti|maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag|maart|mei|augustus"
    "|lunes|martes|mi\u00e9rcoles|jueves|viernes|s\u00e1bado|domingo|enero|febrero|marzo|abril|mayo|junio"
    "|julio|agosto|septiembre|octubre|noviembre|diciembre|luned\u00ec|marted\u00ec|mercoled\u00ec"
    "|gioved\u00ec|venerd\u00ec|sabato|domenica|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre"
    "|ottobre|dicembre"
)
#: Names are looked for at the beginning of a passage only: the time does not grow with its length.
_SEEN = 260
_MAX_WORDS = 4
_TITLES = "Mrs?|Dr|St|MRS?|DR|ST"
_TITLE = rf"(?:(?:{_TITLES})\.\s)?"
_CAPITAL = r"[A-Z\u00c0-\u00de\u0141\u015a\u017b\u0179\u0106]"
_WORD = rf"{_TITLE}{_CAPITAL}[\w'\u2019\-]{{0,20}}"
_JOINING = ("and", "of", "the", "und", "et", "de", "y", "och", "i")
#: Not `GEN. 1:1 text`, but `NAME. text`, `Name: text`, `_Ham._ text`, `NAME [aside]. text`
_HEAD = re.compile(
    rf"(?P<mark>[_*]{{0,3}})(?P<who>{_TITLE}(?!(?:{_TITLES})\.){_CAPITAL}(?:(?:{_TITLES})\.\s|[^.:\n\[(\u2014]){{0,30}}?\.?)[_*]{{0,3}}\s*"
    r"(?P<stage>[\[(][^\])]{1,200}[\])])?\s?(?P<end>[.:\u2014])(?P<closes>[_*]{0,3})\s+(?=\S)(?!\d+:\d)"
)
#: `NAME text`: the name stood on a line of its own.
_CAPITALS = re.compile(
    rf"(?P<who>{_TITLE}{_CAPITAL}[A-Z\u00c0-\u00de'\u2019.\- ]{{0,28}}[A-Z\u00c0-\u00de]{{2}})\s+(?=\S)(?!\d+:\d)"
)
#: `NAME.` alone in a passage; in HTML, small capitals are small letters.
_ALONE = re.compile(
    rf"[_*]{{0,3}}(?P<who>{_WORD}(?:,?\s(?:{'|'.join(_JOINING)}|{_WORD})){{0,4}})"
    r"[.:]?[_*]{0,3}(?:,?\s?(?P<stage>[(\[][^\])]{0,100}[\])])[.:]?)?"
)
_ENDS = re.compile(r"[.,;:!?\u2026\u2014\u2013\-\])_][\"'\u2019\u201d]?$")
_BRACKETED = re.compile(r"\[[^\[\]]{1,1000}\]|\((?=_?[^\W\d_])[^()]{1,1000}\)")
#: No space stands before these.
_BEHIND_WORDS = tuple(".,;:!?")
#: Between a stage direction behind a name and the words.
_DIVIDES = re.compile(r"\A\s*(?:[.:,]\s+)?")


class _Head(NamedTuple):
    who: str
    length: int
    is_sure: bool  # in a play, where most names occur often: also if this one does not
    form: str = ""  # what stands around the name and ends it, if that is a colon
    is_alone: bool = False  # there is no more text in the passage

    @property
    def key(self) -> str:
        return self.who.casefold()


def recognise(documents: Sequence[Document]) -> None:
    """Set who says the passages of a play, and what is a stage direction in it; nothing in what is no play."""
    passages = [passage for document in documents for passage in document.passages]
    sections = accumulate(one.level > 0 for one in passages)
    pairs = zip(passages, sections, strict=True)
    found = [(one, section) for one, section in pairs if not one.level and set(one.kinds) <= {"tables", KIND}]
    text = [one for one, _ in found]
    is_marked = sum(one.line.rule == "persona" for one in text) >= _FEWEST
    heads = [None] * len(text) if is_marked else _heads(text, [section for _, section in found])
    if heads is None:
        return
    has_stage = any(one.line.stage or KIND in one.kinds for one in text)
    for passage, head in zip(text, heads, strict=True):
        if not has_stage:
            passage.line = replace(passage.line, stage=tuple(one.span() for one in _BRACKETED.finditer(passage.text)))
        if head:
            passage.line = PlayLine(head.who, head.length, passage.line.stage, "name")
    continue_speeches(passages)


def _heads(passages: Sequence[Passage], sections: Sequence[int]) -> list[_Head | None] | None:
    """The names before the passages of a play, None of what is no play. Where names are in capitals, no others are."""
    found = list(map(_head, passages))
    in_capitals = [head if head and head.who.isupper() else None for head in found]
    for heads in (in_capitals, found):
        leading = Counter(head.key for head in heads if head)
        usual = [head if head and leading[head.key] >= _FEWEST else None for head in heads]
        if _is_play(usual, passages, sections):
            form = Counter(head.form for head in usual if head).most_common(1)[0][0]
            return [_known(head, form, is_usual=leading[head.key] >= _FEWEST) if head else None for head in heads]
    return None


def _is_play(heads: Sequence[_Head | None], passages: Sequence[Passage], sections: Sequence[int]) -> bool:
    """Whether the names that occur often are those of speakers."""
    usual = [head for head in heads if head]
    names = [head.key for head in usual]
    share = len(names) / len(passages) if passages else 0
    alternating = sum(first != second for first, second in pairwise(names))
    if len(names) < _FEWEST or share < _SHARE or (share < 1 / 2 and alternating < (len(names) - 1) / 2):
        return False
    if sum(_DATE.fullmatch(name.split()[0]) is not None for name in set(names)) > len(set(names)) / 2:
        return False
    if _again(heads, passages, sections) < _AGAIN * len(names):
        return False
    alone = sum(head.is_alone and not head.who.isupper() for head in usual)
    return alone <= len(names) / 2 or _varies(names)


def _again(heads: Sequence[_Head | None], passages: Sequence[Passage], sections: Sequence[int]) -> int:
    """How many names have led a passage since the last heading, or what stands like one before a name."""
    again, last, seen, is_title = 0, 0, set[str](), False
    for head, passage, section in zip(heads, passages, sections, strict=True):
        if section != last or (head and is_title):
            seen, last = set(), section
        if head:
            again += head.key in seen
            seen.add(head.key)
        is_title = head.is_alone if head else len(passage.text) <= MAX_LINE and not _ENDS.search(passage.text)
    return again


def _varies(names: Sequence[str]) -> bool:
    """Whether there are more than two, and not always in the same order, as the parts of a day are."""
    return len(set(names)) > 2 and len(set(pairwise(names))) > len(set(names))


def _known(head: _Head, form: str, *, is_usual: bool) -> _Head | None:
    """The name of a speaker of a play; one of nobody if it is written like most others but occurs too seldom."""
    if is_usual or head.is_sure:
        return head
    return head._replace(who="") if form and head.form == form else None


def continue_speeches(passages: Sequence[Passage]) -> None:
    """Set who says the passages behind one with a name, anew if more of them are headings now: these end the speech."""
    last = NOBODY
    for passage in passages:
        line = passage.line
        if line.head:
            last = line
            continue
        passage.line = PlayLine(stage=line.stage)
        if passage.level or NUMBER_LINE.fullmatch(passage.text.rstrip(".")):
            last = NOBODY
        elif KIND in passage.kinds or not set(passage.kinds) <= {"tables"}:
            continue
        elif is_all_stage(passage.text, line) or (last.rule == "name" and _is_stage(passage.text)):
            passage.kinds = (*passage.kinds, KIND)
        elif last.who:
            passage.line = PlayLine(last.who, 0, line.stage, last.rule)


def said(passage: Passage, text: str, *, stage: bool) -> tuple[str, list[Speech]]:
    """The text of a passage, without stage directions unless these are read, and the speaker's words in paragraph 0.

    A name that stands alone is followed by an empty speech: its words are in the next passages.
    """
    line = passage.line
    if text != passage.text:  # something else is left out of it: where the stage directions are is not known
        head = min(line.head, len(text))
        return text, [Speech(0, head, len(text), line.who, line.rule, head)] if line.who else []
    whole, head, found = "", 0, []
    for part, is_stage, is_head in _parts(text, line):
        if is_stage and not stage:
            continue
        piece = part
        if not stage and (not whole or whole[-1].isspace()):
            piece = part.lstrip()
            whole = whole.rstrip() if piece[:1] in _BEHIND_WORDS else whole
        if not is_head and not is_stage and line.who and any(map(str.isalnum, piece)):
            start, end = len(piece) - len(_DIVIDES.sub("", piece)), len(piece.rstrip())
            found.append(Speech(0, len(whole) + start, len(whole) + end, line.who, line.rule))
        whole += piece
        head = len(whole) if is_head else head
    whole = whole if stage else whole.rstrip()
    if line.who and line.head:
        first, *others = found or [Speech(0, len(whole), len(whole), line.who, line.rule)]
        found = [replace(first, head=min(head, first.start)), *others]
    return whole, found


def _parts(text: str, line: PlayLine) -> Iterator[tuple[str, bool, bool]]:
    """The parts of a text in order: whether each is a stage direction, and whether it belongs to the name."""
    edges = (0, *chain.from_iterable(line.stage), len(text))
    for number, (start, end) in enumerate(pairwise(edges)):
        middle = min(max(start, line.head), end)
        for first, last in ((start, middle), (middle, end)):
            if first < last:
                yield text[first:last], number % 2 == 1, last <= line.head


def _head(passage: Passage) -> _Head | None:
    head = _name_before(passage)
    return None if head is None or NUMBER_LINE.fullmatch(head.who) else head  # `ACT II` and `IV` are headings


def _name_before(passage: Passage) -> _Head | None:
    text = passage.text[:_SEEN]
    if len(text) < _SEEN and (alone := _ALONE.fullmatch(text)):
        length = alone.start("stage") if alone["stage"] else len(text)
        return _Head(_name(alone["who"]), length, is_sure=alone["who"].isupper(), is_alone=True)
    if match := _HEAD.match(text):
        who = _name(match["who"])
        is_italic = match["mark"] and match["closes"] == match["mark"]
        if who.isupper() or is_italic or (match["end"] == ":" and len(who.split()) <= _MAX_WORDS):
            length = match.start("stage") if match["stage"] else match.end()
            several = len(who.split()) > 1 and all(word[0].isupper() or word in _JOINING for word in who.split())
            form = f"{match['mark']}:" if match["end"] == ":" else ""
            return _Head(who, length, who.isupper() or several, form)
    if match := _CAPITALS.match(text):
        return _Head(_name(match["who"]), match.end(), is_sure=False)
    return None


def _name(written: str) -> str:
    return written.strip(" .*_:")


def _is_stage(text: str) -> bool:
    """Whether a passage stands in brackets or between the marks of italics."""
    if text.startswith("["):
        return "]" not in text  # it is not closed
    return text.startswith("_") and text.rstrip(".").endswith("_") and "_" not in text[1:].rstrip("._")
