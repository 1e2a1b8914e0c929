"""Marks of other programs that would be read aloud, and what to write instead. They contain nothing of the text."""

import re
from difflib import get_close_matches

from voxmatrix.errors import Finding
from voxmatrix.text.lazy_pattern import lazy_pattern
from voxmatrix.text.phonemes.given import ALPHABETS
from voxmatrix.text.ssml import is_ssml

#: Of nearly every text, the only one that is needed: the others are compiled where they are.
_ANY = lazy_pattern(
    r"[\[{]\s?/?\s?(?:[a-z]{3,6}\s?[:=]|pause|voice|rate|break|silence)|<(?:break|prosody|say-as|phoneme|emphasis|voice)\b",
    re.IGNORECASE,
)
_SECONDS = r"\s*[\d.]{1,9}\s*m?s\s*"
_PAUSE = (
    rf"\[pause(?!:{_SECONDS}\])\b[^\[\]\n]{{0,30}}\]|\{{pause\b[^{{}}\n]{{0,30}}\}}"
    r"|[\[{](?:break|silence)[ :=]\s*[\d.]{1,9}\s*m?s?\s*[\]}]"
)
_VOICE = (
    r"\[(?:/\s?(?:voice|rate|pause)\s?[ :=][^\[\]\n]{0,60}|/pause|(?:voice|rate)(?:[ =][^\[\]\n]{1,60}|\s?:\s*))\]"
    r"|\[rate:(?!\s*[\d.]+\s*\])[^\[\]\n]{1,60}\]|\{/?(?:voice|rate)\b[^{}\n]{0,60}\}"
)
#: A word in brackets with a value: a tag, if the word is nearly that of one.
_VALUE = lazy_pattern(r"(?<!\[)\[/?([a-z]{3,6})\s?[:=]\s?[^\[\]\n]{1,60}\]", re.IGNORECASE)
_TAGS, _ALIKE = ("pause", "voice", "rate"), 0.8
_ELEMENT = r"<(?:break|prosody|say-as|phoneme|emphasis|voice)(?:\s[^<>\n]{0,200})?/?>"
_ALPHABET = r"<phoneme\b[^<>]{0,200}?\balphabet\s*=\s*[\"']\s*([^\"']{0,40}?)\s*[\"']"


def hints(text: str) -> list[Finding]:
    """What a text has that is read aloud, or not as it says: each kind once."""
    if _ANY.search(text) is None:
        return []
    found = []
    if re.search(_PAUSE, text, re.IGNORECASE):
        found.append(_hint("a pause in brackets is read aloud, as it has another form", "write [pause:1.5s]"))
    if re.search(_VOICE, text, re.IGNORECASE) or _is_misspelt(text):
        found.append(
            _hint(
                "a tag in brackets is read aloud, as it has another form",
                "write [voice:NAME] ... [/voice], [rate:0.8] ... [/rate]",
            )
        )
    if not is_ssml(text):
        if re.search(_ELEMENT, text, re.IGNORECASE):
            remedy = "put the text between <speak> and </speak>, or write [pause:1.5s], [rate:0.8] and [voice:NAME]"
            found.append(_hint("an element of SSML is read aloud, as the text is no SSML", remedy))
    elif any(name.lower() not in ALPHABETS for name in re.findall(_ALPHABET, text, re.IGNORECASE)):
        problem = "phonemes in an alphabet that is not read have no effect: the words are said as they are written"
        found.append(_hint(problem, 'write IPA, or X-SAMPA with alphabet="x-sampa"'))
    return found


def _is_misspelt(text: str) -> bool:
    words = {word.lower() for word in _VALUE.findall(text)} - {*_TAGS}
    return any(get_close_matches(word, _TAGS, n=1, cutoff=_ALIKE) for word in words)


def _hint(problem: str, remedy: str) -> Finding:
    return Finding(problem=problem, remedy=remedy, severity="warning")
