"""Addresses of pages and people as one says them: the host with its dots, without the rest."""

import re

from voxmatrix.text.normalisation.language import Language

_SCHEME = re.compile(r"(?<!\w)(?:https?://|www\.)[^\s<>\"]+", re.IGNORECASE)
_MAIL = re.compile(r"(?<![\w.+-])[\w+-]+(?:\.[\w+-]+)*@[\w-]+(?:\.[\w-]+)+")
_HOST = re.compile(
    r"(?<![\w.@/-])[A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)*\.(?:com|org|net|edu|gov|io|info|se|uk|de|eu)(?![\w-]|\.\w)"
)


def spell_links(text: str, language: Language) -> str:
    """`https://www.example.com/a?b` as `example dot com`, `anna@example.com` with its at."""
    dot, at = (f" {language.words[name]} " for name in ("dot", "at"))

    def page(match: re.Match[str]) -> str:
        address = match[0].rstrip(".,;:!?)'")
        host = re.split(r"[/?#:]", re.sub(r"(?i)^(?:https?://)?(?:www\.)?", "", address), maxsplit=1)[0]
        return host.replace(".", dot) + match[0][len(address) :]

    text = _MAIL.sub(lambda match: match[0].replace("@", at).replace(".", dot), _SCHEME.sub(page, text))
    return _HOST.sub(lambda match: match[0].replace(".", dot), text)
