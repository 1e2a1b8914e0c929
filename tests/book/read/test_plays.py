"""Plays: who says each line, whatever the format, and stage directions, which are read or left out."""

import random
from pathlib import Path

import pytest

from voxmatrix.book.content import Book, Speech
from voxmatrix.book.dialogue import with_lines_of
from voxmatrix.book.kinds import SPOKEN_KINDS, spoken_kinds
from voxmatrix.book.read import read_book
from voxmatrix.book.read.passage import Document, Passage
from voxmatrix.book.read.plays import recognise
from voxmatrix.book.read.plays import said as words_of
from voxmatrix.book.units import book_units
from voxmatrix.models.style import Role, Style

LINES = (
    ("Anna", "It rains. [She sits down.] Come in!"),
    ("Mrs. Bell", "I am wet."),
    ("Anna", "Sit down."),
    ("Mrs. Bell", "Thank you: it is nothing."),
    ("Anna", "Well? No. I see."),
    ("Mrs. Bell", "Nothing. [Exit."),
    ("Anna and Mrs. Bell", "Oh!"),
)
SAID = [
    ("Anna", "It rains."),
    ("Anna", "Come in!"),
    ("Mrs. Bell", "I am wet."),
    ("Anna", "Sit down."),
    ("Mrs. Bell", "Thank you: it is nothing."),
    ("Anna", "Well? No. I see."),
    ("Mrs. Bell", "Nothing. [Exit."),
    ("Anna and Mrs. Bell", "Oh!"),
]


def play(tmp_path: Path, form: str, kinds: frozenset[str] = SPOKEN_KINDS) -> Book:
    lines = [(who.upper() if form in ("dot", "own", "alone") else who, text) for who, text in LINES]
    written = {
        "dot": ("txt", "{}. {}"),
        "own": ("txt", "{}\n{}"),
        "alone": ("txt", "{}.\n\n{}"),
        "colon": ("txt", "{}: {}"),
        "bold": ("md", "**{}**: {}"),
        "html": ("html", "<p>{}: {}</p>"),
        "persona": ("html", "<p><b class='persona'>{}.</b> {}</p>"),
    }
    suffix, pattern = written[form]
    path = tmp_path / f"play.{suffix}"
    path.write_text("\n\n".join(["The scene is a room.", *(pattern.format(*line) for line in lines)]), encoding="utf-8")
    return read_book(path, kinds)


def said(book: Book) -> list[tuple[str, str]]:
    """Who says what; the empty speech behind a name that stands alone is nothing."""
    speeches = ((chapter.paragraphs[one.paragraph], one) for chapter in book.chapters for one in chapter.speeches)
    return [(one.who, text[one.start : one.end]) for text, one in speeches if one.start < one.end]


@pytest.mark.parametrize("form", ["dot", "own", "alone", "colon", "bold", "html", "persona"])
def test_the_speakers_of_a_play_are_known_in_every_form(tmp_path: Path, form: str) -> None:
    found = said(play(tmp_path, form))
    assert [(who.casefold(), text) for who, text in found] == [(who.casefold(), text) for who, text in SAID]


TABLE = """<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body><table>
<tr><td/><td><i epub:type="z3998:stage-direction">A room. <b epub:type="z3998:persona">Anna</b> sits.</i></td></tr>
<tr><td epub:type="z3998:persona">Anna</td>
<td>It rains. <i epub:type="z3998:stage-direction">She sits.</i> Yes.</td></tr>
<tr><td epub:type="z3998:persona">Bob</td><td><p>One.</p><p>Two.</p></td></tr>
<tr><td epub:type="z3998:persona">Anna</td>
<td>Long enough that nobody takes the table for one of data, which it is not.</td></tr>
</table></body></html>"""


def test_an_epub_says_who_speaks_and_what_is_a_stage_direction(tmp_path: Path) -> None:
    path = tmp_path / "play.html"
    path.write_text(TABLE, encoding="utf-8")
    (chapter,) = read_book(path).chapters
    assert chapter.paragraphs[:3] == ("A room. Anna sits.", "Anna: It rains. She sits. Yes.", "Bob:")
    assert chapter.speeches[:5] == (
        Speech(1, 6, 15, "Anna", "persona", head=6),
        Speech(1, 26, 30, "Anna", "persona"),
        Speech(2, 4, 4, "Bob", "persona", head=4),
        Speech(3, 0, 4, "Bob", "persona"),
        Speech(4, 0, 4, "Bob", "persona"),
    )
    kinds = spoken_kinds([], ["stage-directions"])
    (without,) = read_book(path, kinds).chapters
    assert without.paragraphs[:2] == ("Anna: It rains. Yes.", "Bob:")
    assert [(part.kind, part.count) for part in read_book(path, kinds).kinds] == [("stage-directions", 2)]


def test_with_a_cast_names_are_not_read_and_stage_directions_are_the_narrators(tmp_path: Path) -> None:
    book = play(tmp_path, "dot")
    plain = [unit.unit.key for unit in book_units(book, "en", "narrator", Style())]
    cast = Style(cast={"anna": Role("anna.onnx", None, "a")})
    units = list(book_units(book, "en", "narrator", cast))
    heard = [(unit.voice, unit.unit.text) for unit in units]
    assert heard[:6] == [
        ("", "The scene is a room."),
        ("anna.onnx", "It rains."),
        ("", "[She sits down.]"),
        ("anna.onnx", "Come in!"),
        ("", "MRS. BELL."),
        ("", "I am wet."),
    ]
    assert {unit.unit.key for unit in units if not unit.voice and "[" not in unit.unit.text} <= set(plain)
    assert next(unit.unit.text for unit in units if unit.who == "ANNA") == "It rains."
    alone = play(tmp_path, "alone")
    assert "ANNA." not in [unit.unit.text for unit in book_units(alone, "en", "narrator", cast)]


@pytest.mark.parametrize(
    "text",
    [
        "Note: this.\n\nAlso: that.\n\nNote: more.\n\nNote: end.\n\n" + "It rained.\n\n" * 20,
        "He came.\n\nNO. He went.\n\nOH. He wept.\n\nShe sat.\n\nIt rained [hard].",
        "Monday.\n\nIt rained (hard).\n\nTuesday.\n\nIt snowed.\n\n" * 4,
        "MAY. It rained (hard).\n\nJUNE. It snowed.\n\n" * 4,
        "Morning.\n\nIt rained (hard).\n\nEvening.\n\nIt snowed.\n\n" * 4,
        "".join(f"{n}. Soup\n\nIngredients: salt (sea).\n\nMethod: boil it.\n\n" for n in range(1, 6)),
        "Soup\n\nINGREDIENTS. Salt (sea).\n\nMETHOD. Boil it.\n\nIt is for two.\n\n" * 5,
        "Chapter 1\n\n" + "".join(f"GEN. 1:{n} It was (as they say) good.\n\n" for n in range(1, 6)),
        "It rained.\n\nIt snowed.\n\nNote: It was cold (as they say).\n\n" * 5,
    ],
)
def test_what_is_no_play_is_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "book.txt"
    path.write_text(text, encoding="utf-8")
    book = read_book(path)
    assert said(book) == [] and "stage-directions" not in {part.kind for part in book.kinds}


def test_names_are_looked_for_only_at_the_beginning_of_a_long_line(tmp_path: Path) -> None:
    long = "A" + " b" * 200_000
    path = tmp_path / "book.txt"
    path.write_text(f"{long}: c\n\n" + "ANNA: Hi. ([{(\n\n" * 3 + "[" * 300_000, encoding="utf-8")
    assert {who for who, _ in said(read_book(path))} == {"ANNA"}


NAMES = ("ANNA", "Anna", "MRS. BELL", "_Ham._", "**Anna**", "ANNA and BOB", "X.", "Q")
BEHIND = (". ", ": ", " (aside). ", " [aside]: ", "\u2014 ", " ", " _aside._ ", ". [_Exit._] ", " (aside).")
WORDS = ("Hello.", "I am (so they say) he.", "[Exit]", "_Exit._", "[Enter GHOST.", "NO!", "And [to Bob] then.", "")


def test_no_letter_of_a_play_is_lost_or_doubled() -> None:
    numbers = random.Random(3)
    plays = 0
    for _ in range(300):
        names, behind = numbers.sample(NAMES, 3), numbers.sample(BEHIND, 2)
        texts = [f"{numbers.choice(names)}{numbers.choice(behind)}{numbers.choice(WORDS)}".strip() for _ in range(12)]
        passages = [Passage(text, 0, None) for text in (*texts, "It rains. (She sits.)")]
        recognise([Document("", passages=passages)])
        plays += any(passage.line.head for passage in passages)
        for passage in passages:
            read, speeches = words_of(passage, passage.text, stage=True)
            assert read == passage.text
            assert all(one.start <= one.end <= len(read) for one in speeches)
            assert _is_part(words_of(passage, passage.text, stage=False)[0], passage.text)
    assert plays > 100


def _is_part(part: str, whole: str) -> bool:
    """Whether a text is left of another when characters of it are left out."""
    characters = iter(whole)
    return all(character in characters for character in part)


def test_a_stage_direction_beside_the_name_is_read_once_or_left_out(tmp_path: Path) -> None:
    path = tmp_path / "play.txt"
    path.write_text("\n\n".join(["ANNA (aside).", "I am here.", "BOB [laughing]. So am I."] * 3), encoding="utf-8")
    (chapter,) = read_book(path).chapters
    assert chapter.paragraphs[:3] == ("ANNA (aside).", "I am here.", "BOB [laughing]. So am I.")
    (chapter,) = read_book(path, spoken_kinds([], ["stage-directions"])).chapters
    assert chapter.paragraphs[:3] == ("ANNA.", "I am here.", "BOB. So am I.")


NESTED = (
    """<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body>{}</body></html>"""
)
IN_NAME = '<p><b epub:type="z3998:persona">ANNA <i epub:type="z3998:stage-direction">(aside)</i></b>. Hello.</p>'
IN_STAGE = (
    '<p><b epub:type="z3998:persona">BOB</b>. <i epub:type="z3998:stage-direction">Enter a '
    '<i epub:type="z3998:stage-direction">ghost</i> now.</i> So am I.</p>'
)
EXIT = '<p><i epub:type="z3998:stage-direction"><b epub:type="z3998:persona">BOB</b> goes out.</i></p>'


def test_marked_stage_directions_within_a_name_and_within_each_other(tmp_path: Path) -> None:
    path = tmp_path / "play.html"
    path.write_text(NESTED.format((IN_NAME + IN_STAGE + EXIT) * 3), encoding="utf-8")
    (chapter,) = read_book(path).chapters
    assert chapter.paragraphs[:3] == ("ANNA (aside). Hello.", "BOB. Enter a ghost now. So am I.", "BOB goes out.")
    assert said(read_book(path)) == [("ANNA", "Hello."), ("BOB", "So am I.")] * 3
    (chapter,) = read_book(path, spoken_kinds([], ["stage-directions"])).chapters
    assert chapter.paragraphs == ("ANNA. Hello.", "BOB. So am I.") * 3


@pytest.mark.parametrize("suffix", ["txt", "html"])
@pytest.mark.parametrize(("number", "names"), [("{}.", ("Q:", "A:")), ("{}. The day", ("ANNA.", "BOB."))])
def test_chapters_of_a_play_are_known_by_their_numbers(
    suffix: str, number: str, names: tuple[str, str], tmp_path: Path
) -> None:
    first, second = names
    lines = (f"{first} Who are you?", f"{second} I am he.", "NO!", "He said so.", f"{first} Why?")
    texts = [text for roman in ("I", "II", "III", "IV") for text in (number.format(roman), *lines)]
    path = tmp_path / f"play.{suffix}"
    path.write_text("\n\n".join(f"<p>{one}</p>" if suffix == "html" else one for one in texts), encoding="utf-8")
    book = read_book(path)
    assert len(book.chapters) == 4
    spoken = [(first[:-1], "Who are you?"), *((second[:-1], text) for text in ("I am he.", *lines[2:4]))]
    assert said(book) == [*spoken, (first[:-1], "Why?")] * 4


def test_a_name_that_occurs_once_ends_the_speech_before_it(tmp_path: Path) -> None:
    path = tmp_path / "play.txt"
    lines = ("Anna: It rains.", "Bob: I see.") * 3
    path.write_text("\n\n".join([*lines, "Zoe: Come in.", "Sit down.", "Anna: Yes."]), encoding="utf-8")
    book = read_book(path)
    assert said(book)[5:] == [("Bob", "I see."), ("Anna", "Yes.")]
    assert said(with_lines_of(book, {"zoe"}))[5:] == [("Bob", "I see."), ("Zoe", "Come in."), ("Anna", "Yes.")]


def test_a_play_may_have_a_person_with_the_name_of_a_month(tmp_path: Path) -> None:
    path = tmp_path / "play.txt"
    path.write_text("MAY. It rains.\n\nEDDIE. I see.\n\nMAY. Well?\n\n" * 3, encoding="utf-8")
    assert {who for who, _ in said(read_book(path))} == {"MAY", "EDDIE"}


def test_a_colon_in_the_words_behind_a_name_that_stands_alone_begins_no_other_speech(tmp_path: Path) -> None:
    path = tmp_path / "play.txt"
    path.write_text("ANNA.\n\nLook here: it rains.\n\nBOB.\n\nOh no: I see.\n\n" * 3, encoding="utf-8")
    assert said(read_book(path)) == [("ANNA", "Look here: it rains."), ("BOB", "Oh no: I see.")] * 3
