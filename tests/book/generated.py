"""A book of 60,000 characters that no one wrote: Swedish and English, chapters by anchors, notes, pictures."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.book.epubs import PIXEL, Line, epub, page

_ENGLISH = [
    "river",
    "harbour",
    "lantern",
    "winter",
    "garden",
    "letter",
    "captain",
    "island",
    "window",
    "morning",
    "silence",
    "market",
    "bridge",
    "forest",
    "kitchen",
    "story",
]
_SWEDISH = [
    "älv",
    "hamn",
    "lykta",
    "vinter",
    "trädgård",
    "brev",
    "kapten",
    "ö",
    "fönster",
    "morgon",
    "tystnad",
    "marknad",
    "bro",
    "skog",
    "kök",
    "saga",
    "åker",
    "ängel",
]
_TEMPLATES = {
    "en": (
        "The {0} near the {1} was older than the {2}.",
        "Nobody had seen a {0} in the {1} for {n} years!",
        "“Where is the {0}?” she asked, and the {1} said nothing.",
        "Dr. Smith paid ${n}.50 for the {0}, e.g. in the {1}.",
        "When the {0} came, number {n}, the {1} and the {2} were gone.",
    ),
    "sv": (
        "Vid {0} nummer {n} stod en {1} som ingen kände.",
        "Har du sett min {0}, frågade hon, och visade en {1}.",
        "Dr. Åberg köpte {n} st. av varje {0}, t.ex. en {1}.",
        "När {0} och {1} möttes blev det {2}!",
        "Ingen {0} är så stilla som en {1} i maj.",
    ),
}
CHARACTERS = 60_000


@dataclass(frozen=True)
class GeneratedBook:
    """An EPUB and what must be read from it: titles with paragraphs, of sentences that are all different."""

    data: bytes
    chapters: Sequence[tuple[str, Sequence[str]]]


def generated_book(seed: int = 12, characters: int = CHARACTERS) -> GeneratedBook:
    """The same book for the same seed, at least `characters` long.

    Its files have several chapters each, by anchors, and some chapters go on in a file of their own.
    Numbers count up, so that no paragraph is there twice.
    """
    source = random.Random(seed)
    numbers = iter(range(1, 1_000_000))
    chapters: list[tuple[str, list[str]]] = []
    documents: dict[str, str] = {}
    lines: list[Line] = []
    while sum(len(text) for _, texts in chapters for text in texts) < characters:
        name = f"part{len(documents):03}.xhtml"
        bodies = []
        for place in range(source.randint(1, 4)):
            language = "sv" if len(chapters) % 2 else "en"
            title = f"{'Kapitel' if language == 'sv' else 'Chapter'} {len(chapters) + 1}"
            texts, body = _chapter(source, language, numbers, title, f"c{place}")
            chapters.append((title, texts))
            bodies.append(body)
            lines.append((title, f"{name}#c{place}"))
        documents[name] = page("".join(bodies))
        if source.random() < 0.5:
            more = _paragraph(source, "en" if len(chapters) % 2 else "sv", numbers)
            chapters[-1][1].append(more)
            documents[f"{name[:-6]}_more.xhtml"] = page(f"<p>{more}</p>")
    documents["notes.xhtml"] = page(
        '<section epub:type="endnotes"><h2>Notes</h2><p id="n">A note about it all.</p></section>'
    )
    metadata = (
        "<dc:title>Älven och hamnen: The River</dc:title><dc:creator>Åsa Öberg</dc:creator>"
        "<dc:creator>Ann Author</dc:creator><dc:language>sv</dc:language>"
    )
    items = '<item id="cover" href="cover.png" media-type="image/png" properties="cover-image"/>'
    data = epub(
        documents, [*lines, ("Notes", "notes.xhtml")], metadata=metadata, items=items, more={"OEBPS/cover.png": PIXEL}
    )
    return GeneratedBook(data, chapters)


def _chapter(
    source: random.Random, language: str, numbers: Iterator[int], title: str, anchor: str
) -> tuple[list[str], str]:
    texts, body = [title], [f'<h2 id="{anchor}">{title}</h2>']
    for index in range(source.randint(4, 9)):
        text = _paragraph(source, language, numbers)
        texts.append(text)
        first, rest = text.split(" ", 1)
        reference = '<a epub:type="noteref" href="notes.xhtml#n">1</a>' if index == 2 else ""
        body.append(f"<p><b>{first}</b> <i>{rest}</i>{reference}</p>")
        if index == 1:
            alt = f"{'En bild av nummer' if language == 'sv' else 'A picture of number'} {next(numbers)}."
            body.append(f'<figure><img src="cover{next(numbers)}.png" alt="{alt}"/></figure>')
        if index == 3:
            body.append('<p epub:type="pagebreak">17</p><aside epub:type="footnote"><p>Not to be read.</p></aside>')
    return texts, "".join(body)


def _paragraph(source: random.Random, language: str, numbers: Iterator[int]) -> str:
    """Some sentences, the first of which has a number of its own."""
    words = _SWEDISH if language == "sv" else _ENGLISH
    opening = "Detta är stycke" if language == "sv" else "This is paragraph"
    sentences = [f"{opening} {next(numbers)}."]
    for _ in range(source.randint(3, 7)):
        template = source.choice(_TEMPLATES[language])
        sentences.append(template.format(*source.sample(words, 3), n=next(numbers)))
    return " ".join(sentences)
