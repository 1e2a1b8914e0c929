"""Numbers in words by rules, in the notation of ICU's RuleBasedNumberFormat, which is also that of CLDR.

A rule set has a row for each number from which on the words are made in another way: `20 = "twenty[->>]"`. The divisor
of a row is the largest power of ten that is not above its number, or with `"60/20"` the largest power of 20.

| written | said |
| --- | --- |
| `<<`, `<%NAME<` | how often the divisor is in the number, by the same rule set or another |
| `>>`, `>%NAME>` | what is left of the number, by the same rule set or another |
| `=%NAME=` | the number itself, by another rule set |
| `[...]` | only where something is left |
| `[...|...]` | the first where something is left, else the second |

Two keys of a rule set are no rows, and not ICU's: `like = "NAME"` takes the rows of another rule set, but for those
that are given; `endings` replaces the longest ending that the words have. ICU's "rollback", which takes the row before
for some numbers, is left out.
"""

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from voxmatrix.text.lazy_pattern import lazy_pattern

_TOKEN = lazy_pattern(r"(<(?:%[\w-]+)?<|>(?:%[\w-]+)?>|=%[\w-]+=|[\[|\]])")


@dataclass(frozen=True, kw_only=True)
class _Substitution:
    """A part of a number, and the rule set that says it."""

    sign: str
    rule_set: str


_Part = str | _Substitution


@dataclass(frozen=True, kw_only=True)
class _Rule:
    """From `base` on: what is said where the division by `divisor` leaves a rest, and where it leaves none."""

    base: int
    divisor: int
    with_rest: tuple[_Part, ...]
    without_rest: tuple[_Part, ...]


@dataclass(frozen=True, kw_only=True)
class _RuleSet:
    bases: tuple[int, ...]
    rules: tuple[_Rule, ...]
    endings: Mapping[str, str]


@dataclass(frozen=True, kw_only=True, eq=False)
class Spellout:
    """The rule sets of a language by name, and the regular expressions that join the words."""

    rule_sets: Mapping[str, _RuleSet]
    joins: tuple[tuple[re.Pattern[str], str], ...]


def read_spellout(tables: Mapping[str, Mapping[str, Any]], joins: Mapping[str, str]) -> Spellout:
    """The rules of a language.

    Args:
        tables: rule sets by name, each a mapping of `NUMBER` or `NUMBER/RADIX` to a rule, with `like` and `endings`.
        joins: regular expressions, and what stands for them in every number in words, in this order.

    Raises:
        ValueError: a rule names a rule set that is not in the table, or a rule set has no row for 0.
    """
    rule_sets = {name: _rule_set(name, tables) for name in tables}
    return Spellout(
        rule_sets=rule_sets, joins=tuple((re.compile(pattern), joined) for pattern, joined in joins.items())
    )


@lru_cache(maxsize=10_000)
def spell(spellout: Spellout, rule_set: str, value: int) -> str:
    """A number from 0 on in words. Raises KeyError if the language has no such rule set."""
    words = _spell(spellout, rule_set, value)
    for pattern, joined in spellout.joins:
        words = pattern.sub(joined, words)
    return words


@lru_cache(maxsize=3_000)  # the parts of a number are often those of another
def _spell(spellout: Spellout, name: str, value: int) -> str:
    rule_set = spellout.rule_sets[name]
    rule = rule_set.rules[bisect_right(rule_set.bases, value) - 1]
    above, rest = divmod(value, rule.divisor)
    of_sign = {"<": above, ">": rest, "=": value}
    words = "".join(
        part if isinstance(part, str) else _spell(spellout, part.rule_set, of_sign[part.sign])
        for part in (rule.with_rest if rest else rule.without_rest)
    )
    return _with_ending(words, rule_set.endings) if rule_set.endings else words


def _with_ending(words: str, endings: Mapping[str, str]) -> str:
    """The words with the longest ending that the table has replaced."""
    ending = max((ending for ending in endings if words.endswith(ending)), key=len, default="")
    return words.removesuffix(ending) + endings.get(ending, "")


def _rule_set(name: str, tables: Mapping[str, Mapping[str, Any]]) -> _RuleSet:
    rules = tuple(_rule(base, radix, text, name) for base, (radix, text) in sorted(_rows(name, tables).items()))
    if not rules or rules[0].base != 0:
        raise ValueError(f'the rule set {name} has no row for 0: add 0 = "..."')
    for rule in rules:
        for part in (*rule.with_rest, *rule.without_rest):
            if isinstance(part, _Substitution) and part.rule_set not in tables:
                raise ValueError(f"the row {rule.base} of {name} names a rule set that is missing: %{part.rule_set}")
    bases = tuple(rule.base for rule in rules)
    return _RuleSet(bases=bases, rules=rules, endings=tables[name].get("endings", {}))


def _rows(name: str, tables: Mapping[str, Mapping[str, Any]]) -> dict[int, tuple[int, str]]:
    """The rows of a rule set by their numbers, each with its radix; of two with the same number, the latter."""
    rows = _rows(tables[name]["like"], tables) if "like" in tables[name] else {}
    for key, text in tables[name].items():
        if key not in ("like", "endings"):
            base, _, radix = key.partition("/")
            rows[int(base)] = (int(radix or 10), text)
    return rows


def _rule(base: int, radix: int, text: str, rule_set: str) -> _Rule:
    with_rest: list[_Part] = []
    without_rest: list[_Part] = []
    lists = {"[": (with_rest,), "|": (without_rest,), "]": (with_rest, without_rest)}
    into = lists["]"]
    for piece in _TOKEN.split(text):
        if piece in lists:
            into = lists[piece]
        elif piece:
            for parts in into:
                parts.append(_substitution(piece, rule_set) if _TOKEN.fullmatch(piece) else piece)
    return _Rule(base=base, divisor=_divisor(base, radix), with_rest=tuple(with_rest), without_rest=tuple(without_rest))


def _substitution(written: str, rule_set: str) -> _Substitution:
    return _Substitution(sign=written[0], rule_set=written[1:-1].removeprefix("%") or rule_set)


def _divisor(base: int, radix: int) -> int:
    """The largest power of the radix that is no larger than the number."""
    divisor = 1
    while divisor * radix <= base:
        divisor *= radix
    return divisor
