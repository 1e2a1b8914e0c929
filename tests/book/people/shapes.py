"""Books of speech."""

from pathlib import Path

from voxmatrix.book.content import Book, Chapter
from voxmatrix.book.dialogue import with_dialogue

#: A short story in which people talk.
PAGES = (
    "It was then that Mr Bell met Anna, and she was glad.",
    "“Good morning,” said Anna.",
    "“Good morning,” said Mr Bell. He bowed.",
    "“You are late,” said Anna to Mr Bell.",
    "“Am I?” said Mr Bell.",
    "“Very late,” said Anna. “Come in.”",
    "“So be it,” said Mr Bell.",
    "“Something is wrong,” somebody whispered.",
)


def book_of(*chapters: list[str]) -> Book:
    """A book in English, with its speech."""
    made = tuple(Chapter(number, f"Chapter {number}", tuple(own)) for number, own in enumerate(chapters, start=1))
    return with_dialogue(Book("A book", (), "en", None, made), "en")


def amulet() -> tuple[Book, dict[int, str]]:
    """Some pages of a novel, and who speaks in which paragraph."""
    lines = Path(__file__).with_name("amulet.txt").read_text(encoding="utf-8").splitlines()[1:]
    gold, texts = zip(*(line.split("|", 1) for line in lines), strict=True)
    return book_of(list(texts)), {number: who for number, who in enumerate(gold) if who}
