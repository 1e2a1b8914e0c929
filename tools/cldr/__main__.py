"""Write the words for signs and numbers that espeak-ng does not read, one file per language.

    npm ci --prefix tools/cldr
    python -m tools.cldr

The words are CLDR's, those of words.toml where CLDR has none, and the names of money at home by money.toml.
Writes app/voxmatrix/text/normalisation/signs/LANGUAGE.toml, for the voices of the installed espeak-ng.
"""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tools.cldr.asking import Read, ask, is_readable, is_unread, sounds, voices
from tools.cldr.data import CURRENCIES, Forms, Locale, locale, spellout
from voxmatrix.text.normalisation import normalise
from voxmatrix.text.normalisation.language import WITH_TABLE

SIGNS = Path(normalise.__file__).with_name("signs")
_HEAD = "# Written by tools/cldr from CLDR 48.2 (LICENSE): what espeak-ng 1.52 leaves out or says in English.\n"
#: A text with each sign, and the same without it.
_PROBES = {
    "-": ("-5", "5"),
    "–": ("5–6", "5 6"),
    "/": ("3/4", "3 4"),
    **{sign: (f"5 {sign} 6", "5 6") for sign in "×÷=±<>≤≥&+"},
    **{sign: (f"{sign} 5", "5") for sign in "≈~#§√"},
    **{sign: (sign, " ") for sign in "∞½¼¾"},
}
_BETWEEN = ("5 − 6", "5 6")
#: Units that words.toml may have.
_BY_HAND = ("°", "°C", "°F", "%")
#: Numbers that are said as others, by language: all whose last three digits are zeros.
_MISREAD = {"vi": r"[1-9]\d*000"}
#: espeak-ng reads the digits of Burmese, but of its words hardly a vowel.
_BETTER_IN_DIGITS = ("my",)


def main() -> None:
    """Write the files."""
    hand, money = (_read(name) for name in ("words.toml", "money.toml"))
    tables = {
        base: _table(base, names, hand.get(base, {}), money.get(base, {}))
        for base, names in voices().items()
        if base not in WITH_TABLE
    }
    SIGNS.mkdir(exist_ok=True)
    for path in SIGNS.glob("*.toml"):
        path.unlink()
    for base, table in tables.items():
        if table:
            (SIGNS / f"{base}.toml").write_text(_HEAD + _toml(table), encoding="utf-8")


def _table(base: str, names: list[str], hand: Mapping[str, Any], money: Mapping[str, Any]) -> dict[str, Any]:
    """What one language needs; empty if nothing."""
    cldr = locale(base)
    words = {**cldr.words(), **hand}
    words["≈"] = hand.get("~", words.get("≈", ""))
    units = _units(cldr, hand, money)
    numbers = {"cardinal": hand["cardinal"]} if "cardinal" in hand else spellout(cldr.rules())
    names_of_signs = [word for word in words.values() if isinstance(word, str)]
    said = ask(names, [*_texts(cldr, units), *names_of_signs, *_words(units), *_of_one_word(numbers)])
    if not said:
        return {}
    signs = {
        sign: words[sign]
        for sign in (*_PROBES, cldr.decimal)
        if words.get(sign) and is_readable(said, words[sign]) and _is_wanted(sign, cldr, said)
    }
    if "½" in signs and "½+" in words and is_readable(said, words["½+"]):
        signs["½+"] = words["½+"]
    table: dict[str, Any] = {"decimal": cldr.decimal, "group": cldr.group}
    table |= {"joined": True} if _is_group_misread(cldr, said) else {}
    table["units"] = [row for row in units if _is_unit_wanted(row, said)]
    counted = {category for row in table["units"] for category in row} - {"written", "before", "other"}
    table |= {"plurals": cldr.plurals()} if counted else {}
    table |= {"magnitudes": cldr.magnitudes()} if table["units"] else {}
    table |= {"signs": signs} if signs else {}
    spelled = "" if base in _BETTER_IN_DIGITS else _MISREAD.get(base) or _spelled(said)
    if spelled and numbers and all(is_readable(said, word) for word in _of_one_word(numbers)):
        table |= {"spelled": spelled, "spellout": numbers}
    return table if table["units"] or signs or "joined" in table or "spelled" in table else {}


def _units(cldr: Locale, hand: Mapping[str, Any], money: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows of what is written behind or before a number, with its forms."""
    units = cldr.units() | {written: _one_form(hand[written]) for written in _BY_HAND if written in hand}
    rows: list[dict[str, Any]] = [
        {"written": [written], **({"before": ["%"]} if written == "%" else {}), **forms}
        for written, forms in units.items()
    ]
    for sign in CURRENCIES:
        if sign not in money.get("written", ()):
            forms = _one_form(hand[sign]) if sign in hand else cldr.money(sign)
            rows.append({"written": [sign], "before": [sign], **forms})
    if money and (forms := _at_home(cldr.money(money["code"]), money["name"])):
        rows.append({"written": money["written"], "before": money.get("before", []), **forms})
    return [row for row in rows if "other" in row]


def _one_form(words: str) -> Forms:
    return {"other": words if "{0}" in words else f"{{0}} {words}"}


def _at_home(forms: Forms, name: int | str) -> Forms:
    """The names of money without the name of the country: "5 złotych"."""
    if isinstance(name, str):
        return _one_form(name)
    return {category: f"{{0}} {text.split()[1:][name].lower()}" for category, text in forms.items()}


def _texts(cldr: Locale, units: list[dict[str, Any]]) -> list[str]:
    texts = [text for probe in (*_PROBES.values(), _BETWEEN, _decimal(cldr)) for text in probe]
    texts += [f"5 {written}" for row in units for written in row["written"]]
    return [*texts, "5 C", "5 F", "5 m", "5 g", "5 s", "25", "2 5", "20000", f"20{cldr.group}000", " "]


def _words(units: list[dict[str, Any]]) -> list[str]:
    return [text.format(5) for row in units for key, text in row.items() if key not in ("written", "before")]


def _of_one_word(numbers: Mapping[str, Mapping[str, str]]) -> list[str]:
    return [word for word in numbers.get("cardinal", {}).values() if word.isalpha()]


def _decimal(cldr: Locale) -> tuple[str, str]:
    return (f"3{cldr.decimal}5", "3 5")


def _is_wanted(sign: str, cldr: Locale, said: Mapping[str, Read]) -> bool:
    if sign == "-":
        return is_unread(said, *_PROBES[sign]) or is_unread(said, *_BETWEEN)
    return is_unread(said, *(_PROBES[sign] if sign in _PROBES else _decimal(cldr)))


def _is_unit_wanted(row: Mapping[str, Any], said: Mapping[str, Read]) -> bool:
    """Whether espeak-ng does not read it, or spells it, and says its words in its language."""
    written, words = row["written"][0], row["other"].format(5)
    if not is_readable(said, words):
        return False
    if any(character.isascii() and character.isalpha() for character in written) or written.isalpha():
        unread = written[0] not in "°µ" or any(
            is_unread(said, f"5 {written}", without) for without in ("5", f"5 {written[-1]}")
        )
        return unread and any(sounds(read[f"5 {written}"]) != sounds(read[words]) for read in said.values())
    return is_unread(said, f"5 {written}", "5")


def _is_group_misread(cldr: Locale, said: Mapping[str, Read]) -> bool:
    return cldr.group != "" and any(
        sounds(read[f"20{cldr.group}000"]) != sounds(read["20000"]) for read in said.values()
    )


def _spelled(said: Mapping[str, Read]) -> str:
    """The regular expression of the numbers that are read one digit at a time, or not at all."""
    if all(sounds(read["25"]) == "" for read in said.values()):
        return r"\d+"
    return r"\d\d+" if all(sounds(read["25"]) == sounds(read["2 5"]) for read in said.values()) else ""


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))


def _toml(table: Mapping[str, Any]) -> str:
    plain = {key: value for key, value in table.items() if not isinstance(value, dict) or key == "plurals"}
    tables = {key: value for key, value in table.items() if key not in plain}
    spellout_sets = tables.pop("spellout", {})
    tables |= {f"spellout.{name}": rows for name, rows in spellout_sets.items()}
    lines = [f"{key} = {_value(value)}" for key, value in plain.items()]
    for name, rows in tables.items():
        lines += ["", f"[{name}]", *(f"{_text(key)} = {_text(value)}" for key, value in rows.items())]
    return "\n".join(lines) + "\n"


def _value(value: object) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + "".join(f"    {_value(row)},\n" for row in value) + "]"
    if isinstance(value, list):
        return f"[{', '.join(_value(each) for each in value)}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_value(each)}' for key, each in value.items())} }}"
    return _text(value)


def _text(value: object) -> str:
    """A string of JSON is one of TOML."""
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    main()
