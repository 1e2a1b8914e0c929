"""Marks within a line: numbers of notes and pages, exponents and fractions, line breaks, and numbers of headings."""

import re
from collections.abc import Sequence
from itertools import pairwise

_SMALL_NUMBER = re.compile(r"[+\u2212-]?\d{1,4}")
#: What stands raised behind a word and is no number: a note.
_NOTE_MARK = re.compile(r"[\[({]\s*(?:\d{1,3}|[a-z])\s*[\])}]|[*\u2020\u2021\u00a7\u00b6]{1,3}")
_SUPERSCRIPTS = str.maketrans(
    "+-\u22120123456789", "\u207a\u207b\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
)
_SUBSCRIPTS = str.maketrans(
    "+-\u22120123456789", "\u208a\u208b\u208b\u2080\u2081\u2082\u2083\u2084\u2085\u2086\u2087\u2088\u2089"
)
_PLAIN = str.maketrans(
    "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u2080\u2081\u2082\u2083\u2084\u2085\u2086\u2087\u2088\u2089",
    "01234567890123456789",
)
#: Behind these, a raised number is an exponent: `25 m`, `= mc`, `(x + 1)`.
_RAISED_UNIT = re.compile(
    r"(?:^|[\s\d(/\u00b7.])(?:[kcdmn\u00b5h]?m"
    r"|(?<=\d)\s?(?:in|ft|yd|mi|s|miles?|feet|foot|inch(?:es)?|yards?|(?:kilo|centi|milli)?met(?:er|re)s?))$"
)
_FORMULA = re.compile(
    r"[=+*/^\u221a\u2212\u00b7\u00d7(]\s?[^\W\d_]{1,3}$|(?:^|\W)[^\W\d_]$|[\d=+*/\u2212\u207b\u00b2\u00b3-][^()]{0,60}\)$|\([^\W\d_]\)$"
    r"|\b(?:sin|cos|tan|cot|log|ln|exp)$"
)
_YEAR = re.compile(r"(?<!\d)(?:1[1-9]|20)\d\d$")
_OF_FRACTIONS = re.compile("[\u2044\u2080-\u2089]")
_FRACTION = re.compile(
    r"(?<!\d)(\d{0,6})([\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+)\s?(?:\u2044\s?(\d+|[\u2080-\u2089]+)|/\s?([\u2080-\u2089]+))"
    r"|(?<!\d)(\d{1,4})\s?[\u2044/]\s?([\u2080-\u2089]+)"
)


def raised(text: str, before: str) -> str:
    """Raised text (`sup`) as it is read behind `before`: an exponent, nothing for the number of a note, or itself."""
    mark = text.strip()
    if before and not before[-1].isspace() and _NOTE_MARK.fullmatch(mark):
        return ""
    if not _SMALL_NUMBER.fullmatch(mark):
        return text
    if not before.strip() or before[-1].isspace():
        return f"{mark} "  # of a verse
    if before[-1].isdigit():
        return "" if _YEAR.search(before) else mark.translate(_SUPERSCRIPTS)
    if _RAISED_UNIT.search(before) or _FORMULA.search(before):
        return mark.translate(_SUPERSCRIPTS)
    return "" if mark.isdigit() else mark.translate(_SUPERSCRIPTS)


def lowered(text: str) -> str:
    """Lowered text (`sub`) with its digits as such."""
    return text.translate(_SUBSCRIPTS) if _SMALL_NUMBER.fullmatch(text.strip()) else text


def with_fractions(text: str) -> str:
    """`2²⁄₃` as `2 2/3`."""

    def plain(match: re.Match[str]) -> str:
        whole, upper, lower = match[1] or "", match[2] or match[5], match[3] or match[4] or match[6]
        return f"{whole} {upper}/{lower}".strip().translate(_PLAIN)

    return _FRACTION.sub(plain, text) if _OF_FRACTIONS.search(text) else text


#: With a scheme, or a path: a name such as amazon.com is a word of its sentence.
_URL = re.compile(
    r"(?:\b(?:https?|ftp)://|\bwww\.(?=\w))(?:\([^\s()<>]*\)|[^\s<>\"\u201d()])*(?:\([^\s()<>]*\)|[^\s<>\"\u201d\u2019().,;:!?\]}'])"
    r"|(?<![\w@./-])[a-z][\w-]*(?:\.[\w-]+){0,9}\.[a-z]{2,6}/[\w./?=&%#~+-]*[\w/]",
    re.IGNORECASE,
)
_NOTHING_LEFT = re.compile(r"\s?[(\[<]\s*[)\]>]|\s+(?=[.,;:!?])")


def urls_in(text: str) -> list[str]:
    """The web addresses that a text contains."""
    return _URL.findall(text) if "/" in text or "www." in text.lower() else []


def without_urls(text: str) -> str:
    """The text without its web addresses, and without the brackets around them; empty if no word is left."""
    if not urls_in(text):
        return text
    left = " ".join(_NOTHING_LEFT.sub("", _URL.sub("", text)).split())
    return left if any(map(str.isalnum, left)) else ""


_RAISED_DIGITS = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
#: `[Pg 12]`, `{13}`; and `[1]` directly behind a word, or `²` behind one that is too long for a unit.
_PAGE_OR_NOTE = re.compile(
    r"\s?\[(?:[Pp]g?|[Pp]age|S|Seite|[Ss]id)\.?\s*[\dxivlc]{1,6}\](?=\s|$|\W)|(?<!\S)\{\d{1,4}\}\s?"
    r"|(?<=[\w.,;:!?\u2026\"'\u2019\u201d\u00bb)])(?<!\d)\[(?:\d{1,3}|[*\u2020\u2021])\]"
    r"|(?:(?<=[^\W\d_]{4})|(?<=[.,;:!?\u2019\u201d\u00bb]))[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{1,3}(?!\w)"
)


def without_numbers_of_notes_and_pages(text: str) -> str:
    """Text without the numbers of notes and pages that are written into it in brackets."""

    def kept(match: re.Match[str]) -> str:
        is_exponent = match[0][0] in _RAISED_DIGITS and _RAISED_UNIT.search(
            text[max(0, match.start() - 30) : match.start()]
        )
        return match[0] if is_exponent else ""

    return text if text.isascii() and "[" not in text and "{" not in text else _PAGE_OR_NOTE.sub(kept, text)


ROMAN = r"(?=[IVXLCivxlc])[Cc]{0,3}(?:[Xx][Cc]|[Xx][Ll]|[Ll]?[Xx]{0,3})(?:[Ii][Xx]|[Ii][Vv]|[Vv]?[Ii]{0,3})"
_CAPITAL_ROMAN = r"(?=[IVXLC])C{0,3}(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})"
#: Words before the number of a heading: of parts, and of chapters in them.
PART_WORDS = (
    "part|book|volume|del|bok|teil|buch|partie|livre|parte|libro|deel|boek"
    "|act|akt|acte|acto|atto|ato|aufzug|bedrijf|jornada|canto|s\u00e5ng"
)
CHAPTER_WORDS = (
    "chapter|kapitel|chapitre|cap[i\u00ed]tulo|capitolo|hoofdstuk|luku|rozdzia\u0142|\u0433\u043b\u0430\u0432\u0430"
    "|letter|brev|auftritt|scene|scen|szene|sc\u00e8ne|escena|scena|cena"
)
NUMBERED_WORDS = f"{PART_WORDS}|{CHAPTER_WORDS}"
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
#: `L. Frank Baum`: rather an initial than the fiftieth chapter, unlike `L. The End`.
_NAME = r"[LC]\.\s(?!The\b|An?\b|In\b|D(?:er|ie|as)\b|L[ae]s?\b)[A-Z][\w'\u2019-]+(?:\s[A-Z][\w'\u2019-]+)?$"
#: `XIV`, `I. The sea`, `II The sea`; not `I saw the sea`, `I, Robot` or `C. S. Lewis`.
_AT_THE_START = re.compile(
    rf"(?=\w\w){ROMAN}(?=\.?$)|(?!{_NAME}){_CAPITAL_ROMAN}(?=\.?$|[.:\u2013\u2014-]\s(?!\w\.))|(?=\w\w){_CAPITAL_ROMAN}(?=[\s,])"
)
_BEHIND_A_WORD = re.compile(
    rf"\b((?i:{NUMBERED_WORDS})\.?\s+)({_CAPITAL_ROMAN}(?!\w)|{ROMAN}(?=\.?$|[.:,\u2013\u2014-]\s))"
)
_LEADING_ZERO = re.compile(r"(?<!\S)0(?=[1-9]\d?(?!\w|[.:,/-]\d))")
#: `The hill ..... 12`, `I., The hill, 12`, `Preface: vii`.
LINE_OF_CONTENTS = re.compile(rf"(.{{1,150}}?)[\s.,:;\u00b7\u2026_\u2013\u2014-]+(\d{{1,4}}|{ROMAN})\.?")
MIN_LINES_OF_CONTENTS = 3
_ROMAN_BEFORE = 1000
NUMBER_LINE = re.compile(rf"(?:(?i:{NUMBERED_WORDS})\s+)?(?:{ROMAN}|\d{{1,4}})|(?i:{NUMBERED_WORDS})\s+\w+")


def number_of(written: str) -> int:
    """The value of a number in digits or in Roman numerals."""
    if written.isdigit():
        return int(written)
    values = [_ROMAN_VALUES[letter] for letter in written.upper()]
    return sum(
        -value if value < following else value for value, following in zip(values, [*values[1:], 0], strict=True)
    )


def spoken_heading(heading: str) -> str:
    """A heading with its number in digits, as it is to be read: `XIV` as `14`, `Chapter 01` as `Chapter 1`."""
    start = _AT_THE_START.match(heading)
    text = f"{number_of(start[0])}{heading[start.end() :]}" if start and start[0] else heading
    text = _BEHIND_A_WORD.sub(lambda match: f"{match[1]}{number_of(match[2])}" if match[2] else match[0], text)
    return _LEADING_ZERO.sub("", text)


#: Longer lines are wrapped text, not lines of a poem, an address or a heading.
MAX_LINE = 60
# Control characters are marks of plays (`play_marks`).
_ENDS_WITH_MARK = re.compile(r"[.,;:!?\u2026\u3002\uff0c\u3001\u2014\u2013-][\"'\u2019\u201d\u00bb)\]\3-\6]*$")
#: Words behind which nobody pauses.
_GOES_ON = re.compile(
    r"(?i)(?:^|\s)(?:an?|the|of|to|in|on|at|by|for|and|or|with|from|de|la|les?|du|des|d(?:er|ie|as|en|em|et)|und|von|ett?|och|av|till)$"
)


def joined_lines(lines: Sequence[str], *, heading: bool = False) -> str:
    """Lines as one text. Behind a short one without a mark is a comma, or a colon behind a heading's number."""
    joined = last = ""
    for line in filter(None, (line.strip() for line in lines)):
        joined += (_pause(last, line, heading=heading) + " " if last else "") + line
        last = line
    return joined


def _pause(line: str, following: str, *, heading: bool) -> str:
    if len(line) > MAX_LINE or _ENDS_WITH_MARK.search(line):
        return ""
    if heading and NUMBER_LINE.fullmatch(line):
        return ":"
    return "" if following[0].islower() or _GOES_ON.search(line) else ","


def ends_in_pages(lines: Sequence[str]) -> bool:
    """Whether nearly all of several lines, below the first one, end in numbers that never fall."""
    lines = lines if LINE_OF_CONTENTS.fullmatch(lines[0]) else lines[1:]
    numbers = [page_of(match[2]) for line in lines if (match := LINE_OF_CONTENTS.fullmatch(line))]
    return len(numbers) >= MIN_LINES_OF_CONTENTS and len(numbers) >= 0.8 * len(lines) and never_fall(numbers)


def paragraph_or_contents(paragraph: str, line_break: str) -> list[str]:
    """A paragraph as it is, or its lines if they are contents that end in numbers of pages."""
    lines = [line for part in paragraph.split(line_break) if (line := " ".join(part.split()))]
    return lines if lines and ends_in_pages(lines) else [paragraph]


def page_of(number: str) -> int:
    """The place of a page; those of a preface have Roman numbers and come before the others."""
    return number_of(number) - (0 if number.isdigit() else _ROMAN_BEFORE)


def never_fall(numbers: Sequence[int]) -> bool:
    """Whether no number is smaller than the one before it."""
    return all(first <= second for first, second in pairwise(numbers))
