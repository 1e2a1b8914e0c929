import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.book.generated import CHARACTERS, generated_book
from tests.examples import examples
from tests.toys.family import added, voice_of
from voxmatrix.book.content import Book, Chapter, Speech
from voxmatrix.book.read import read_book
from voxmatrix.book.units import BookSentence, BookUnit, book_units, sentences
from voxmatrix.cli import main
from voxmatrix.models.card import Capabilities, VoiceCard
from voxmatrix.models.style import Role, Style
from voxmatrix.speak.synthesize import in_words
from voxmatrix.text.heteronyms import say_heteronyms
from voxmatrix.text.normalisation.normalise import normalise
from voxmatrix.text.sentences import MAX_CHARACTERS
from voxmatrix.voices.cast import role_of
from voxmatrix.voices.resolve import resolve

CARD = VoiceCard(
    id="v", family="piper", files=(), rate_hz=16000, languages=("en-us",), capabilities=Capabilities(phonemes=True)
)


def _visible(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize(
    ("paragraphs", "language", "expected"),
    [
        ([], "en", []),
        (["Dr. Smith left. He was late."], "en-US", [("Dr. Smith left.", True), ("He was late.", False)]),
        (
            ["Han kom kl. 5. Sen gick han.", "Nytt."],
            "sv",
            [("Han kom kl. 5.", True), ("Sen gick han.", False), ("Nytt.", True)],
        ),
        (["Title", "* * *", "…", "Text.", "***"], "", [("Title", True), ("Text.", True)]),
    ],
)
def test_paragraphs_become_sentences(paragraphs, language, expected):
    assert sentences(paragraphs, language) == [BookSentence(text, starts) for text, starts in expected]


def test_a_long_sentence_is_broken_where_it_pauses():
    found = sentences(["word, " * 300 + "end."], "en")
    assert len(found) > 4
    assert all(len(sentence.text) <= MAX_CHARACTERS for sentence in found)
    assert [sentence.starts_paragraph for sentence in found] == [True] + [False] * (len(found) - 1)


def test_a_book_in_one_line_is_split_between_its_sentences():
    texts = [f"This is sentence number {number}." for number in range(20_000)]
    assert [sentence.text for sentence in sentences([" ".join(texts)], "en")] == texts


def test_every_sentence_of_the_generated_book_is_there_once_and_in_order(tmp_path):
    made = generated_book()
    path = tmp_path / "book.epub"
    path.write_bytes(made.data)
    book = read_book(path)
    assert sum(len(text) for chapter in book.chapters for text in chapter.paragraphs) >= CHARACTERS
    assert [(chapter.title, list(chapter.paragraphs)) for chapter in book.chapters] == list(made.chapters)
    assert (book.authors, book.language, book.findings) == (("Åsa Öberg", "Ann Author"), "sv", ())
    assert book.cover is not None
    found = [sentence for chapter in book.chapters for sentence in sentences(chapter.paragraphs, book.language)]
    paragraphs = [text for _, texts in made.chapters for text in texts]
    assert _visible("".join(sentence.text for sentence in found)) == _visible("".join(paragraphs))
    assert sum(sentence.starts_paragraph for sentence in found) == len(paragraphs)
    assert Counter(sentence.text for sentence in found if "stycke" in sentence.text).most_common(1)[0][1] == 1


@settings(max_examples=examples(60))
@given(st.lists(st.text(max_size=300), max_size=5), st.sampled_from(["", "en", "sv-SE", "de", "zz"]))
def test_no_letter_of_any_text_is_lost(paragraphs, language):
    found = sentences([" ".join(text.split()) for text in paragraphs], language)

    def letters(text: str) -> str:
        return "".join(filter(str.isalnum, text))

    assert letters("".join(sentence.text for sentence in found)) == letters("".join(paragraphs))


DOCS = sorted((Path(__file__).parents[2] / "docs").glob("*.md"))


def _documentation() -> list[Book]:
    return [read_book(path) for path in DOCS]


def test_a_worker_speaks_each_sentence_as_one_and_splits_none_again():
    """Of the documentation, much of which is markup, paths and commands."""
    style = Style(cast=dict.fromkeys(("anna", "bo", "name"), role_of(resolve())))  # whom its examples name
    units = [unit.unit for book in _documentation() for unit in book_units(book, "en", "voice", style)]
    again = []
    for unit in units:
        job = unit.job(Path("out.wav"))
        assert job.whole and job.text == unit.text
        words = say_heteronyms(normalise(unit.text, "en-us"), "en-us")
        pieces = [spoken.text for spoken in in_words([job.text], CARD, job.style, whole=job.whole)]
        if len(pieces) != 1:
            again.append(unit.text)
            assert len(words) > MAX_CHARACTERS, unit.text
        assert "[[" in unit.text or _visible("".join(pieces)) == _visible(words)

    assert len(units) > 1500 and len(again) < len(units) / 200


@pytest.mark.parametrize("language", ["en", "en-us", "en-gb", ""])
def test_the_voice_of_a_book_splits_it_as_its_language_does(language):
    for book in _documentation():
        for chapter in book.chapters:
            assert sentences(chapter.paragraphs, language) == sentences(chapter.paragraphs, "en")


def test_book_inspect_counts_the_sentences_that_book_speaks(capsys, tmp_path):
    path = max(DOCS, key=lambda one: one.stat().st_size)
    voice = voice_of(tmp_path / "bells.tones")
    with added():
        for more in ([], ["--voice", str(voice.path)]):
            assert main.run(["book", "inspect", str(path), "--json", *more]) == 0
            counted = [one["sentences"] for one in json.loads(capsys.readouterr().out)["chapters"]]
            spoken = Counter(unit.chapter for unit in book_units(read_book(path), "en-us", "voice", Style()))
            assert counted == [spoken[number] for number in range(1, len(counted) + 1)] and sum(counted) > 100


def _spoken(style: Style, *paragraphs: str, speeches: tuple[Speech, ...]) -> list[BookUnit]:
    book = Book("B", (), "en", None, (Chapter(1, "One", paragraphs, speeches),))
    return list(book_units(book, "en", "narrator", style))


def _heard(units: list[BookUnit]) -> list[tuple[str, str, str]]:
    return [(unit.unit.text, unit.voice, unit.who) for unit in units]


ANNA, DIALOGUE = Role("anna.onnx", None, "a"), Role("dialogue.onnx", None, "d")
TEXT = "“Yes,” said Anna. “It rains,” he said. It did."
SPEECHES = (Speech(0, 0, 6, "Anna", "verb"), Speech(0, 18, 29, "Bob", "verb"))


def test_a_speech_has_the_voice_of_its_speaker_or_that_of_dialogue_or_the_narrators():
    cast = Style(cast={"anna": ANNA})
    assert _heard(_spoken(cast, TEXT, speeches=SPEECHES)) == [
        ("“Yes,”", "anna.onnx", "Anna"),
        ("said Anna.", "", ""),
        ("“It rains,” he said.", "", "Bob"),
        ("It did.", "", ""),
    ]
    both = Style(cast={"anna": ANNA, "voice": DIALOGUE}, dialogue_voice="Voice")
    units = _spoken(both, TEXT, speeches=SPEECHES)
    assert _heard(units) == [
        ("“Yes,”", "anna.onnx", "Anna"),
        ("said Anna.", "", ""),
        ("“It rains,”", "dialogue.onnx", "Bob"),
        ("he said.", "", ""),
        ("It did.", "", ""),
    ]
    assert [unit.continues for unit in units] == [False, True, False, True, False]
    assert [unit.unit.style.breaks_off for unit in units] == [True, False, True, False, False]
    assert [unit.rule for unit in units] == ["verb", "", "verb", "", ""]


def test_who_speaks_is_known_also_where_the_narrator_reads_it():
    eve = Style(cast={"eve": ANNA})  # nobody here has a voice of their own
    text = f"It is late. {TEXT} He left. “Well.” “Yes. No.”"
    speeches = (
        Speech(0, 12, 18, "Anna", "verb"),
        Speech(0, 30, 41, "Bob", "turn"),
        Speech(0, 67, 74, "Anna", "turn"),
        Speech(0, 75, 85, "Bob", "turn"),
    )
    units = _spoken(eve, text, speeches=speeches)
    assert [(unit.unit.text, unit.who, unit.rule) for unit in units] == [
        ("It is late.", "", ""),
        ("“Yes,” said Anna.", "Anna", "verb"),
        ("“It rains,” he said.", "Bob", "turn"),
        ("It did.", "", ""),
        ("He left.", "", ""),
        ("“Well.”", "Anna", "turn"),
        ("“Yes. No.”", "Bob", "turn"),
    ]
    both = (Speech(0, 0, 5, "Anna"), Speech(0, 22, 26, "Bob"))
    (one,) = _spoken(eve, "“Yes”, said Anna, and “no”, said Bob.", speeches=both)
    assert one.who == ""


def test_who_speaks_is_known_also_where_no_person_has_a_voice():
    chapter = Chapter(1, "One", ('"Yes," said Anna. She left.',), (Speech(0, 0, 6, "Anna", "name"),))
    units = list(book_units(Book("B", (), "en", None, (chapter,)), "en", "voice", Style()))
    assert [(unit.unit.text, unit.who) for unit in units] == [('"Yes," said Anna.', "Anna"), ("She left.", "")]


def test_speech_of_nobody_known_has_the_voice_of_dialogue():
    units = _spoken(Style(cast={"d": DIALOGUE}, dialogue_voice="D"), TEXT, speeches=(Speech(0, 0, 6),))
    assert _heard(units)[:2] == [("“Yes,”", "dialogue.onnx", ""), ("said Anna.", "", "")]


def test_the_narrators_units_are_the_same_with_any_cast():
    alone = {unit.unit.key for unit in _spoken(Style(), TEXT, "And so on.", speeches=())}
    cast = Style(cast={"voice": DIALOGUE, "anna": ANNA}, dialogue_voice="voice", emphasis_voice="anna")
    keys = {unit.unit.text: unit.unit.key for unit in _spoken(cast, TEXT, "And so on.", speeches=SPEECHES)}
    assert keys["It did."] in alone and keys["And so on."] in alone
    assert {unit.unit.key for unit in _spoken(Style(), TEXT, "And so on.", speeches=SPEECHES)} == alone
    nobody = Style(cast={"eve": ANNA})  # of whom the book knows nothing
    assert {unit.unit.key for unit in _spoken(nobody, TEXT, "And so on.", speeches=SPEECHES)} == alone


def test_a_tag_is_stronger_than_who_speaks_and_what_is_between_two_speeches_is_not_lost():
    cast = Style(cast={"anna": ANNA, "bob": DIALOGUE})
    tagged = "[voice:Bob]“Yes.”[voice] “No.”"
    speeches = (Speech(0, 11, 17, "Anna", "verb"), Speech(0, 25, 30, "Anna", "turn"))
    assert _heard(_spoken(cast, tagged, speeches=speeches)) == [
        ("“Yes.”", "dialogue.onnx", ""),
        ("“No.”", "anna.onnx", "Anna"),
    ]
    two = (Speech(0, 0, 6, "Anna", "verb"), Speech(0, 7, 12, "Anna", "turn"))
    assert _heard(_spoken(cast, "“Yes.” “No.” – “Oh!”", speeches=two))[:2] == [
        ("“Yes.”", "anna.onnx", "Anna"),
        ("“No.”", "anna.onnx", "Anna"),
    ]


def test_a_speech_of_a_paragraph_in_one_line_is_in_several_parts_of_it():
    text = "It rained. " * 12_000
    units = _spoken(Style(cast={"anna": ANNA}), text, speeches=(Speech(0, 11, len(text) - 12, "Anna", "verb"),))
    assert [unit.who for unit in units] == ["", *["Anna"] * 11_998, ""]
