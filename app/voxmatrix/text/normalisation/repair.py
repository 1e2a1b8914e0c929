"""Replace characters that rules, voices or espeak-ng do not know, such as invisible ones, pictures and most dashes."""

import re
import unicodedata

from voxmatrix.text.lazy_pattern import lazy_pattern

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
_SAME = {"\u2026": "...", "\u2044": "/", "\u2028": "\n"}
_TABLE = str.maketrans(_MARKS | _QUOTES | _DASHES | _SAME)
#: Single quotes are letters in some languages, and a minus is read.
_UNREAD_TABLE = str.maketrans(
    _MARKS
    | {quote: plain for quote, plain in _QUOTES.items() if plain == '"'}
    | {dash: plain for dash, plain in _DASHES.items() if dash not in "\u2012\u2212"}
    | {"\u02bc": "'", "\u2012": "\u2013"}
    | _SAME
)
#: What repair leaves between the numbers of a range.
RANGE_DASH = "\u2012"

#: The space inside French quotes. Swedish has the same quotes without it, closing ones at both ends; in German and
#: Danish they point inwards, so that « behind a word closes.
_FRENCH_OPENING = lazy_pattern("(?<![^\\s(\\[\u2014\u2013-])[\u00ab\u2039][\u0020\u00a0\u202f]")
_FRENCH_CLOSING = lazy_pattern(r"[ \u00a0\u202f][\u00bb\u203a](?!\w)")

_INVISIBLE = lazy_pattern(
    "[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]"
)
#: Joiners shape letters in the scripts of South Asia and in Persian; elsewhere they have no meaning.
_LOOSE_JOINER = lazy_pattern("(?<![\u0600-\u0dff])[\u200c\u200d]")
_SIGNS = lazy_pattern("[\u00a9\u00ae\u2022\u2023\u2043\u2122\u2190-\u21ff\u2900-\u297f]+")
_PICTURES = lazy_pattern(
    "[\u2300-\u23ff\u2460-\u24ff\u2500-\u27bf\u2b00-\u2bff\u3200-\u32ff"
    "\ud800-\udfff\ue000-\uf8ff\ufff0-\uffff\U0001f000-\U0001faff\U00100000-\U0010ffff]+"
)
_FRACTION = lazy_pattern("(\\d?)([\u00bc-\u00be\u2150-\u215e])")
#: Letters in other shapes, as people decorate names with: small capitals, mathematical, and in circles.
_SMALL_CAPITALS = {
    code: name.removeprefix("LATIN LETTER SMALL CAPITAL ").lower()
    for code in (*range(0x250, 0x2B0), *range(0x1D00, 0x1D24), 0xA730, 0xA731)
    if (name := unicodedata.name(chr(code))).startswith("LATIN LETTER SMALL CAPITAL ") and len(name.split()[-1]) == 1
}
_IN_SMALL_CAPITALS = lazy_pattern("(?<![^\\W\\d_])[^\\W\\d_]*[\u1d00-\u1d23\ua730\ua731][^\\W\\d_]*")
_MATHEMATICAL = "\u3300-\u33ff\U0001d400-\U0001d7ff"
_CIRCLED = lazy_pattern("[\u2460-\u24ea\u3200-\u32ff]+")
_COMPATIBLE = lazy_pattern(f"[\u2080-\u2089\u2160-\u217f\ufb00-\ufb06\uff02-\uff5e\u2100-\u214f{_MATHEMATICAL}]+")
#: The same without what espeak-ng reads in some languages, such as the signs for number and trade mark.
_LETTERS = lazy_pattern(
    "[\u2102\u2103\u2107\u2109-\u2113\u2115\u2119-\u211d\u2124-\u2138\u213c-\u213f\u2145-\u2149"
    f"\u2160-\u217f\ufb00-\ufb06\uff02-\uff5e{_MATHEMATICAL}]+"
)
_OTHER_DIGITS = lazy_pattern(r"(?![0-9])\d")

# What espeak-ng 1.52 reads, by language; tests/text/normalisation/test_repair.py asks it.
#: With a word for minus before a number.
_NEGATIVE = frozenset(
    (
        *("af", "an", "bn", "bs", "cs", "el", "eo", "et", "fi", "hr", "hu", "id", "lb"),
        *("lt", "ltg", "lv", "mk", "ms", "nb", "ne", "ro", "sr", "ta", "uk", "vi"),
    )
)
#: With a word for three quarters. All read a quarter, a half and thirds, some in English; none reads the others.
_THREE_QUARTERS = frozenset(("af", "cs", "da", "hu", "kn", "lt", "ltg", "lv", "sk", "ta", "ti"))
_READ_FRACTIONS = "\u00bc\u00bd\u2153\u2154"
#: Numbers in ASCII are read in English.
_OWN_DIGITS = {"ne": "\u0966-\u096f"}
#: Letters with marks that espeak-ng says by their numbers ("letter one E D three"), and which of them a language reads.
_RARE_LETTERS = lazy_pattern("[\u1e00-\u1eff]")
_OWN_LETTERS = {
    "cy": "\u1e80\u1e81\u1ef2\u1ef3",
    "ga": "\u1e02\u1e03\u1e0a\u1e0b\u1e1e\u1e1f\u1e40\u1e41\u1e56\u1e57\u1e6a\u1e6b",
    "gn": "\u1ebc\u1ebd\u1ef8\u1ef9",
    "hak": "\u1e3e\u1e3f\u1e72\u1e73",
    "ltg": "\u1e28\u1e29",
    "lv": "\u1e28\u1e29",
    "vi": "\u1ea0-\u1ef9",
}
#: A dash between numbers that is not read aloud, where it is not the en dash.
_RANGE_DASHES = {"ja": "-"}
_MINUS = lazy_pattern("(?<![\\w\u00bd)\u2212])[\u2212](?=\\d)")
_CONTROLS = lazy_pattern("[\x00-\x09\x0b-\x1f\x7f-\x9f]")
_SPACES = lazy_pattern(r"[^\S\n]+")
_LINE_ENDS = lazy_pattern(r"[^\S\n]*\n[^\S\n]*")
_MANY_LINES = lazy_pattern(r"\n{3,}")

_ELLIPSIS = lazy_pattern(r"([!?,;:]?)[^\S\n]?\.(?:[^\S\n]?\.)+[^\S\n]?([!?,;:]?)(?=([^\S\n]*)(.?))", re.DOTALL)
_DIGITS_DASH = lazy_pattern(
    r"(?:(?<=[\d%°])|(?<=\ds)|(?<=\d[apAP][mM])|(?<=\d\s[apAP][mM])|(?<=[apAP]\.[mM]\.))[^\S\n]?\u2013[^\S\n]?(?=[$£€¥₹]?\d)"
)
_LEADING_DASH = lazy_pattern(r"^[^\S\n]*(?:[\u2013-][^\S\n]+)+", re.MULTILINE)
_DASH = lazy_pattern(
    r"[^\S\n]*([,;:.!?]?)[^\S\n]*(?:\u2013+|(?<=\s)(?<![\d%ms]\s)-(?=\s)|(?<=\s)-(?=\s[^\d$£€¥₹])|(?<=\s)-{2,3}(?=\s)|(?<=\w)--+(?=\w))[^\S\n]*([,;:.!?]?)[^\S\n]*"
)


def repair(text: str) -> str:
    """The same words in characters that the rules and the voices know."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.isascii():
        text = _in_known_characters(text)
    return _pauses(_SPACES.sub(" ", _CONTROLS.sub(" ", text)))


def repair_for_espeak(text: str, language: str) -> str:
    """A text of a language without rules: what espeak-ng reads stays as it is, so that nothing is read worse."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    base = language.lower().replace("_", "-").partition("-")[0]
    if not text.isascii():
        text = _with_unread_replaced(text, base)
    text = _pauses(_SPACES.sub(" ", _CONTROLS.sub(" ", text)))
    return text.replace(RANGE_DASH, _RANGE_DASHES.get(base, "\u2013"))


def _with_unread_replaced(text: str, base: str) -> str:
    text = _visible(text, _UNREAD_TABLE)
    text = _without_rare_marks(text, _OWN_LETTERS.get(base, ""))
    if base in _NEGATIVE:
        text = _MINUS.sub("-", text)
    read = _READ_FRACTIONS + ("\u00be" if base in _THREE_QUARTERS else "")
    text = _FRACTION.sub(lambda match: match[0] if match[2] in read else _spelled_fraction(match), text)
    text = _LETTERS.sub(lambda match: unicodedata.normalize("NFKC", match.group()), text)
    own = _OWN_DIGITS.get(base)
    digits = re.compile(rf"(?![0-9{own}])\d") if own else _OTHER_DIGITS
    text = digits.sub(lambda match: str(unicodedata.decimal(match.group())), text)
    return _PICTURES.sub(" ", text)


def _visible(text: str, table: dict[int, str]) -> str:
    text = _FRENCH_CLOSING.sub('"', _FRENCH_OPENING.sub('"', text))
    text = unicodedata.normalize("NFC", text.translate(table))
    text = _IN_SMALL_CAPITALS.sub(lambda match: match[0].translate(_SMALL_CAPITALS), text)
    return _CIRCLED.sub(_out_of_circles, _LOOSE_JOINER.sub("", _INVISIBLE.sub("", text)))


def _without_rare_marks(text: str, own: str = "") -> str:
    """`Nguy\u1ec5n` as `Nguyen`, but for the letters of the language itself."""
    own_letters = re.compile(f"[{own}]") if own else None

    def bare(match: re.Match[str]) -> str:
        if own_letters and own_letters.match(match[0]):
            return match[0]
        return next(letter for letter in unicodedata.normalize("NFD", match[0]) if not unicodedata.combining(letter))

    return _RARE_LETTERS.sub(bare, text)


def _out_of_circles(match: re.Match[str]) -> str:
    """`①②` as ` 1 2 `, letters as a word."""
    found = [unicodedata.normalize("NFKC", character) for character in match[0]]
    return f" {('' if all(map(str.isalpha, found)) else ' ').join(found)} "


def _in_known_characters(text: str) -> str:
    text = _without_rare_marks(_visible(text, _TABLE))
    text = _FRACTION.sub(_spelled_fraction, text)
    text = _COMPATIBLE.sub(lambda match: unicodedata.normalize("NFKC", match.group()), text)
    text = _OTHER_DIGITS.sub(lambda match: str(unicodedata.decimal(match.group())), text)
    return _PICTURES.sub(" ", _SIGNS.sub(" ", text))


def tidy(text: str) -> str:
    """One space between words and none before a mark, one mark after another, at most one empty line."""
    text = _SPACES.sub(" ", text)
    if "\n" in text:
        text = _MANY_LINES.sub("\n\n", _LINE_ENDS.sub("\n", text))
    if ".," in text or ".;" in text or ".:" in text:
        text = _ABBREVIATING_DOT.sub("", text)
    text = _MARKS_IN_A_ROW.sub(_strongest, text)
    return _LEADING_MARKS.sub("", text).strip()


#: It ends no sentence: `12 lbs., I think`.
_ABBREVIATING_DOT = lazy_pattern(r"\.(?<=\w\.)(?=[,;:])")
_MARKS_IN_A_ROW = lazy_pattern(r" ?([,;:.!?](?: ?[,;:.!?])*)(?![^\s\"')])")
_LEADING_MARKS = lazy_pattern(r"^(?:[,;.:-]+(?: |$))+", re.MULTILINE)


def _strongest(match: re.Match[str]) -> str:
    return next(mark for mark in "?!.:;," if mark in match[1])


def _spelled_fraction(match: re.Match[str]) -> str:
    """`2½` as `2 1/2`."""
    whole, fraction = match.groups()
    return f"{whole} {unicodedata.normalize('NFKC', fraction)}".strip().replace("\u2044", "/")


def _pauses(text: str) -> str:
    """Dashes and dots that only make a pause as a comma or a full stop; one mark instead of several."""
    text = _DIGITS_DASH.sub(RANGE_DASH, _LEADING_DASH.sub("", text))
    text = _ELLIPSIS.sub(_pause, text)
    return _DASH.sub(lambda match: f"{match[1] or match[2] or ','} ", text)


def _pause(match: re.Match[str]) -> str:
    before, after, _space, following = match.groups()
    return f"{before or after or (',' if following.islower() else '.')} "
