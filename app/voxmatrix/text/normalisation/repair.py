"""Replace characters that rules and voices do not know: one kind of quote, dash and space; no controls, no pictures."""

import re
import unicodedata

#: Marks of other scripts under the names that voices know. Before NFC, which takes a Greek `;` for a semicolon.
_MARKS = {
    "\u037e": "?",
    "\u0387": ";",
    "\u060c": ",",
    "\u061b": ";",
    "\u061f": "?",
    "\u06d4": ".",
    "\u0964": ". ",
    "\u0965": ". ",
    "\u3001": ", ",
    "\u3002": ". ",
    "\uff01": "! ",
    "\uff0c": ", ",
    "\uff0e": ". ",
    "\uff1a": ": ",
    "\uff1b": "; ",
    "\uff1f": "? ",
    "\uff61": ". ",
    "\uff64": ", ",
}
_QUOTES = dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\u2032\u00b4", "'") | dict.fromkeys(
    "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u2039\u203a\u300c\u300d\u300e\u300f", '"'
)
_DASHES = dict.fromkeys("\u2010\u2011\u2012\u2212\ufe63", "-") | dict.fromkeys("\u2014\u2015\u2e3a\u2e3b", "\u2013")
_TABLE = str.maketrans(_MARKS | _QUOTES | _DASHES | {"\u2026": "...", "\u2044": "/", "\u2028": "\n"})

#: The space inside French quotes; Swedish has the same quotes without it, closing ones at both ends.
_FRENCH_OPENING = re.compile("[\u00ab\u2039][\u0020\u00a0\u202f]")
_FRENCH_CLOSING = re.compile(r"[ \u00a0\u202f][\u00bb\u203a](?!\w)")

_INVISIBLE = re.compile(
    "[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]"
)
#: Joiners shape letters in the scripts of South Asia and in Persian; elsewhere they have no meaning.
_LOOSE_JOINER = re.compile("(?<![\u0600-\u0dff])[\u200c\u200d]")
_PICTURES = re.compile(
    "[\u00a9\u00ae\u2022\u2023\u2043\u2122\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u2500-\u27bf\u2900-\u297f\u2b00-\u2bff\u3200-\u32ff"
    "\ud800-\udfff\ue000-\uf8ff\ufff0-\uffff\U0001f000-\U0001faff\U00100000-\U0010ffff]+"
)
_FRACTION = re.compile("(\\d?)([\u00bc-\u00be\u2150-\u215e])")
_COMPATIBLE = re.compile("[\u2080-\u2089\u2160-\u217f\ufb00-\ufb06\uff02-\uff5e\u2100-\u214f]+")
_OTHER_DIGITS = re.compile(r"(?![0-9])\d")
_CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f]")
_SPACES = re.compile(r"[^\S\n]+")
_LINE_ENDS = re.compile(r"[^\S\n]*\n[^\S\n]*")
_MANY_LINES = re.compile(r"\n{3,}")

_ELLIPSIS = re.compile(r"([!?,;:]?)[^\S\n]?\.(?:[^\S\n]?\.)+[^\S\n]?([!?,;:]?)(?=([^\S\n]*)(.?))", re.DOTALL)
_DIGITS_DASH = re.compile(r"(?<=[\d%])[^\S\n]?\u2013[^\S\n]?(?=[$£€¥₹]?\d)")
_LEADING_DASH = re.compile(r"^[^\S\n]*(?:[\u2013-][^\S\n]+)+", re.MULTILINE)
_DASH = re.compile(
    r"[^\S\n]*([,;:.!?]?)[^\S\n]*(?:\u2013+|(?<=\s)(?<![\d%ms]\s)-(?=\s)|(?<=\s)-(?=\s[^\d$£€¥₹])|(?<=\s)-{2,3}(?=\s)|(?<=\w)--+(?=\w))[^\S\n]*([,;:.!?]?)[^\S\n]*"
)


def repair(text: str) -> str:
    """The same words in characters that the rules and the voices know."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.isascii():
        text = _in_known_characters(text)
    return _pauses(_SPACES.sub(" ", _CONTROLS.sub(" ", text)))


def _in_known_characters(text: str) -> str:
    text = _FRENCH_CLOSING.sub('"', _FRENCH_OPENING.sub('"', text))
    text = unicodedata.normalize("NFC", text.translate(_TABLE))
    text = _LOOSE_JOINER.sub("", _INVISIBLE.sub("", text))
    text = _FRACTION.sub(_spelled_fraction, text)
    text = _COMPATIBLE.sub(lambda match: unicodedata.normalize("NFKC", match.group()), text)
    text = _OTHER_DIGITS.sub(lambda match: str(unicodedata.decimal(match.group())), text)
    return _PICTURES.sub(" ", text)


def tidy(text: str) -> str:
    """One space between words and none before a mark, one mark after another, at most one empty line."""
    text = _LINE_ENDS.sub("\n", _SPACES.sub(" ", text))
    text = _MANY_LINES.sub("\n\n", text)
    text = _MARKS_IN_A_ROW.sub(_strongest, text)
    return _LEADING_MARKS.sub("", text).strip()


_MARKS_IN_A_ROW = re.compile(r" ?([,;:.!?](?: ?[,;:.!?])*)(?![^\s\"')])")
_LEADING_MARKS = re.compile(r"^(?:[,;.:-]+(?: |$))+", re.MULTILINE)


def _strongest(match: re.Match[str]) -> str:
    return next(mark for mark in "?!.:;," if mark in match[1])


def _spelled_fraction(match: re.Match[str]) -> str:
    """`2½` as `2 1/2`."""
    whole, fraction = match.groups()
    return f"{whole} {unicodedata.normalize('NFKC', fraction)}".strip().replace("\u2044", "/")


def _pauses(text: str) -> str:
    """Dashes and dots that only make a pause as a comma or a full stop; one mark instead of several."""
    text = _DIGITS_DASH.sub("\u2012", _LEADING_DASH.sub("", text))  # between numbers: read as a range later
    text = _ELLIPSIS.sub(_pause, text)
    return _DASH.sub(lambda match: f"{match[1] or match[2] or ','} ", text)


def _pause(match: re.Match[str]) -> str:
    before, after, _space, following = match.groups()
    return f"{before or after or (',' if following.islower() else '.')} "
