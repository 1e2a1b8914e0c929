"""What is read character by character: telephones, IP addresses, codes, serial numbers, links."""

import re
from functools import cache

from voxmatrix.text.lazy_pattern import lazy_pattern
from voxmatrix.text.normalisation import numbers
from voxmatrix.text.normalisation.language import Language
from voxmatrix.text.normalisation.patterns import any_of

_TELEPHONE = lazy_pattern(
    r"(?<![\w.,+-])(?:(?:\+\d{1,3}[ .-]?)?(?:1[ .-])?(?:\(\d{3}\)[ .-]{0,2}|\d{3}[ .-])\d{3}[.-]\d{4}(?:-\d{4})?"
    r"|\+\d{1,3}[ -]?(?:\(\d{1,4}\))?[\d -]{5,15}\d|0\d{1,3}-\d{2,3}(?: ?\d{2,3}){1,3}"
    r"|0\d{1,2} \d{3} (?:\d{4}|\d\d \d\d)|\d{3}-\d{2}-\d{4}|\d{3}-\d{4})(?![\w-]|[.,]\d)"
)
_ISBN = lazy_pattern(r"(?<!\w)(ISBN)(?:-1[03])?:?\s?((?:\d[- ]?){9}(?:[\dX]|(?:\d[- ]?){3}\d))(?!\w)")
_ADDRESS = lazy_pattern(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\w|\.\d)")
_SERIAL = lazy_pattern(r"(?<=[^\W\d_])\d{3,}|(?<!\d)\d{3,}+(?=[^\W\d_])|(?<=\w[/-])\d{5,}|(?<!\d)\d{5,}(?=[/-]\w)")


def say_codes(text: str, language: Language) -> str:
    """`555-1234`, `192.168.0.40`, `your code is 4711`, `call 911`, `911!`."""

    def telephone(match: re.Match[str]) -> str:
        return numbers.in_blocks(match[0], language)

    def address(match: re.Match[str]) -> str:
        if language.thousands == "." and all(len(part) == 3 for part in match[0].split(".")[1:]):
            return match[0]
        dot = f" {language.words['dot']} "
        return dot.join(numbers.one_by_one(part, language) for part in match[0].split("."))

    def isbn(match: re.Match[str]) -> str:
        groups = ", ".join(numbers.one_by_one(group, language) for group in re.findall(r"\d+", match[2]))
        return f"{match[1]} {groups}" + (", X" if match[2].endswith("X") else "")

    text = _ADDRESS.sub(address, _TELEPHONE.sub(telephone, _ISBN.sub(isbn, text)))
    text = _emergency(language).sub(lambda match: numbers.one_by_one(match[0], language), text)
    return _named(language).sub(lambda match: match[1] + numbers.one_by_one(match[2], language), text)


def say_serials(text: str, language: Language) -> str:
    """Digits grown together with letters: `A321` in groups, `ab9453` digit by digit."""

    def serial(match: re.Match[str]) -> str:
        digits = match[0]
        if len(digits) == 3:
            return f" {numbers.in_groups(digits, language)} "
        spoken = numbers.cardinal if digits.endswith("00") and len(digits) == 4 else numbers.one_by_one
        return f" {spoken(digits, language)} "

    return _SERIAL.sub(serial, text)


@cache
def _named(language: Language) -> re.Pattern[str]:
    """A number behind a word for codes, and a short one behind a word for telephones."""
    codes, links, phones = map(any_of, (language.code_words, language.code_links, language.phone_words))
    return re.compile(
        rf"(?<!\w)((?i:(?:{codes})(?:\s(?:{links}))?[.:]?\s(?=\d{{3}})|(?:{phones})[.:]?\s(?=\d{{3}}\b)))"
        r"(\d{3,12})(?![\w/%]|[.,:-]\d|\s\d)"
    )


@cache
def _emergency(language: Language) -> re.Pattern[str]:
    """An emergency number that is the whole text, or stands before a word for what is done with it."""
    number, words = any_of(language.emergency_numbers), any_of(language.emergency_words)
    return re.compile(rf"(?<![\w.,-])(?<![$€£])(?:{number})(?=[ -](?:{words})\b)|\A(?:{number})(?=[\s.!?]*\Z)")


_ANY = lazy_pattern(r"@|\w\.\w|://")
_SCHEME = lazy_pattern(r"(?<!\w)(?:https?://|www\.)[^\s<>\"]+", re.IGNORECASE)
_PORT = lazy_pattern(r":\d+(?=/|$)")
_MAIL = lazy_pattern(r"(?:(?<![\w.+-])|(?<=\s\.))[\w+-]+(?:[.&]+[\w+-]+)*@[\w-]+(?:\.[\w-]+)+(?:/[\w/-]*\w)?")
_ENDINGS = (
    "com|org|net|edu|gov|mil|int|info|biz|io|ai|app|dev|tv|se|no|dk|fi|uk|de|fr|es|it|nl|be|ch|at|eu|us|ca|au|jp|cn"
    "|ru|br|sm|mx|ar|cl|pl|pt|kr|nz|ie|gr|cz|hu|ua|il|cat|html?|pdf|txt|docx?|xlsx?|csv|json|zip|exe|py|jpe?g|png|gif|mp[34]|wav"
)
_HOST = lazy_pattern(rf"(?<![\w.@/-])[A-Za-z][\w-]*(?:\.[\w-]+){{0,9}}\.(?:{_ENDINGS})(?:/[\w./-]*[\w])?(?![\w-]|\.\w)")
_PARTS = lazy_pattern(r"\d+|[._/&+-]")


def spell_links(text: str, language: Language) -> str:
    """`https://www.example.com/a?b` as `example dot com slash a`, `anna-1@example.com` with its dash, digit and at."""

    if _ANY.search(text) is None:
        return text

    def page(match: re.Match[str]) -> str:
        address = match[0].rstrip(".,;:!?)'")
        page = re.split(r"[?#]", re.sub(r"(?i)^(?:https?://)?(?:www\.)?", "", address), maxsplit=1)[0]
        return _spelled(_PORT.sub("", page.rstrip("/")), language) + match[0][len(address) :]

    text = _SCHEME.sub(page, text)
    text = _MAIL.sub(lambda match: _spelled(match[0], language), text)
    return _HOST.sub(lambda match: _spelled(match[0], language), text)


def _spelled(address: str, language: Language) -> str:
    words = language.words
    names = {".": "dot", "_": "underscore", "/": "slash", "&": "and", "+": "plus", "-": "dash"}

    def part(match: re.Match[str]) -> str:
        named = names.get(match[0])
        return f" {words[named] if named else numbers.one_by_one(match[0], language)} "

    return " ".join(_PARTS.sub(part, address).replace("@", f" {words['at']} ").split())
