"""Recordings that are no clips with texts yet: which command makes them such."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from voxmatrix.errors import BadInputError
from voxmatrix.files import read_errors
from voxmatrix.transcripts.lines import Problem
from voxmatrix.wording import pluralise

#: Books and documents that `segment` reads, beside the texts that `pairs` finds.
_DOCUMENTS = (".md", ".epub", ".docx", ".odt", ".rtf", ".pdf", ".html", ".htm", ".srt", ".vtt")
_NO_SCRIPTS = ("readme", "license", "licence", "changelog")
_NAMED = 5


class UncutError(BadInputError):
    """Recordings are to be cut into clips first. `text` is what is read in all of them, if there is one such file."""

    def __init__(self, problem: str, remedy: str, text: Path | None = None) -> None:
        super().__init__(problem, remedy)
        self.text = text


def without_texts(folder: Path, problems: Sequence[Problem]) -> UncutError | None:
    """The error for a folder in which no recording has a text of its own, or each is to be cut first.

    `problems` are those that `pairs` has found. None: it is something else that is wrong.
    """
    cut = [problem.path for problem in problems if problem.kind == "too-long"]
    sounds = [*cut, *(problem.path for problem in problems if problem.kind == "no-transcript")]
    if not sounds or any(problem.severity == "error" and not _is_of_texts(problem) for problem in problems):
        return None
    words = ["voxmatrix", "segment", str(folder), "--out", str(_out(folder))]
    if cut:
        what = f"{pluralise(len(sounds), 'recording')} in {folder} {_are(sounds)} to be cut into clips, e.g. {cut[0]}"
        return UncutError(what, f"to have clips with texts, run: {shlex.join(words)}")
    scripts = _scripts(folder, problems)
    what = f"{pluralise(len(sounds), 'recording')} in {folder}, e.g. {sounds[0]}, and no text of any"
    if len(scripts) == 1:
        words += ["--text", str(folder / scripts[0])]
        what = f"{pluralise(len(sounds), 'recording')} in {folder} and one text, {scripts[0]}"
    elif scripts:
        what += f" by its name; there are {', '.join(scripts[:_NAMED])}" + (" …" if len(scripts) > _NAMED else "")
        words += ["--text", "FILE"]
    beside = f"; or write the text of each beside it, e.g. {_text(sounds[0])}" if len(sounds) > 1 else ""
    text = folder / scripts[0] if len(scripts) == 1 else None
    return UncutError(what, f"to have clips with texts, run: {shlex.join(words)}{beside}", text)


def _is_of_texts(problem: Problem) -> bool:
    return problem.kind in ("too-long", "no-transcript", "missing")


def _are(things: Sequence[str]) -> str:
    return "is" if len(things) == 1 else "are"


def _text(sound: str) -> str:
    return f"{sound.rpartition('.')[0]}.txt"


def _scripts(folder: Path, problems: Sequence[Problem]) -> list[str]:
    """Texts of no recording: they may be what is read in all of them."""
    with read_errors(folder):
        documents = [path.name for path in folder.iterdir() if path.suffix.lower() in _DOCUMENTS and path.is_file()]
    found = [problem.path for problem in problems if problem.kind == "missing"]
    named = [name for name in documents if not name.lower().startswith((".", *_NO_SCRIPTS))]
    return sorted({*found, *named})


def _out(folder: Path) -> Path:
    """A folder beside it: in it, its clips would be recordings of the next command."""
    named = folder if folder.name not in ("", "..") else folder.resolve()
    return named.with_name(f"{named.name}-clips")
