"""Which paragraphs are headings, where only their words say so, and which of them stand in the contents."""

import re
from bisect import bisect_right
from collections.abc import Collection, Sequence

from voxmatrix.book.read.contents_lists import listed_titles
from voxmatrix.book.read.marks import MAX_LINE, NUMBERED_WORDS, PART_WORDS, ROMAN, joined_lines, number_of
from voxmatrix.book.read.passage import Passage
from voxmatrix.book.read.unspoken import is_contents_title

_ONES = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    "|(?:twenty|thirty|forty|fifty)(?:[- ]\\w+)?"
    "|ett|tv\u00e5|tre|fyra|fem|sex|sju|\u00e5tta|nio|tio|elva|tolv|\\w+ton|tjugo\\w*|trettio\\w*"
    "|eins|zwei|drei|vier|f\u00fcnf|sechs|sieben|acht|neun|zehn|elf|zw\u00f6lf|\\w+zehn"
    "|une?|deux|trois|quatre|cinq|sept|huit|neuf|dix|onze|douze|uno|dos|tres|cuatro|cinco|due|quattro|cinque|een|twee|drie"
)
_ORDINALS = (
    # English, Swedish, Danish, German and Dutch
    "(?:twenty-|thirty-|forty-)?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)|last|tenth|eleventh|twelfth"
    "|\\w+teenth|twentieth|f\u00f6rsta|andra|tredje|fj\u00e4rde|femte|sj\u00e4tte|sista|\\w+(?:nde|de|te)[rsnm]?|\\w+ste[rsnm]?|f\u00f8rste"
    # French
    "|premi(?:er|[e\u00e8]re)|seconde?|derni(?:er|[e\u00e8]re)|\\w+i[e\u00e8]me"
    # Spanish, Portuguese and Italian
    "|primer[oa]?|primeir[oa]|prim[oa]|segund[oa]|second[oa]|tercer[oa]?|terceir[oa]|terz[oa]|cuart[oa]|quart[oa]|quint[oa]"
    "|s[e\u00e9]xt[oa]|sest[oa]|s[e\u00e9]p?tim[oa]|settim[oa]|o[ct]tav[oa]|oitav[oa]|noven[oa]|non[oa]|d[e\u00e9]cim[oa]\\w*"
    "|\\w+[e\u00e9]sim[oa]|[u\u00fa]ltim[oa]"
)
_THINGS = f"{NUMBERED_WORDS}|kapitlet|delen|boken|akten|scenen"
#: Behind the number of a heading: nothing, or a title behind a mark, or one that begins with a capital.
_TITLE = r"(?:\s*[.:,;\u2013\u2014-].*|\s+(?![a-z\u00df-\u00ff]).*)?"
_NUMBERED = rf"(?i:{NUMBERED_WORDS})\s+(?i:the\s+)?(?:\d{{1,4}}|{ROMAN}|(?i:{_ONES}|{_ORDINALS})(?!\w)){_TITLE}"
_COUNTED = (
    r"\d{1,3}(?:(?i::?[ea]|st|nd|rd|th|\.|er|re|\u00e8?me|e)|\u00ba|\u00aa)"  # 1:a, 2nd, 2e
    rf"|(?i:{_ORDINALS})"
)
_ORDINAL = (
    rf"(?i:(?:the|l[ae]|el|il|o|das|der)\s+)?(?:{_COUNTED})\s+(?i:{_THINGS})(?!\w)(?!.*[?!,;\u201d\u00bb]$)"
    rf"(?:{_TITLE}|\s+(?:del?|de la|des?|du|of|von|van|av|der)\s[^.!?]{{1,60}})"
)
_NAMED = (
    r"(?i:prologue?|epilogue?|preface|foreword|introduction|afterword|appendix|f\u00f6rord|inledning|prolog|epilog|efterord"
    r"|vorwort|vorrede|nachwort|einleitung|pr\u00e9face|avant-propos|\u00e9pilogue|postface|conclusion|pr[o\u00f3]logo|ep[i\u00ed]logo"
    r"|prefacio|pref\u00e1cio|prefazione|introducci\u00f3n|introdu\u00e7\u00e3o|introduzione|voorwoord|nawoord|inleiding|proloog|epiloog)"
    r"(?i:\s+[A-Z\d]{1,3})?\.?"
)
_HEADING = re.compile(f"{_NUMBERED}|{_ORDINAL}|{_NAMED}")
_PART = re.compile(rf"(?:\w+\s+){{0,2}}(?:{PART_WORDS}|delen|boken|akten)(?!\w)", re.IGNORECASE)
#: A heading that is a number only counts where the next number follows.
_NUMBER = re.compile(rf"(\d{{1,3}}|{ROMAN})\.?")
#: `II. The hill` and `II THE HILL` count where the next number follows, with text between: items of lists have none.
_TITLED = re.compile(r"([IVXLC]+)\.?(?:(?<=\.)\s+\S.{0,70}|\s+(?=\w{2})[^a-z\u00df-\u00ff]{3,70})?")
#: Without a title.
_BARE = re.compile(rf"(?i:{NUMBERED_WORDS})\s+\S+|{ROMAN}\.?|\d+\.?")
MAX_HEADING = 80
_MIN_LINES_OF_CONTENTS = 3
_MOSTLY = 0.8
#: In characters; and how many numbers that follow each other are those of chapters for sure.
_MAX_STANZA, _SURE = 300, 3


def is_heading(line: str) -> bool:
    """Whether the words of a line are those of a heading: a number with what it counts, or the name of a section."""
    return len(line) <= MAX_HEADING and _HEADING.fullmatch(line) is not None


def is_part(heading: str) -> bool:
    """Whether a heading is that of a part, below which chapters may follow."""
    return _PART.match(heading) is not None


def with_title(texts: Sequence[str]) -> str:
    """A heading with its title, if that is the next paragraph: a few words in capitals."""
    heading, following = texts[0], texts[1] if len(texts) > 1 else ""
    has_title = following.isupper() and len(following) <= MAX_LINE and not is_heading(following)
    has_title = has_title and not _NUMBER.fullmatch(following)
    return joined_lines(texts, heading=True) if has_title and _BARE.fullmatch(heading) else heading


def is_contents(lines: Sequence[str], *, after_title: bool) -> bool:
    """Whether the lines of a paragraph list headings; behind the title of a contents, or one in words, numbers too."""
    listed = [line for line in lines if not is_contents_title(line)]
    least = 1 if after_title else _MIN_LINES_OF_CONTENTS
    words = sum(map(is_heading, listed))
    numbers = sum(_NUMBER.fullmatch(line) is not None for line in listed) if after_title or words else 0
    return len(listed) >= least and len(listed) != 1 and words + numbers >= _MOSTLY * len(listed)


def mark_contents(passages: Sequence[Passage]) -> None:
    """Mark headings that are listed without text between them and come again, and the title above a list."""
    last = {passage.text.casefold(): index for index, passage in enumerate(passages)}
    listed: list[Passage] = []
    has_title = False
    for index, passage in enumerate([*passages, Passage("", 0, None)]):
        heading = passage.level or is_heading(passage.text) or _NUMBER.fullmatch(passage.text)
        if heading and last[passage.text.casefold()] > index:
            listed.append(passage)
            continue
        # Numbers alone may be counted in the text.
        is_list = has_title or any(not _NUMBER.fullmatch(one.text) for one in listed)
        marked = listed if is_list and len(listed) >= _MIN_LINES_OF_CONTENTS else []
        has_title = is_contents_title(passage.text)
        for one in (*marked, passage) if has_title else marked:
            one.kinds = one.kinds or ("contents",)
        listed = []


def heading_indices(passages: Sequence[Passage]) -> set[int]:
    """The indices of headings: with words, or numbers alone that count up from 1."""
    texts = ["" if passage.kinds else passage.text for passage in passages]
    found = {index for index, text in enumerate(texts) if text and (passages[index].level or is_heading(text))}
    listed = listed_titles(passages)
    found |= listed
    numbers = [(index, match[1]) for index, text in enumerate(texts) if (match := _NUMBER.fullmatch(text))]
    titled = {index: match[1] for index, text in enumerate(texts) if (match := _TITLED.fullmatch(text))}
    alone = [(index, number) for index, number in titled.items() if not {index - 1, index + 1} & titled.keys()]
    counted = _counting(numbers, found, texts) | _counting(alone, found, texts)
    starts = sorted(listed)
    divided = {bisect_right(starts, index) for index in counted} - {0}
    found |= counted if len(divided) * 2 >= len(starts) else set()  # else they are sections of a few chapters
    return {index for index in found if not passages[index].line.head}  # behind the name of a speaker are his words


def mark_headings(passages: Sequence[Passage]) -> bool:
    """Give paragraphs that are headings by their words a level, the parts a higher one; whether there are several."""
    found = sorted(heading_indices(passages))
    for index in found if len(found) > 1 else ():
        level = 1 if is_part(passages[index].text) else 2
        lines = [one for one in passages[index : index + 2] if not one.kinds]
        titled = len(lines) > 1 and with_title([one.text for one in lines]) != lines[0].text
        for line in lines if titled else lines[:1]:
            line.level = level
    return len(found) > 1


def _counting(numbers: Sequence[tuple[int, str]], found: Collection[int], texts: Sequence[str]) -> set[int]:
    """The indices of the numbers that count up from 1, if there are several; each part may begin with 1 again."""
    runs: list[list[int]] = [[]]
    last = 0
    for index, number in numbers:
        value = number_of(number)
        follows = value == last + 1 or (value == last + 2 and len(runs[-1]) >= _SURE)  # one may be misprinted
        if not follows and (value != 1 or index in found):
            continue
        if not follows:
            runs.append([])
        runs[-1].append(index)
        last = value
    counted = [index for run in runs if not _are_stanzas(run, found, texts) for index in run]
    return set(counted if len(counted) > 1 else ())


def _are_stanzas(run: Sequence[int], found: Collection[int], texts: Sequence[str]) -> bool:
    """Whether numbers are those of short pieces in the middle of a text that has headings."""
    if len(run) < 2 or not found or run[0] - 1 in found:
        return False
    return sum(map(len, texts[run[0] : run[-1]])) < _MAX_STANZA * (len(run) - 1)
