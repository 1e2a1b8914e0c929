"""What is particular to a language when it is read aloud, read from its table (en.toml, sv.toml)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

#: The languages that have a table. The others leave numbers to espeak-ng.
WITH_TABLE = ("en", "sv")


@dataclass(frozen=True, kw_only=True, eq=False)
class Currency:
    """The ways a currency is written, and its names: one, many, one of its hundredth parts, many of them."""

    written: tuple[str, ...]
    names: tuple[str, str, str, str]


@dataclass(frozen=True, kw_only=True, eq=False)
class Language:
    """One table. Keys are as written, values as spoken."""

    below_twenty: tuple[str, ...]
    tens: tuple[str, ...]
    tens_link: str
    hundred: str
    hundred_link: str
    small_link: str
    scales: tuple[tuple[str, str], ...]
    one: tuple[str, str]
    ordinals: Mapping[str, str]
    parts: Mapping[str, str]
    denominators: Mapping[str, tuple[str, str]]
    decimal: str
    thousands: str
    years: str
    decimals: str
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
    the_ruler: str
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
    neuter: tuple[str, ...]
    common: tuple[str, ...]
    month_first: bool


def language_of(tag: str) -> Language | None:
    """The table for a voice of espeak-ng or a language tag (`en-us`, `sv-SE`, `sv`), if there is one."""
    base, _, region = tag.lower().replace("_", "-").partition("-")
    return _read(base, month_first=region.startswith("us")) if base in WITH_TABLE else None


@cache
def _read(base: str, *, month_first: bool) -> Language:
    import tomllib

    row: dict[str, Any] = tomllib.loads(Path(__file__).with_name(f"{base}.toml").read_text(encoding="utf-8"))
    row["currencies"] = tuple(
        Currency(written=tuple(each["written"]), names=tuple(each["names"])) for each in row["currencies"]
    )
    row["units"] = _with_variants({unit: (one, many) for unit, (one, many) in row["units"].items()})
    row["scales"] = [tuple(scale) for scale in row["scales"]]
    row["starters"] = frozenset(row["starters"])
    frozen: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    return Language(**frozen, month_first=month_first)


def _with_variants(units: dict[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """The units with `KG` and `Kg` added for `kg`, and `m2` for `m²`, unless these mean something else."""
    variants: dict[str, tuple[str, str]] = {}
    for unit, names in units.items():
        if unit.isalpha() and len(unit) > 1:
            variants |= {unit.upper(): names, unit.capitalize(): names}
        variants[unit.replace("²", "2").replace("³", "3")] = names
    return {**variants, **units}
