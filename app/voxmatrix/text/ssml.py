"""SSML as text with tags (`passages`): breaks, voices, rates, phonemes, substitutes, and what `say-as` says a text is.

Of other elements, the text.
"""

import re
from typing import TYPE_CHECKING

from voxmatrix.errors import BadInputError
from voxmatrix.text.lazy_pattern import lazy_pattern
from voxmatrix.text.normalisation.say_as import marked, with_phonemes
from voxmatrix.text.passages import MAX_RATE, MIN_RATE
from voxmatrix.text.phonemes.given import given_phonemes

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_START = lazy_pattern(r"\s*(?:<\?xml[^>]*\?>\s*)?<speak[\s>]")
#: In seconds (W3C leaves them open; those of Amazon Polly and Azure are alike).
_BREAKS = {"none": 0.0, "x-weak": 0.25, "weak": 0.25, "medium": 0.5, "strong": 0.75, "x-strong": 1.2}
_RATES = {"x-slow": 0.5, "slow": 0.75, "medium": 1.0, "default": 1.0, "fast": 1.25, "x-fast": 1.5}
_TIME = lazy_pattern(r"\+?(\d{1,5}(?:\.\d+)?)(ms|s)")
_PERCENT = lazy_pattern(r"([+-]?)(\d{1,4}(?:\.\d+)?)%")
_SPELLED = frozenset({"characters", "spell-out", "digits", "number_digit", "verbatim"})
_TELEPHONE = frozenset({"telephone", "phone"})
#: Their content is not for the ear.
_SILENT = frozenset({"desc", "metadata", "meta", "lexicon", "mark", "bookmark"})
#: What may stand in a document and begins with <!, and how it ends.
_SECTIONS = {"<!--": "-->", "<![CDATA[": "]]>"}
_BLOCKS = frozenset({"p", "paragraph", "s", "sentence"})


def is_ssml(text: str) -> bool:
    """Whether a text is SSML: it starts with `<speak>`."""
    return _START.match(text) is not None


def from_ssml(text: str) -> str:
    """The text of a document, with tags.

    Raises:
        BadInputError: it is not well-formed, or declares entities.
    """
    from xml.etree import ElementTree  # here: few texts need it

    if _has_declarations(text):
        raise BadInputError("the SSML has a document type", "remove the line <!DOCTYPE …>")
    try:
        root = ElementTree.fromstring(text.strip())
    except ElementTree.ParseError as error:
        raise BadInputError(
            f"the SSML is not well-formed: {error}", "close every element, and write & as &amp;"
        ) from error
    try:
        return _content(root, "", 1.0).strip()
    except RecursionError as error:
        raise BadInputError("the elements of the SSML are nested too deeply", "remove some of them") from error


def _has_declarations(text: str) -> bool:
    """Whether a document has more than comments and CDATA that begins with <!. Each character is looked at once."""
    place = text.find("<!")
    while place >= 0:
        start = next((start for start in _SECTIONS if text.startswith(start, place)), None)
        if start is None:
            return True
        place = text.find(_SECTIONS[start], place + len(start))
        place = text.find("<!", place) if place >= 0 else -1  # else unclosed, which the parser says
    return False


def _content(element: "Element", voice: str, rate: float) -> str:
    """What is inside an element, in this voice and at this rate."""
    parts = [element.text or ""]
    for child in element:
        parts += [_element(child, voice, rate), child.tail or ""]
    return "".join(parts)


def _element(element: "Element", voice: str, rate: float) -> str:
    name = element.tag.rpartition("}")[2].lower()
    given = {key.rpartition("}")[2].lower(): value.strip() for key, value in element.attrib.items()}
    instead = _instead(name, given, element)
    if instead is not None:
        return instead
    if name == "voice" and given.get("name"):
        inner = _content(element, given["name"], rate)
        return f" [voice:{given['name']}] {inner} [voice{voice and ':'}{voice}] "
    if name == "prosody" and "rate" in given:
        own = min(max(rate * _rate(given["rate"]), MIN_RATE), MAX_RATE)
        return f" [rate:{own:.4f}] {_content(element, voice, own)} [rate:{rate:.4f}] "
    inner = _content(element, voice, rate)
    return f"\n\n{inner}\n\n" if name in _BLOCKS else inner


def _instead(name: str, given: dict[str, str], element: "Element") -> str | None:
    """What is said instead of the content of an element, if that is not said as it is."""
    if name == "break":
        return f" [pause:{_seconds(given):.3f}s] "
    if name in _SILENT:
        return ""
    if name == "phoneme" and given.get("ph"):
        written = "".join(element.itertext())
        phonemes = given_phonemes(given["ph"], given.get("alphabet", "ipa"), written)
        return phonemes and with_phonemes(written, phonemes)
    if name == "sub" and "alias" in given:
        return given["alias"]
    return _said_as(given, "".join(element.itertext())) if name == "say-as" else None


def _said_as(given: dict[str, str], written: str) -> str | None:
    kind, form = (given.get(name, "").lower() for name in ("interpret-as", "format"))
    kind = kind.removeprefix("vxml:")
    if kind == "number" and form:  # of W3C's note: ordinal, telephone …
        kind, form = form, ""
    if kind in _SPELLED:
        return " ".join("".join(written.split()))
    if kind in _TELEPHONE:
        groups = ", ".join(" ".join(group) for group in re.findall(r"\d+|[^\W\d_]+", written))
        return f"+ {groups}" if written.strip().startswith("+") else groups
    return marked(written, kind, form)


def _seconds(given: dict[str, str]) -> float:
    """Of a break."""
    time = _TIME.fullmatch(given.get("time", ""))
    if time:
        return float(time[1]) / (1000 if time[2] == "ms" else 1)
    return _BREAKS.get(given.get("strength", "medium").lower(), _BREAKS["medium"])


def _rate(given: str) -> float:
    """Of prosody: a word, 80%, +20% or 0.8. What cannot be read is as usual."""
    percent = _PERCENT.fullmatch(given)
    if percent:
        value = float(percent[2]) / 100
        return {"+": 1 + value, "-": 1 - value, "": value}[percent[1]]
    try:
        return float(given)
    except ValueError:
        return _RATES.get(given.lower(), 1.0)
