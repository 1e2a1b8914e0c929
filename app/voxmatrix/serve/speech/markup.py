"""What chats send as Markdown and HTML: its words remain, its marks are not read out."""

import html
import re

#: Of HTML, and of models that think aloud. Others could be words between two signs of inequality.
_TAGS = (
    "a|abbr|audio|b|blockquote|br|center|code|del|details|div|em|font|h[1-6]|hr|i|img|ins|kbd|li|mark|ol|p|pre|s|small|span"
    "|strong|sub|summary|sup|table|tbody|td|th|thead|think|thinking|tr|u|ul|video"
)
_ATTRIBUTE = r"""\s+[\w-]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>]+)"""
_TAG = re.compile(rf"</?(?:{_TAGS})(?:{_ATTRIBUTE})*\s*/?>|<!--(?:(?!<!--).)*?-->", re.IGNORECASE | re.DOTALL)
#: A new line there ends a sentence.
_BREAK = re.compile(r"<(?:br|hr|/?(?:p|div|li|tr|h[1-6]|blockquote))\b", re.IGNORECASE)
#: An image or a link: its words are in brackets. Brackets in brackets are phonemes.
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)")
_LINK_IN_ANGLES = re.compile(r"<((?:https?://|mailto:)[^\s<>]+)>", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[^\s`]*[ \t]*$", re.MULTILINE)
_TABLE_LINE = re.compile(r"^[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?[ \t]*)?$", re.MULTILINE)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,30});")


def without_markup(text: str) -> str:
    """The text without images' and links' addresses, fences, rules of tables, tags, and with entities as characters."""
    if not any(mark in text for mark in "[<&`~|"):
        return text
    text = _TABLE_LINE.sub("", _FENCE.sub("", text))
    for _ in range(2):  # an image may be a link
        text = _LINK.sub(r"\1", text)
    text = _LINK_IN_ANGLES.sub(r"\1", text)
    text = _TAG.sub(lambda tag: "\n" if _BREAK.match(tag[0]) else "", text)
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
