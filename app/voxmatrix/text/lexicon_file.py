"""Files of a lexicon: lines of a word and how to say it, with sections for languages; or PLS."""

from collections.abc import Iterable
from pathlib import Path

from voxmatrix.errors import BadInputError
from voxmatrix.files import entries
from voxmatrix.text.lazy_pattern import lazy_pattern
from voxmatrix.text.lexicon import Lexicon, composed, is_tag, normal_tag
from voxmatrix.text.pls import read_pls

_SECTION = lazy_pattern(r"\[\s*([^\[\]]*?)\s*\]")
_FORMAT = "write word|respelling or word|[[phonemes]] on every line; # begins a comment, [de] the words of a language"


def read_lexicon(path: Path) -> Lexicon:
    """Read a file of PLS, or a UTF-8 file with a line `word|respelling` or `word|[[phonemes]]` for each word.

    Tabs may stand instead of |. A line `[de]` begins the words of a language; those before any are for all.

    Raises:
        BadInputError: it cannot be read, has no words, a line has another form, or a word is listed twice.
    """
    if path.suffix.lower() == ".pls":
        return read_pls(path)
    words: dict[str, dict[str, str]] = {"": {}}
    said = words[""]
    for place, line in entries(path):
        if section := _SECTION.fullmatch(line):
            if not is_tag(section[1]):
                raise BadInputError(
                    f"{place}: {line!r} is not the tag of a language", "write one such as [de] or [en-GB]"
                )
            said = words.setdefault(normal_tag(section[1]), {})
            continue
        word, spoken = _entry(place, line)
        if word in said:
            raise BadInputError(f"{place}: {word!r} is listed twice", "remove one of the lines")
        said[word] = spoken
    if not any(words.values()) and len(words) == 1:  # a section without words is a lexicon that is not filled in
        raise BadInputError(f"{path} lists no words", f"{_FORMAT}; or leave out `lexicon`")
    return Lexicon.of(words)


def lexicon_lines(lexicon: Lexicon) -> Iterable[str]:
    """The lines of a file that `read_lexicon` reads."""
    for tag, own in (("", lexicon.entries), *lexicon.sections):
        if tag:
            yield f"[{tag}]\n"
        yield from (f" {word}\t{spoken}\n" for word, spoken in own)  # the space, since # would begin a comment


def _entry(place: str, line: str) -> tuple[str, str]:
    word, _, spoken = (part.strip() for part in line.partition("\t" if "\t" in line else "|"))
    if not word or not spoken:
        raise BadInputError(f"{place}: {line!r} is not a word and how to say it", _FORMAT)
    if spoken.count("[[") != spoken.count("]]"):
        raise BadInputError(f"{place}: {line!r} has [[ without ]]", _FORMAT)
    return composed(word), spoken
