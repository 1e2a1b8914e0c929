"""What is particular to a language when it is read aloud, read from its table (en.toml, de.toml …)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from voxmatrix.text.normalisation.spellout import Spellout, read_spellout

#: The languages that have a table. The others leave numbers to espeak-ng.
WITH_TABLE = ("de", "en", "es", "fr", "it", "nl", "pl", "pt", "sv")

#: Nouns, and the rule set of a number before them.
Agreement = tuple[tuple[re.Pattern[str], str], ...]
#: The forms of a name, in the order of the plural rules of the language: for one and for others.
Names = tuple[str, ...]

_NONE: Mapping[str, Any] = MappingProxyType({})
#: The plural rule of most languages with a table; `plurals.py` has the notation.
_ONE_AND_OTHERS: Mapping[str, str] = MappingProxyType({"one": "i = 1 and v = 0"})


@dataclass(frozen=True, kw_only=True, eq=False)
class Currency:
    """The ways a currency is written, its name, and that of its hundredth part (none: it has no parts)."""

    written: tuple[str, ...]
    names: Names
    parts: Names


@dataclass(frozen=True, kw_only=True)
class Declension:
    """Words before an ordinal that ask for one of its endings, and nouns by their gender."""

    weak_n: frozenset[str]
    weak_e: frozenset[str]
    dative: frozenset[str]
    genitive: frozenset[str]
    neuter: re.Pattern[str]
    feminine: re.Pattern[str]


@dataclass(frozen=True, kw_only=True, eq=False)
class Language:
    """One table. Keys are as written, values as spoken. What a table leaves out, its language has not."""

    spellout: Spellout
    decimal: str
    thousands: str
    spaced_thousands: str
    decimals: str
    months: tuple[str, ...]
    short_months: tuple[str, ...]
    words: Mapping[str, str]
    signs: Mapping[str, str]
    days: Mapping[str, str]
    currencies: tuple[Currency, ...]
    magnitudes: Mapping[str, str]
    units: Mapping[str, Names]
    per: Mapping[str, str]
    longest_decimals: int = 2  # that are said as a number
    decimals_agree: bool = False
    plurals: Mapping[str, str] = field(default_factory=lambda: _ONE_AND_OTHERS)
    declension: Declension | None = None
    readings: tuple[tuple[str, str], ...] = ()
    dates_in_readings: bool = False  # and times: the rules for those of English and Swedish are not for this language
    denominators: Mapping[str, tuple[str, str]] = field(default_factory=lambda: _NONE)
    agreement_of_names: Agreement = ()
    agreement_of_words: Agreement = ()
    decades: str = "(?!)"
    ordinal_dot: bool = False
    slashed_dates: bool = False
    month_before_day: bool = False
    month_first: bool = False
    counted: str = "(?!)"
    date: str = ""
    day_first_date: str = ""
    bare_day: str = ""
    ordinal_endings: tuple[str, ...] = ()
    starters: frozenset[str] = frozenset()
    before_years: tuple[str, ...] = ()
    uncounted: tuple[str, ...] = ()
    rulers: tuple[str, ...] = ()
    numbered_parts: tuple[str, ...] = ()
    dotless_titles: tuple[str, ...] = ()
    words_like_abbreviations: tuple[str, ...] = ()
    speech_verbs: tuple[str, ...] = ()
    code_words: tuple[str, ...] = ()
    code_links: tuple[str, ...] = ()
    phone_words: tuple[str, ...] = ()
    emergency_numbers: tuple[str, ...] = ()
    emergency_words: tuple[str, ...] = ()
    fixed: Mapping[str, str] = field(default_factory=lambda: _NONE)
    titles: Mapping[str, str] = field(default_factory=lambda: _NONE)
    after_names: Mapping[str, str] = field(default_factory=lambda: _NONE)
    abbreviations: Mapping[str, str] = field(default_factory=lambda: _NONE)
    never_last: tuple[str, ...] = ()
    before_numbers: Mapping[str, str] = field(default_factory=lambda: _NONE)
    streets: Mapping[str, str] = field(default_factory=lambda: _NONE)
    directions: Mapping[str, str] = field(default_factory=lambda: _NONE)
    states: Mapping[str, str] = field(default_factory=lambda: _NONE)


@lru_cache(maxsize=256)
def language_of(tag: str) -> Language | None:
    """The table for a voice of espeak-ng or a language tag (`en-us`, `sv-SE`, `sv`), if there is one."""
    base, _, region = tag.lower().replace("_", "-").partition("-")
    if base not in WITH_TABLE:
        return None
    region = region.partition("-")[0] or base  # as espeak-ng has it: `pt` is the Portuguese of Portugal, not pt-br
    return _read(base, region if region in _rows(base).get("regions", ()) else "")


def rows_of(base: str, region: str = "") -> dict[str, Any]:
    """The table of a language as it is written, with the rows of `[regions.REGION]` in place of its own."""
    rows = _rows(base)
    own = {key: value for key, value in rows.items() if key != "regions"}
    return _merged(own, rows["regions"][region]) if region else own


@cache
def _rows(base: str) -> dict[str, Any]:
    import tomllib

    return tomllib.loads(Path(__file__).with_name(f"{base}.toml").read_text(encoding="utf-8"))


def _merged(rows: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    return {**rows} | {
        key: _merged(rows[key], value) if isinstance(value, dict) and key in rows else value
        for key, value in changes.items()
    }


@cache
def _read(base: str, region: str) -> Language:
    row = rows_of(base, region)
    row["spellout"] = read_spellout(row["spellout"], row.pop("joins", {}))
    for key in ("agreement_of_names", "agreement_of_words"):
        row[key] = [(re.compile(pattern), form) for pattern, form in row.get(key, ())]
    row["currencies"] = tuple(map(_currency, row["currencies"]))
    row["units"] = _with_variants({unit: tuple(names) for unit, names in row["units"].items()})
    if "declension" in row:
        row["declension"] = _declension(row["declension"])
    row["starters"] = frozenset(row.get("starters", ()))
    row["readings"] = tuple((written, said) for written, said in row.get("readings", ()))
    frozen: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    return Language(**frozen)


def _declension(row: Mapping[str, Any]) -> Declension:
    words = {key: frozenset(value) for key, value in row.items() if isinstance(value, list)}
    nouns = {key: re.compile(value, re.IGNORECASE) for key, value in row.items() if isinstance(value, str)}
    return Declension(**words, **nouns)  # type: ignore[arg-type]  # by its key, each is of one kind


def _currency(row: Mapping[str, list[str]]) -> Currency:
    names, half = tuple(row["names"]), len(row["names"]) // 2
    parts = names[half:] if names[half] else ()
    return Currency(written=tuple(row["written"]), names=names[:half], parts=parts)


def _with_variants(units: dict[str, Names]) -> dict[str, Names]:
    """The units with `KG` and `Kg` added for `kg`, and `m2` for `m²`, unless these mean something else."""
    variants: dict[str, Names] = {}
    for unit, names in units.items():
        if unit.isalpha() and len(unit) > 1:
            variants |= {unit.upper(): names, unit.capitalize(): names}
        variants[unit.replace("²", "2").replace("³", "3")] = names
    return {**variants, **units}
