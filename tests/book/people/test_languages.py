"""German and French books: who speaks, by all kinds of tags, and nobody who is none."""

import re

import pytest

from voxmatrix.book.content import Book, Chapter
from voxmatrix.book.dialogue import with_dialogue
from voxmatrix.book.people.cast import SURE, attribute, knows_speakers
from voxmatrix.book.people.speakers import Speakers, find_speakers
from voxmatrix.book.people.words import language_of, languages
from voxmatrix.voices.cast_table import CastTable

GERMAN = [
    "An jenem Tag kam Anna mit Herrn Bell, und Anna war froh.",
    "»Guten Tag«, sagte Anna.",
    "»Guten Tag«, erwiderte Herr Bell. Er verbeugte sich.",
]
FRENCH = [
    "Ce jour-là, Anna vint avec M. Bell, et elle était contente.",
    "— Bonjour, dit Anna.",
    "— Bonjour, répondit M. Bell.",
]


def book_in(language: str, *paragraphs: str) -> Book:
    return with_dialogue(Book("A book", (), language, None, (Chapter(1, "1", paragraphs),)), language)


def speakers(language: str, *paragraphs: str) -> Speakers:
    return find_speakers(book_in(language, *paragraphs).chapters, language)


@pytest.mark.parametrize(
    ("line", "who"),
    [
        ("»Ich weiß«, sagte Anna.", "Anna"),
        ("»Ich weiß«, sagte Anna und setzte sich. »Weiter.«", "Anna"),
        ("»Ich weiß!« rief da Anna.", "Anna"),
        ("»Ich weiß«, fuhr Anna fort.", "Anna"),
        ("Anna sah auf und sagte: »Ich weiß.«", "Anna"),
        ("Da sagte Anna: »Ich weiß.«", "Anna"),
        ("„Ich weiß“, antwortete Herr Bell.", "Herr Bell"),
        ("»Ich weiß«, sagte er.", "Herr Bell"),
        ("»Ich weiß«, sagte sie.", "Anna"),
        ("»Ich weiß«, sagte ich.", "I"),
    ],
)
def test_german_tags(line: str, who: str) -> None:
    assert speakers("de", *GERMAN, line).said[-1].who == who


@pytest.mark.parametrize(
    ("line", "who"),
    [
        ("— Je sais, dit Anna.", "Anna"),
        ("— Je sais, lui dit Anna en riant. Allez !", "Anna"),
        ("« Je sais ! » s’écria Anna.", "Anna"),
        ("Anna se leva et dit : « Je sais. »", "Anna"),
        ("— Je sais, reprit M. Bell.", "monsieur Bell"),
        ("— Je sais, dit-il.", "monsieur Bell"),
        ("— Je sais, répondit-elle.", "Anna"),
        ("— Tu sais ? demanda-t-elle.", "Anna"),
        ("— Je sais, dis-je.", "I"),
    ],
)
def test_french_tags(line: str, who: str) -> None:
    assert speakers("fr", *FRENCH, line).said[-1].who == who


def test_names_with_particles_and_elision() -> None:
    german = speakers("de", "Dort stand Frau von Horst, und es kam Frau von Horst.", "»Ja«, sagte Frau von Horst.")
    assert (german.said[-1].who, german.said[-1].sex) == ("Frau von Horst", "f")
    french = speakers("fr", "On vit Mme de Bray, puis Mme de Bray.", "— Oui, dit Mme de Bray.", "— Non, dit l’abbé.")
    assert [one.who for one in french.said] == ["madame de Bray", "l'abbé"]


def test_the_genitive_is_the_same_person() -> None:
    persons = speakers("de", *GERMAN, "Er nahm Annas Hand, und dann sah er Annas Hut.").persons
    assert persons.who("Annas") == "Anna"


def test_dashes_take_turns() -> None:
    found = speakers("fr", *FRENCH, "— Comment allez-vous ?", "— Bien, merci.", "— J’en suis contente, dit Anna.")
    assert [one.who for one in found.said][-3:] == ["Anna", "monsieur Bell", "Anna"]


def test_a_paragraph_in_which_several_speak_is_nobodys_for_sure() -> None:
    found = speakers("de", *GERMAN, "»Warum?« fragte Anna. »Darum«, sagte Herr Bell.")
    assert found.said[-1].sure < SURE


@pytest.mark.parametrize(
    "line",
    [
        "Der Wind heulte um das Haus, und die Straße lag im Regen.",
        "Liebe und Hoffnung kamen nach Jahren, aber Zeit heilt Wunden.",
        "»Der Regen ist schlimm, und die Nacht kommt.« Da fiel Schnee.",
        "Plötzlich rief die Pflicht, und es begann die Arbeit.",
        "»Ach, mein Gott!« Endlich schwieg das Kind.",
    ],
)
def test_no_german_noun_is_a_person(line: str) -> None:
    nouns = set(re.findall(r"\b[A-ZÄÖÜ]\w+", line))
    assert not nouns & set(speakers("de", *GERMAN, *[line] * 4).persons.of_name)


@pytest.mark.parametrize(
    "line",
    [
        "Le vent soufflait. Puis vint la nuit. Alors, Paris dormait.",
        "— Mon Dieu ! dit-on. Toujours ce vent ! Jamais de soleil !",
        "Enfin, le soir. Quand vint l’hiver, on disait : « Quel froid ! »",
        "L’amour commande, et la mère de famille obéit. Rien ne bougeait.",
    ],
)
def test_no_french_beginning_of_a_sentence_is_a_person(line: str) -> None:
    assert set(speakers("fr", *FRENCH, *[line] * 4).persons.of_name) <= {"Anna", "monsieur Bell", "Bell"}


def test_a_cast_in_german() -> None:
    found = attribute(book_in("de-AT", *GERMAN), "de-AT", CastTable())
    assert [(line.who, line.sure) for line in found.lines] == [("Anna", True), ("Herr Bell", True)]
    assert not knows_speakers("sv")


@pytest.mark.parametrize("code", sorted(languages()))
def test_every_table_is_whole(code: str) -> None:
    words = language_of(code)
    assert words.titles and words.nouns and words.subjects and words.patterns
    assert words.male_titles.isdisjoint(words.female_titles)
    assert not words.nobody & set(words.given_names)


@pytest.mark.parametrize("code", ["de", "fr"])
@pytest.mark.parametrize(
    "unit", ["A-", "Herr ", "M. de ", "sagte Anna, ", "dit-il, ", "der alte ", "l’", "Annas ", "a"]
)
def test_long_lines_take_no_longer_than_many_short_ones(code: str, unit: str) -> None:
    speakers(code, unit * (100_000 // len(unit)), "»Ja«, sagte Anna. " + unit * (50_000 // len(unit)) + " »Ja.«")
