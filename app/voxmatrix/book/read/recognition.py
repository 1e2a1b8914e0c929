"""What is known only from the whole text, whatever format it came in."""

from collections.abc import Sequence

from voxmatrix.book.read.contents_lists import recognise as recognise_contents
from voxmatrix.book.read.gutenberg import Said
from voxmatrix.book.read.gutenberg import recognise as recognise_boilerplate
from voxmatrix.book.read.page_numbers import recognise as recognise_page_numbers
from voxmatrix.book.read.passage import Document
from voxmatrix.book.read.plays import recognise as recognise_plays
from voxmatrix.book.read.verse_numbers import recognise as recognise_verse_numbers


def recognise_parts(documents: Sequence[Document]) -> Said:
    """Mark boilerplate, contents, numbers of pages and verses, and who speaks in a play.

    Returns:
        what the header of Project Gutenberg says of the book.
    """
    recognise_verse_numbers(documents)
    said = recognise_boilerplate(documents)
    recognise_contents(documents)
    recognise_page_numbers(documents)
    recognise_plays(documents)
    return said
