"""Addresses of pages, files and people: the host of a page with its dots, everything else character by character."""

import re

from voxmatrix.text.normalisation import numbers
from voxmatrix.text.normalisation.language import Language

_ANY = re.compile(r"@|\w\.\w|://")
_SCHEME = re.compile(r"(?<!\w)(?:https?://|www\.)[^\s<>\"]+", re.IGNORECASE)
_MAIL = re.compile(r"(?:(?<![\w.+-])|(?<=\s\.))[\w+-]+(?:[.&]+[\w+-]+)*@[\w-]+(?:\.[\w-]+)+(?:/[\w/-]*\w)?")
_ENDINGS = (
    "com|org|net|edu|gov|mil|int|info|biz|io|ai|app|dev|tv|se|no|dk|fi|uk|de|fr|es|it|nl|be|ch|at|eu|us|ca|au|jp|cn"
    "|ru|br|sm|html?|pdf|txt|docx?|xlsx?|csv|json|zip|exe|py|jpe?g|png|gif|mp[34]|wav"
)
_HOST = re.compile(rf"(?<![\w.@/-])[A-Za-z][\w-]*(?:\.[\w-]+){{0,9}}\.(?:{_ENDINGS})(?:/[\w./-]*[\w])?(?![\w-]|\.\w)")
_PARTS = re.compile(r"\d+|[._/&+-]")


def spell_links(text: str, language: Language) -> str:
    """`https://www.example.com/a?b` as `example dot com`, `anna-1@example.com` with its dash, digit and at."""

    if _ANY.search(text) is None:
        return text

    def page(match: re.Match[str]) -> str:
        address = match[0].rstrip(".,;:!?)'")
        host = re.split(r"[/?#:]", re.sub(r"(?i)^(?:https?://)?(?:www\.)?", "", address), maxsplit=1)[0]
        return _spelled(host, language) + match[0][len(address) :]

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
