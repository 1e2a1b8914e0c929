"""What is particular to a language when it is read aloud, read from its table (en.toml, sv.toml)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from voxmatrix.text.normalisation.spellout import Spellout, read_spellout

#: The languages that have a table. The others leave numbers to espeak-ng.
WITH_TABLE = ("en", "sv")

#: Nouns, and the rule set of a number before them.
Agreement = tuple[tuple[re.Pattern[str], str], ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Currency:
    """The ways a currency is written, and its names: one, many, one of its hundredth parts, many of them."""

    written: tuple[str, ...]
    names: tuple[str, str, str, str]


@dataclass(frozen=True, kw_only=True, eq=False)
class Language:
    """One table. Keys are as written, values as spoken."""

    spellout: Spellout
    denominators: Mapping[str, tuple[str, str]]
    agreement_of_names: Agreement
    agreement_of_words: Agreement
    decimal: str
    thousands: str
    spaced_thousands: str
    decimals: str
    decades: str
    ordinal_dot: bool
    slashed_dates: bool
    month_before_day: bool
    month_first: bool
    counted: str
    date: str
    day_first_date: str
    bare_day: str
    months: tuple[str, ...]
    short_months: tuple[str, ...]
    ordinal_endings: tuple[str, ...]
    starters: frozenset[str]
    before_years: tuple[str, ...]
    uncounted: tuple[str, ...]
    rulers: tuple[str, ...]
    numbered_parts: tuple[str, ...]
    dotless_titles: tuple[str, ...]
    words_like_abbreviations: tuple[str, ...]
    speech_verbs: tuple[str, ...]
    code_words: tuple[str, ...]
    code_links: tuple[str, ...]
    phone_words: tuple[str, ...]
    emergency_numbers: tuple[str, ...]
    emergency_words: tuple[str, ...]
    words: Mapping[str, str]
    days: Mapping[str, str]
    fixed: Mapping[str, str]
    signs: Mapping[str, str]
    titles: Mapping[str, str]
    after_names: Mapping[str, str]
    abbreviations: Mapping[str, str]
    before_numbers: Mapping[str, str]
    streets: Mapping[str, str]
    directions: Mapping[str, str]
    states: Mapping[str, str]
    currencies: tuple[Currency, ...]
    magnitudes: Mapping[str, str]
    units: Mapping[str, tuple[str, str]]
    per: Mapping[str, str]


def language_of(tag: str) -> Language | None:
    """The table for a voice of espeak-ng or a language tag (`en-us`, `sv-SE`, `sv`), if there is one."""
    base, _, region = tag.lower().replace("_", "-").partition("-")
    if base not in WITH_TABLE:
        return None
    region = region.partition("-")[0]
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
        row[key] = [(re.compile(pattern), form) for pattern, form in row[key]]
    row["currencies"] = tuple(
        Currency(written=tuple(each["written"]), names=tuple(each["names"])) for each in row["currencies"]
    )
    row["units"] = _with_variants({unit: (one, many) for unit, (one, many) in row["units"].items()})
    row["starters"] = frozenset(row["starters"])
    frozen: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    return Language(**frozen)


def _with_variants(units: dict[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """The units with `KG` and `Kg` added for `kg`, and `m2` for `m²`, unless these mean something else."""
    variants: dict[str, tuple[str, str]] = {}
    for unit, names in units.items():
        if unit.isalpha() and len(unit) > 1:
            variants |= {unit.upper(): names, unit.capitalize(): names}
        variants[unit.replace("²", "2").replace("³", "3")] = names
    return {**variants, **units}
