"""Titles: what people call voices, in any letters. The id of a voice stays, as do its files and its sound."""

import json
from collections.abc import Mapping
from pathlib import Path

from voxmatrix.config import voice_folders
from voxmatrix.errors import UsageError
from voxmatrix.files import read_text_or_empty, storage_errors, write_text
from voxmatrix.models.card import VoiceCard

MAX_CHARACTERS = 80


def titles() -> dict[str, str]:
    """The titles that were given, by the ids of the voices."""
    try:
        found = json.loads(read_text_or_empty(_file()) or "{}")
    except ValueError:
        return {}  # not written by us: titles are no reason to refuse a voice
    return {name: title for name, title in found.items() if isinstance(title, str)} if isinstance(found, dict) else {}


def title_of(card: VoiceCard, given: Mapping[str, str]) -> str:
    """The title of a voice: the one that was `given`, else that of its maker, else its id."""
    return given.get(card.id) or card.title.partition(":")[0] or card.id


def set_title(name: str, title: str) -> None:
    """Give the voice of this id a title; "" gives back that of its maker.

    Raises:
        UsageError: it is too long, or has characters that cannot be seen.
        UnreachableError: the folder of voices cannot be written to.
    """
    title = " ".join(title.split())
    if len(title) > MAX_CHARACTERS or not title.isprintable():
        problem = f"`title` has {len(title)} characters" if title.isprintable() else f"`title` is {title!r}"
        raise UsageError(problem, f"give at most {MAX_CHARACTERS} that can be seen")
    known = {key: value for key, value in titles().items() if key != name}
    _write(known | ({name: title} if title else {}))


def move_title(name: str, new: str | None) -> None:
    """Let the title follow a voice that has another id now, or, for None, is gone."""
    known = titles()
    if title := known.pop(name, ""):
        if new is not None:
            known[new] = title
        _write(known)


def _write(known: Mapping[str, str]) -> None:
    if known:
        write_text(_file(), json.dumps(known, ensure_ascii=False, indent=1) + "\n")
    else:
        with storage_errors(_file()):
            _file().unlink(missing_ok=True)


def _file() -> Path:
    return voice_folders()[0] / "titles.json"
