"""`voxmatrix book names`: names and foreign words that a voice may say wrong, as a lexicon to fill in."""

from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from voxmatrix.cli.book.contents import BookFile, Chapters, read_chapters, split_language, wanted_kinds
from voxmatrix.cli.parameters import options
from voxmatrix.cli.terminal.messages import echo, print_json
from voxmatrix.errors import UsageError
from voxmatrix.files import check_not_folder, write_text
from voxmatrix.wording import pluralise

#: How a book of unknown language is read.
_DEFAULT_LANGUAGE = "en"


def command(
    file: BookFile,
    chapters: Chapters = "",
    voice: options.VoicePath = "",
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write the lexicon here.")] = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """List names and foreign words that the voice may say wrong, as a lexicon to fill in (`--lexicon`)."""
    from voxmatrix.book.names import find_names, lexicon_to_fill_in
    from voxmatrix.text.lexicon import normal_tag
    from voxmatrix.text.phonemes.phonemizer import EspeakPhonemizer

    if out is not None:
        check_not_folder(out)
        if out.exists() and not force:
            raise UsageError(f"{out} already exists", "choose another --out, or add --force to overwrite it")
    book = read_chapters(file, chapters, wanted_kinds("", "", notes=False))
    of_voice = _language(voice)
    language = (split_language(book, of_voice) if of_voice else book.language) or _DEFAULT_LANGUAGE
    names = find_names(book, language)
    words = [name.word for name in names]
    try:
        with closing(EspeakPhonemizer((of_voice or language).lower())) as espeak:
            said = dict(zip(words, espeak.phonemes(words), strict=True))
    except UsageError as error:
        raise UsageError(error.problem, "add `voice=…`: its language is used") from error
    phonemes = {word: "".join(parts) for word, parts in said.items()}
    if as_json:
        print_json({"names": [{**asdict(name), "phonemes": phonemes[name.word]} for name in names]})
    tag = normal_tag(of_voice or language).partition("-")[0]
    lexicon = "".join(lexicon_to_fill_in(names, book.title or file.name, tag, phonemes.__getitem__))
    if out is not None:
        write_text(out, lexicon)
        if not as_json:
            echo(
                f"{out}: {pluralise(len(names), 'name')}\n  → fill it in, and make the book with `lexicon={out}`",
                err=True,
            )
    elif not as_json:
        echo(lexicon)


def _language(voice: str) -> str:
    """Of the voice that is given; "" if none is."""
    if not voice:
        return ""
    from voxmatrix.voices.resolve import resolve

    return resolve(voice).language
