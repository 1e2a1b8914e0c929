"""What CLDR says about a language: its words for signs, units and money, its numbers and its plurals.

The packages lie in node_modules beside this file: npm ci --prefix tools/cldr
"""

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

PACKAGES = Path(__file__).with_name("node_modules")
#: Languages that espeak-ng has under another name.
_NAMES = {"cmn": "zh", "nb": "no", "hyw": "hy"}
_UNITS = {
    "%": "concentr-percent",
    "‰": "concentr-permille",
    "°": "angle-degree",
    "°C": "temperature-celsius",
    "°F": "temperature-fahrenheit",
    "µm": "length-micrometer",
    "µg": "mass-microgram",
    "µs": "duration-microsecond",
}
CURRENCIES = {
    "€": "EUR",
    "$": "USD",
    "£": "GBP",
    "¥": "JPY",
    "₽": "RUB",
    "₺": "TRY",
    "₴": "UAH",
    "₸": "KZT",
    "₾": "GEL",
    "₹": "INR",
    "₩": "KRW",
    "₪": "ILS",
    "₫": "VND",
    "₱": "PHP",
    "฿": "THB",
}
#: Where the yuan is what the sign stands for.
_YUAN = ("zh", "yue")
#: Marks of direction, invisible hyphens, spaces that do not break, and apostrophes that are letters to espeak-ng.
_PLAIN = str.maketrans(
    dict.fromkeys("\u200b\u200e\u200f\u061c\u00ad", "")
    | dict.fromkeys("\u00a0\u202f", " ")
    | dict.fromkeys("\u02bb\u02bc\u2018\u2019", "'")
)

#: A number with what it counts, by category of plural: {"one": "{0} euro", "other": "{0} euros"}.
Forms = dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Locale:
    """What CLDR has of a language, which may be nothing."""

    name: str

    def units(self) -> dict[str, Forms]:
        """Units by the way they are written."""
        units = {written: _in(_read("units-full", self.name, "units"), "long", key) for written, key in _UNITS.items()}
        root = {written: _in(_read("units-full", "und", "units"), "long", key) for written, key in _UNITS.items()}
        return {written: _forms(each, "unitPattern") for written, each in units.items() if each != root[written]}

    def money(self, sign: str) -> Forms:
        """A currency by its sign or its code."""
        code = "CNY" if sign == "¥" and self.name in _YUAN else CURRENCIES.get(sign, sign)
        names = _in(_read("numbers-full", self.name, "currencies"), "currencies", code)
        forms = _forms(names, "displayName") or {"other": names["displayName"]} if "displayName" in names else {}
        return {category: f"{{0}} {name}" for category, name in forms.items()}

    def words(self) -> dict[str, str]:
        """Signs by their names, minus as `-`, and the decimal mark as `.` or `,`."""
        names = _in(_read_annotations(self.name), "annotations", "annotations")
        found = {sign: _plain(names[sign]["tts"][0]) for sign in "−×÷=§±≈√∞≤≥<>+#/&" if "tts" in names.get(sign, {})}
        found |= {"-": found.pop("−")} if "−" in found else {}
        rules = [rule for rows in self.rules().values() for rule in rows]
        for key, text in rules:
            if key == "-x" and (match := re.fullmatch(r"(\w[^→]*?)\s*→→;", text)):
                found["-"] = _plain(match[1])
            if key in ("x.x", "x,x") and (match := re.fullmatch(r"←+\s*(\w[^→=]*?)\s*→+;", text)):
                found.setdefault(self.decimal, _plain(match[1]))
        both = _in(_read("misc-full", self.name, "listPatterns"), "listPattern-type-standard").get("2", "")
        match = re.fullmatch(r"\{0\} (\w+) \{1\}", both)
        if match and match[1] != "and":  # of a language that is not translated
            found["&"] = match[1]
        return found

    @property
    def decimal(self) -> str:
        """The decimal mark, in the digits of ASCII."""
        return str(self._symbols().get("decimal", "."))

    @property
    def group(self) -> str:
        """What parts groups of thousands: "." or ",", or "" for a space and other marks."""
        group = str(self._symbols().get("group", ""))
        return group if group in ".," else ""

    def magnitudes(self) -> list[str]:
        """Words for thousands, millions and so on in all forms, also short."""
        formats = _in(_read("numbers-full", self.name, "numbers"), "decimalFormats-numberSystem-latn")
        patterns = [_in(formats, form, "decimalFormat") for form in ("long", "short")]
        written = {re.sub(r"[0'.\s]", "", _plain(text)) for each in patterns for text in each.values()}
        return sorted(word for word in written if word.isalpha() and (len(word) > 1 or not word.isascii()))

    def plurals(self) -> dict[str, str]:
        """The rule of each category of plural but `other`."""
        rows = json.loads((PACKAGES / "cldr-core/supplemental/plurals.json").read_text("utf-8"))
        rules = rows["supplemental"]["plurals-type-cardinal"].get(self.name, {})
        short = {key.removeprefix("pluralRule-count-"): rule.partition("@")[0].strip() for key, rule in rules.items()}
        return {category: rule for category, rule in short.items() if rule}

    def rules(self) -> dict[str, list[list[str]]]:
        """The rule sets of numbers in words: rows of a number and a rule, by name."""
        path = PACKAGES / f"cldr-rbnf/rbnf/{self.name}.json"
        found = json.loads(path.read_text("utf-8"))["rbnf"]["rbnf"].get("SpelloutRules", {}) if path.exists() else {}
        return {name: rows for name, rows in found.items() if isinstance(rows, list)}

    def _symbols(self) -> dict[str, Any]:
        return _in(_read("numbers-full", self.name, "numbers"), "symbols-numberSystem-latn")


def locale(base: str) -> Locale:
    """The locale for a language of espeak-ng without its region: `cmn` is Chinese."""
    return Locale(name=_NAMES.get(base, base))


def spellout(rules: dict[str, list[list[str]]]) -> dict[str, dict[str, str]]:
    """CLDR's cardinal without gender in the notation of spellout.py, with the rule sets that it needs."""
    found: dict[str, dict[str, str]] = {}
    wanted = ["%spellout-cardinal"] if "%spellout-cardinal" in rules else []
    while wanted:
        name = wanted.pop()
        rows = {
            key: _plain(text.rstrip(";").lstrip("'").replace("←", "<").replace("→", ">").replace("%%", "%"))
            for key, text in rules[name]
            if key.isdecimal() and "#" not in text
        }
        found[_short(name)] = {key: text.replace("%spellout-", "%") for key, text in rows.items()}
        used = {match for _, text in rules[name] for match in re.findall(r"%%?[\w-]+", text)}
        wanted += [other for other in sorted(used) if _short(other) not in found and other in rules]
    return found


def _short(rule_set: str) -> str:
    return rule_set.lstrip("%").removeprefix("spellout-")


def _forms(names: dict[str, str], key: str) -> Forms:
    counted = {name.removeprefix(f"{key}-count-"): text for name, text in names.items() if f"{key}-count-" in name}
    forms = {category: _plain(text) for category, text in counted.items() if re.search(r"[^\W\d_]", text)}
    return {category: text for category, text in forms.items() if category == "other" or text != forms.get("other")}


def _plain(text: str) -> str:
    return text.translate(_PLAIN).strip()


def _in(tree: dict[str, Any], *keys: str) -> dict[str, Any]:
    for key in keys:
        tree = tree.get(key, {})
    return tree


@cache
def _read(package: str, name: str, topic: str) -> dict[str, Any]:
    """A file of a locale below the key that all of it stands under."""
    path = PACKAGES / f"cldr-{package}/main/{name}/{topic}.json"
    tree = json.loads(path.read_text("utf-8"))["main"][name] if path.exists() else {}
    return next((part for key, part in tree.items() if key != "identity"), {})


def _read_annotations(name: str) -> dict[str, Any]:
    path = PACKAGES / f"cldr-annotations-full/annotations/{name}/annotations.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else {}
