"""What one process has found is the same in another."""

import json

from tests.book.people.shapes import book_of
from tests.book.people.test_cast import PAGES
from voxmatrix.book.people.cast import attribute, find_lines, with_table
from voxmatrix.book.people.facts import attribution_of, facts_of
from voxmatrix.book.people.found import people_of
from voxmatrix.voices.cast_table import CastTable, Correction


def test_facts_tell_all_that_was_found() -> None:
    table = CastTable(said=(Correction("Something is wrong", "Cleo"),))
    told = attribution_of(json.loads(json.dumps(facts_of(find_lines(book_of(PAGES), "en")))))
    found, direct = with_table(told, table), attribute(book_of(PAGES), "en", table)
    assert found.lines == direct.lines
    assert people_of(found, table) == people_of(direct, table)
