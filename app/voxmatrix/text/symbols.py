"""Symbols and their ids: the tables of Piper's voices, and how a list of symbols becomes a row of ids."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from voxmatrix.errors import UsageError

PAD = "_"
BOS = "^"
EOS = "$"
NUM_SYMBOLS = 256
#: Phonemes inside a text, as Piper has them: `the [[bˈætmæn]] is here`.
GIVEN_PHONEMES = r"\[\[([^\[\n]*?)\]\]"

IdMap = dict[str, list[int]]
#: Phonemes that are one symbol of a voice when they follow each other.
Clusters = frozenset[tuple[str, ...]]


def default_map(phoneme_type: str) -> IdMap:
    """The table of a phoneme type, `espeak` or `text`: symbol to ids.

    Raises:
        UsageError: there is no such type.
    """
    table = _tables().get(phoneme_type)
    if table is None:
        raise UsageError(f"there is no phoneme type {phoneme_type!r}", f"choose one of: {', '.join(_tables())}")
    id_map = {symbol: [number] for number, symbol in enumerate(table)}
    return with_capitals(id_map) if phoneme_type == "text" else id_map


def map_for(texts: Iterable[str]) -> IdMap:
    """The table of a voice without espeak that reads these texts: the same texts give the same table.

    It is the default one where that holds every letter, else the default one with the new letters behind it, else (a
    script too large for both) a table of their own, where the rarest letters beyond NUM_SYMBOLS are left out.
    """
    default = _tables()["text"]
    counts = Counter(symbol for text in texts for symbol in letters(text))
    common_first = sorted(counts, key=lambda symbol: (-counts[symbol], symbol))
    new = [symbol for symbol in common_first if symbol not in default]
    table = [*default, *new]
    if len(table) > NUM_SYMBOLS:
        reserved = (PAD, BOS, EOS, " ")
        table = [*reserved, *(symbol for symbol in common_first if symbol not in reserved)][:NUM_SYMBOLS]
    return with_capitals({symbol: [number] for number, symbol in enumerate(table)})


def letters(text: str) -> list[str]:
    """The symbols of a text as a voice without espeak sees them: small letters, accents apart."""
    return list(unicodedata.normalize("NFD", text.lower()))


def with_capitals(id_map: IdMap) -> IdMap:
    """The table with each letter's capital added under the same ids: Piper's runtime does not fold cases."""
    capitals = {symbol.upper(): list(ids) for symbol, ids in id_map.items() if symbol.upper().lower() == symbol}
    return {**{capital: ids for capital, ids in capitals.items() if len(capital) == 1}, **id_map}


def to_ids(phonemes: Sequence[str], id_map: Mapping[str, Sequence[int]]) -> tuple[list[int], set[str]]:
    """`^ _ p _ p _ $`, as Piper's runtime feeds a voice; and the symbols that the table lacks, which are left out."""
    ids = [*id_map[BOS], *id_map[PAD]]
    missing = set()
    for phoneme in phonemes:
        if phoneme not in id_map:
            missing.add(phoneme)
            continue
        ids += id_map[phoneme]
        ids += id_map[PAD]
    return [*ids, *id_map[EOS]], missing


def merged(phonemes: Sequence[str], clusters: Clusters) -> list[str]:
    """The phonemes, those of a cluster as one symbol: `a ɪ` as `aɪ`. The longest one counts."""
    longest, found, place = max(map(len, clusters), default=0), [], 0
    while place < len(phonemes):
        sizes = range(min(longest, len(phonemes) - place), 1, -1)
        size = next((size for size in sizes if tuple(phonemes[place : place + size]) in clusters), 1)
        found.append("".join(phonemes[place : place + size]))
        place += size
    return found


@cache
def _tables() -> dict[str, list[str]]:
    import tomllib

    return tomllib.loads(Path(__file__).with_name("symbols.toml").read_text(encoding="utf-8"))
