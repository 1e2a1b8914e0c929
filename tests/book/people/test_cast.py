from dataclasses import replace
from pathlib import Path

import pytest

from tests.book.people.shapes import PAGES, book_of
from tests.piper.conftest import checkpoint_content, make_checkpoint, make_onnx  # noqa: F401
from voxmatrix.book.content import Book, Speech
from voxmatrix.book.people.cast import Attribution, Line, attribute, spoken_book, with_table
from voxmatrix.book.people.cast_file import new_table, updated_table
from voxmatrix.book.people.corrections import Place
from voxmatrix.book.people.found import people_of
from voxmatrix.book.units import sentences
from voxmatrix.voices.cast_table import CastPerson, CastTable, read_table


@pytest.fixture
def book() -> Book:
    return book_of(PAGES)


def table_in(folder: Path, text: str) -> CastTable:
    path = folder / "b.cast.toml"
    path.write_text(text, encoding="utf-8")
    return read_table(path)


def speeches(book: Book, table: CastTable, monkeypatch: pytest.MonkeyPatch) -> tuple[list[Speech], dict[str, str]]:
    """The speech with its speakers, and their voices."""
    monkeypatch.setattr("voxmatrix.book.people.cast.role_from", str)
    spoken, roles = spoken_book(attribute(book, "en", table), table)
    return list(spoken.chapters[0].speeches), {name: str(voice) for name, voice in roles.items()}


def test_a_person_has_his_voice_and_others_that_of_dialogue(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    anna = CastPerson(name="Anna", voice="one")
    table = CastTable(people=(anna,), by_name={"anna": anna}, dialogue="two", dialogue_male="three")
    found, voices = speeches(book, table, monkeypatch)
    assert [one.who for one in found][:5] == ["Anna", "Mr Bell", "Anna", "Mr Bell", "Anna"]
    assert (voices["anna"], voices["mr bell"]) == ("one", "three")
    assert found[0].rule == "name says 1.00"


def test_what_is_not_sure_is_the_narrators_unless_the_table_says_otherwise(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, voices = speeches(book, CastTable(dialogue="two"), monkeypatch)
    assert found[-1].who.casefold() not in voices
    found, voices = speeches(book, CastTable(dialogue="two", unsure="dialogue"), monkeypatch)
    assert voices[found[-1].who.casefold()] == "two"
    found, _ = speeches(book, CastTable(dialogue="two", unsure="guess"), monkeypatch)
    assert found[-1].who in ("Anna", "Mr Bell")


def test_a_correction_is_of_the_rest_of_the_paragraph(book: Book, tmp_path: Path) -> None:
    table = table_in(tmp_path, '[[said]]\ntext = "Very late"\nwho = "Cleo"\n[[said]]\ntext = "Nothing"\nwho = "X"\n')
    found = attribute(book, "en", table)
    assert [line.who for line in found.lines if line.rule == "corrected"] == ["Cleo", "Cleo"]
    assert [one.text for one in found.lost] == ["Nothing"]


def test_people_are_merged_by_a_line(book: Book, tmp_path: Path) -> None:
    table = table_in(tmp_path, '[people."Anna"]\nalso = ["Mr Bell"]\n[people."Mr Bell"]\nvoice = "x"\n')
    people = people_of(attribute(book, "en", table), table)
    assert people[0].name == "Anna" and people[0].speeches >= 7


def test_nobody_takes_turns_with_themselves(tmp_path: Path) -> None:
    """Two take turns, as it seems: the table says that they are one, so somebody else must be there."""
    book = book_of(["“Yes,” said Anna.", "“No.”", "“Oh,” said Anna.", "“Ah,” said Bo.", "“So.”"])
    said = [("Anna", "name says"), ("the girl", "turn"), ("Anna", "name says"), ("Bo", "name says"), ("Anna", "turn")]
    lines = [
        Line(Place(0, number), who, "f", rule, sure=True, sex_sure=True) for number, (who, rule) in enumerate(said)
    ]
    found = Attribution(book, lines)
    assert with_table(found, CastTable()).lines == lines
    after = with_table(found, table_in(tmp_path, '[people.Anna]\nalso = ["the girl"]\n')).lines
    assert [line.who for line in after] == ["Anna", "Anna", "Anna", "Bo", "Anna"]
    assert [line.sure for line in after] == [line.sex_sure for line in after] == [True, False, True, True, True]


def test_a_language_without_rules_has_no_speakers() -> None:
    found = attribute(book_of(PAGES), "sv", CastTable())
    assert not found.persons and found.lines and not any(line.who for line in found.lines)


def test_a_written_table_is_read_again(book: Book, tmp_path: Path) -> None:
    people = people_of(attribute(book, "en", CastTable()), CastTable())
    table = table_in(tmp_path, new_table('a "book".epub', people, {"Anna": "one"}))
    assert [(one.name, one.sex, one.voice, one.proposed) for one in table.people] == [
        ("Anna", "f", "one", True),
        ("Mr Bell", "m", "", True),
    ]


def test_a_second_run_adds_people_and_keeps_what_somebody_wrote(book: Book, tmp_path: Path) -> None:
    mine = '# mine\nunsure = "guess"\n\n[people."Anna"]  # she\nvoice = ""\nspeeches = 1 # hm\nproposed = false\n# end'
    table = table_in(tmp_path, mine)
    people = people_of(attribute(book, "en", table), table)
    text = updated_table(mine, table, people, {"Anna": "one", "Mr Bell": "two"})
    assert text.startswith(mine + '\n\n[people."Mr Bell"]\n') and 'voice = "two"' in text
    proposed = mine.replace("false", "true")
    table = table_in(tmp_path, proposed)
    text = updated_table(proposed, table, people, {"Anna": "one"})
    assert 'voice = "one"\nspeeches = 5  # 4 of them sure\nproposed = true\n# end' in text
    table = table_in(tmp_path, text)
    assert updated_table(text, table, people, {"Anna": "other"}) == text


@pytest.mark.parametrize(
    ("table", "heard"),
    [
        ('[people."Ham"]\nalso = ["HAMLET"]\nvoice = "one"\n', ["To be or not to be.", "King: No."]),
        ('[people."Prince Hamlet"]\nalso = ["Hamlet"]\nvoice = "one"\n', ["To be or not to be.", "King: No."]),
        (
            '[people."King"]\nvoice = "one"\n[[said]]\ntext = "To be or not to"\nwho = "King"\n',
            ["To be or not to be.", "No."],
        ),
    ],
)
def test_the_name_before_a_line_is_read_in_whole_or_not_at_all(
    table: str, heard: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = book_of(["HAMLET: To be or not to be.", "King: No."])
    own = (Speech(0, 8, 27, "HAMLET", "name", head=8), Speech(1, 6, 9, "King", "name", head=6))
    book = replace(book, chapters=(replace(book.chapters[0], speeches=own),))
    found, voices = speeches(book, table_in(tmp_path, table), monkeypatch)
    read = [one.text for one in sentences(book.chapters[0].paragraphs, "en", {"": "", **voices}, found)]
    assert read == heard


def test_a_paragraph_that_begins_with_a_name_of_the_table_is_theirs(tmp_path: Path) -> None:
    book = book_of([*PAGES, "Miss Zoe: Hello."])
    table = table_in(tmp_path, '[people."Zoe"]\nalso = ["Miss Zoe"]\n')
    assert [(line.who, line.rule) for line in attribute(book, "en", table).lines][-1] == ("Zoe", "name")
    assert len(attribute(book, "en", table).lines) == len(attribute(book, "en", CastTable()).lines) + 1
