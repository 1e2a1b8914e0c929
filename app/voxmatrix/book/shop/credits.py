"""The credits of an audiobook, as chapters of their own before and behind the others."""

from dataclasses import replace

from voxmatrix.book.content import Book, Chapter
from voxmatrix.tables import rows

#: The titles of their chapters. They are those of the forms of shops, and not spoken.
OPENING, CLOSING = "Opening credits", "Closing credits"
_DEFAULT_LANGUAGE = "en"


def with_credits(book: Book, language: str, opening: str | None, closing: str | None) -> Book:
    """The book with its credits; those of the table if they are None, and none if they are empty.

    The opening has a number less than the first chapter's, the closing one more than the last one's.
    """
    first, last = book.chapters[0], book.chapters[-1]
    usual_opening, usual_closing = _usual(book, language)
    before = _credits(first.index - 1, OPENING, usual_opening if opening is None else (opening,))
    behind = _credits(last.index + 1, CLOSING, usual_closing if closing is None else (closing,))
    return replace(book, chapters=(*before, *book.chapters, *behind))


def is_credits(chapter: Chapter) -> bool:
    """Whether a chapter was added by `with_credits`."""
    return chapter.title in (OPENING, CLOSING)


def _credits(index: int, title: str, said: tuple[str, ...]) -> tuple[Chapter, ...]:
    paragraphs = tuple(text for part in said if (text := " ".join(part.split())))
    return (Chapter(index, title, paragraphs),) if paragraphs else ()


def _usual(book: Book, language: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What is said at the beginning and at the end. What is not known of the book is not said."""
    table = rows.read("credits.toml")
    words = table.get(language.lower().split("-")[0], table[_DEFAULT_LANGUAGE])
    authors, narrator = ", ".join(book.authors), book.about.narrator
    by = (
        words["author"].format(name=authors) if authors else "",
        words["narrator"].format(name=narrator) if narrator else words["digital_voice"],
    )
    title = book.title.rstrip(" .")
    named = (words["title"].format(title=title),) if title else ()
    stop = "" if title.endswith(("!", "?", "…")) else "."
    return (f"{title}{stop}" if title else "", *by), (words["end"], *named, *by)
