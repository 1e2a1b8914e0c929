"""What a document marks as the name of a speaker and as stage directions: `z3998:persona`, `z3998:stage-direction`."""

import re
from dataclasses import dataclass

from lxml import etree

from voxmatrix.book.read.markup import kinds

#: Stand before and behind a stage direction, and before and behind a name, until the passage is complete.
_STAGE, _STAGE_ENDS, _NAME, _NAME_ENDS = "\3", "\4", "\5", "\6"
_MARK = re.compile(f"[{_STAGE}{_STAGE_ENDS}{_NAME}{_NAME_ENDS}]")
_MARKED_STAGE = re.compile(f"{_STAGE}[^{_STAGE}{_STAGE_ENDS}]*{_STAGE_ENDS}")
_OF_STAGE = frozenset(("stage-direction", "stage-directions", "stagedirection", "stagedir", "stage"))
_OF_NAMES = frozenset(("persona", "speaker"))
#: Elements that are passages of their own.
_BLOCKS = frozenset(("p", "div", "section", "aside", "blockquote"))
_MAX_NAME = 60
_BEHIND_NAME = re.compile(r"[.:,\u2014\u2013*_]*\s*")
_LETTER = re.compile(r"[^\W_]")


@dataclass(frozen=True)
class PlayLine:
    """Who says a passage of a play: nobody who is known if it has a head only, which ends the speech before it."""

    who: str = ""
    #: How many characters the name takes at its beginning, with what divides it from the rest; else it goes on.
    head: int = 0
    #: Stage directions in it: from where to where, in order; none overlap.
    stage: tuple[tuple[int, int], ...] = ()
    #: How the speaker is known: `persona`, the document says so; `name`, the name stands before the text.
    rule: str = ""


NOBODY = PlayLine()


def is_stage_block(element: etree._Element, name: str) -> bool:
    """Whether all of a passage is a stage direction."""
    return name in _BLOCKS and _is(element, _OF_STAGE)


def mark_play(pieces: list[str], start: int, element: etree._Element, name: str) -> None:
    """Mark the text of an element, the pieces from `start`, if it is a stage direction or the name of a speaker."""
    if name not in _BLOCKS and _is(element, _OF_STAGE):
        pieces[start:] = [_STAGE, *pieces[start:], _STAGE_ENDS]
    elif _is(element, _OF_NAMES) and not "".join(pieces[:start]).strip():
        text = "".join(pieces[start:]).strip()
        name = text.rstrip(" .:,\u2014")
        who = _MARKED_STAGE.sub("", name).strip()
        is_list = any("dramatis-personae" in kinds(above) for above in element.iterancestors())
        if who and len(who) <= _MAX_NAME and not is_list:
            pieces[start:] = [f"{_NAME}{name}{_NAME_ENDS}{text[len(name) :]}"]


def without_play_marks(text: str) -> tuple[str, PlayLine]:
    """The text of a passage, and what was marked in it."""
    if _MARK.search(text) is None:
        return text, PlayLine()
    kept: list[str] = []
    name: list[str] = []
    stage: list[tuple[int, int]] = []
    place = length = depth = opened = name_end = 0
    in_name = False
    for mark in _MARK.finditer(text):
        piece = text[place : mark.start()]
        kept.append(piece)
        length += len(piece)
        place = mark.end()
        if in_name and not depth and piece.strip():  # a direction within the name is none of it
            name.append(piece)
            name_end = length
        if mark[0] == _STAGE:
            opened = opened if depth else length
            depth += 1
        elif mark[0] == _STAGE_ENDS and depth:
            depth -= 1
            stage += () if depth else [(opened, length)]
        else:
            in_name = mark[0] == _NAME
    plain = "".join([*kept, text[place:]])
    if depth:  # its end is in the next passage
        stage.append((opened, len(plain)))
    who = " ".join("".join(name).split())
    behind = _BEHIND_NAME.match(plain, name_end) if who else None
    return plain, PlayLine(who, behind.end() if behind else 0, tuple(stage), "persona" if who else "")


def is_all_stage(text: str, line: PlayLine) -> bool:
    """Whether nothing of a passage is said."""
    place, rest = 0, []
    for start, end in line.stage:
        rest.append(text[place:start])
        place = end
    return bool(line.stage) and not line.who and _LETTER.search("".join([*rest, text[place:]])) is None


def _is(element: etree._Element, words: frozenset[str]) -> bool:
    return bool(words & (kinds(element) | set((element.get("class") or "").lower().split())))
