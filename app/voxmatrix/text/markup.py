"""Markdown and HTML in a text: what they mark is read out, and the marks are not. Every text passes here once.

Twice would be wrong: `&lt;b&gt;` is the text `<b>`, which is no tag. So what has a structure of its own, as EPUB and
HTML files have, is read by its reader instead, and its paragraphs do not come here.
"""

import html
import re

from voxmatrix.text.lazy_pattern import lazy_pattern
from voxmatrix.text.normalisation.say_as import with_phonemes
from voxmatrix.text.phonemes.given import given_phonemes
from voxmatrix.text.ssml import from_ssml, is_ssml

#: Without any of these, a text has no markup that is looked for here.
_ANY_MARK = lazy_pattern(r"[\[<&`~|>]|==")
#: A tag of these begins or ends a paragraph.
_BLOCKS = "blockquote|br|center|dd|details|div|dl|dt|h[1-6]|hr|li|ol|p|pre|summary|table|tbody|tfoot|thead|tr|ul"
_INLINE = "a|abbr|audio|b|big|code|del|em|font|i|img|ins|kbd|mark|s|small|span|strong|sub|sup|u|video"
#: Models that think aloud write the last two.
_OTHERS = "td|th|wbr|think|thinking"
_ATTRIBUTE = r"""\s+(?:[\w:-]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>]+)|(?:controls|hidden|open)\b)"""
#: Other names could be words between two signs of inequality: `cp <source> <target>`.
_TAG = lazy_pattern(
    rf"<(?P<end>/?)(?P<name>{_BLOCKS}|{_INLINE}|{_OTHERS})(?:{_ATTRIBUTE})*\s*/?>|<!--(?:(?!<!--).)*?-->",
    re.IGNORECASE | re.DOTALL,
)
_BLOCK = lazy_pattern(_BLOCKS, re.IGNORECASE)
_QUOTE = lazy_pattern(r"^[ \t]*>(?:[ \t]*>)*[ \t]*(?![ \t\d=>])", re.MULTILINE)
_TASK = lazy_pattern(r"^([ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+)\[[ xX]\](?=[ \t])", re.MULTILINE)
#: With the name of a language, and what tools write behind that: ```py title="a.py"
_FENCE = lazy_pattern(
    r"^[ \t]*(?:`{3,}|~{3,})(?:[^\s`~{]+(?:[ \t]+[\w-]+=[^`\n]*)?)?(?:[ \t]*\{[^`\n]*\})?[ \t\r]*$", re.MULTILINE
)
_TABLE_RULE = lazy_pattern(r"^(?:[ \t]*\|)?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?)?[ \t\r]*$", re.MULTILINE)
_UNDERLINE = lazy_pattern(r"^[ \t]*={3,}[ \t\r]*$", re.MULTILINE)
#: An image or a link. Brackets in brackets are phonemes, and an address has no spaces.
_LINK = lazy_pattern(
    r"(?P<mark>!?)\[(?P<words>[^\[\]\n]*)\]\((?P<address><[^<>\n]*>|[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)"
    r"""(?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'))?\)"""
)
#: As Kokoro's programs have the phonemes of a word. Letters of IPA tell them from a path.
_PHONEMES = lazy_pattern(r"\[(?P<words>[^\[\]\n]+)\]\(/(?P<phonemes>[^/()\n]+)/\)")
_IPA = lazy_pattern("[\u0250-\u02ff\u1d00-\u1dbfæðŋθβχ\u0303]")
#: [the docs][1] and [docs][]. Any other [one][two] could be two words, or tags, and no text is known to its end.
_REFERENCE = lazy_pattern(r"(?:(?<!\w)!|(?<![\w\[\]]))\[(?P<words>[^\[\]\n]*)\]\[\d{0,3}\]")
#: Where such a link leads, on a line of its own: [docs]: https://example.com "Title"
_TARGET = r"^ {0,3}\[(?!\^)[^\[\]\n]+\]:[ \t]*(?:<[^<>\n]*>|(?:https?://|mailto:|www\.|\.{0,2}/|#)\S+)"
_DEFINITION = lazy_pattern(rf"""{_TARGET}(?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'|\([^()\n]*\)))?[ \t\r]*$""", re.MULTILINE)
_LINK_IN_ANGLES = lazy_pattern(r"<((?:https?://|mailto:)[^\s<>]+)>", re.IGNORECASE)
_ENTITY = lazy_pattern(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
#: What may be the beginning of a link, tags or phonemes, and of a tag. None is longer than that.
_MAX_UNFINISHED = 500
#: Of several characters: no sentence ends within one.
_SIGNS = ("![", "](", "<!--")
_UNFINISHED = lazy_pattern(rf"(?:{_TARGET}[^\n]*|\[[^\[\]\n]*(?:\]\([^()\n]*)?|</?[A-Za-z][^<>\n]*)\Z", re.MULTILINE)

#: What stands in every match of patterns: to look for that in a book takes a hundredth of their time.
_LINES = ((">", _QUOTE), ("```", _FENCE), ("~~~", _FENCE), ("|", _TABLE_RULE), ("===", _UNDERLINE), ("]:", _DEFINITION))


def tagged(text: str) -> str:
    """A text whose only markup is tags (`passages`): what SSML says by them, or a text without Markdown and HTML.

    Raises:
        BadInputError: SSML is not well-formed, or declares entities.
    """
    return from_ssml(text) if is_ssml(text) else without_markup(text)


def without_markup(text: str) -> str:
    """A text without marks of quotations, tasks, fences, tables and headings, without tags and addresses of links, and
    with entities as characters. *Asterisks* stay: they may be spoken by another voice (`quotes`).
    """
    if _ANY_MARK.search(text) is None:
        return text
    for part, line in _LINES:
        if part in text:
            text = line.sub("", text)
    if any(box in text for box in ("[ ]", "[x]", "[X]")):
        text = _TASK.sub(r"\1", text)
    if "](" in text or "][" in text:
        text = _PHONEMES.sub(_with_phonemes, text)
        for _ in range(2):  # an image may be a link
            text = _REFERENCE.sub(_words_of_reference, _LINK.sub(_words_of_link, text))
    if "<" in text:
        text = _without_tags(_LINK_IN_ANGLES.sub(r"\1", text))
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)


def unfinished(text: str, end: int) -> int | None:
    """Where markup begins that is not complete at this place, and may go on behind it; None if there is none."""
    comment = text.rfind("<!--", 0, end)
    if comment >= 0 and text.find("-->", comment, end) < 0:
        return comment
    for sign in _SIGNS:
        for start in range(max(0, end - len(sign) + 1), end):
            begins = text.rfind("[", 0, end) if sign == "](" else start
            if begins >= 0 and text.startswith(sign, start):
                return begins
    match = _UNFINISHED.search(text, max(0, end - _MAX_UNFINISHED), end)
    return match and match.start()


def _with_phonemes(link: re.Match[str]) -> str:
    """`[Kokoro](/kˈOkəɹO/)`; all of it where the address may be a path: `[docs](/docs/)`."""
    phonemes = given_phonemes(link["phonemes"], "ipa", link["words"])
    return with_phonemes(link["words"], phonemes) if phonemes and _IPA.search(phonemes) else link[0]


def _words_of_link(link: re.Match[str]) -> str:
    """Its words; all of it where it may be none: `f[1](2)`."""
    address = link["address"]
    is_address = link["mark"] or not address or re.search(r"[/.:#?]", address)
    return link["words"] if is_address or not link.string[link.start() - 1 : link.start()].isalnum() else link[0]


def _words_of_reference(link: re.Match[str]) -> str:
    """Its words; all of it where it has none: `[1][2]`."""
    return link["words"] if re.search(r"[^\W\d_]", link["words"]) else link[0]


def _without_tags(text: str) -> str:
    closed = {tag["name"].lower() for tag in _TAG.finditer(text) if tag["end"]}

    def instead(tag: re.Match[str]) -> str:
        if tag["name"] is None:  # a comment
            return ""
        name = tag["name"].lower()
        if _BLOCK.fullmatch(name):
            return "\n\n"
        if name in ("td", "th"):
            return " "
        before = text[tag.start() - 1 : tag.start()]
        is_word = not tag["end"] and name not in closed and before.isalnum() and name not in ("img", "wbr")
        return tag[0] if is_word else ""  # `a<b>c` has two signs of inequality

    return _TAG.sub(instead, text)
