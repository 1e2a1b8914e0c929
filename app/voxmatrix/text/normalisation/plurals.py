"""Which form of a noun stands behind a number, by the plural rules of CLDR."""

from collections.abc import Mapping

from voxmatrix.text.lazy_pattern import lazy_pattern

_RELATION = lazy_pattern(r"(\w)(?: % (\d+))? (!?=) ([\d.,]+)")


def plural(rules: Mapping[str, str], number: str) -> str:
    """The category of a number, such as `one`, `few` or `other`.

    `rules`: the condition of each category but `other`, e.g. `v = 0 and i % 10 = 2..4 and i % 100 != 12..14`.
    `number`: its digits, with a dot before decimals.
    """
    operands = _operands(number)
    return next((category for category, rule in rules.items() if _holds(rule, operands)), "other")


def _operands(number: str) -> dict[str, float]:
    """Those of CLDR: the number, its whole part, how many decimals are visible, and which; no exponent."""
    whole, _, decimals = number.partition(".")
    short = decimals.rstrip("0")
    counts = {"v": len(decimals), "w": len(short), "f": int(decimals or 0), "t": int(short or 0)}
    return {"n": float(number), "i": int(whole), **counts, "c": 0, "e": 0}


def _holds(rule: str, operands: Mapping[str, float]) -> bool:
    return any(all(_is_so(each, operands) for each in either.split(" and ")) for either in rule.split(" or "))


def _is_so(relation: str, operands: Mapping[str, float]) -> bool:
    match = _RELATION.fullmatch(relation)
    if match is None:
        raise ValueError(f"{relation!r} is no relation of CLDR, such as i % 10 = 2..4")
    value = operands[match[1]] % int(match[2] or 0) if match[2] else operands[match[1]]
    within = any(_is_within(value, span) for span in match[4].split(","))
    return within == (match[3] == "=")


def _is_within(value: float, span: str) -> bool:
    """A range has whole numbers only."""
    first, _, last = span.partition("..")
    return value == int(value) and int(first) <= value <= int(last or first)
