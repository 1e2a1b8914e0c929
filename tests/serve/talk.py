"""A story in which people talk, as a book of two chapters."""

from functools import cache

from tests.book.epubs import epub
from tests.book.people.shapes import PAGES

MORE = (
    "Nobody spoke in the garden for a while, and Anna looked at the roses.",
    "“It is cold,” said Anna.",
    "“Then we shall go home,” said the old man.",
    "“I know the way,” said the old man.",
    "“Is it far?” said Anna.",
    "“It is not,” said the old man.",
)


@cache
def talk(language: str = "en", pages: tuple[str, ...] = PAGES) -> bytes:
    """The story as an EPUB, always the same one."""
    bodies = {
        "a.xhtml": "<h1>The harbour</h1>" + "".join(f"<p>{page}</p>" for page in pages),
        "b.xhtml": "<h1>The garden</h1>" + "".join(f"<p>{page}</p>" for page in MORE),
    }
    metadata = f"<dc:title>A Talk</dc:title><dc:creator>Ann Author</dc:creator><dc:language>{language}</dc:language>"
    return epub(bodies, [("The harbour", "a.xhtml"), ("The garden", "b.xhtml")], metadata=metadata)
