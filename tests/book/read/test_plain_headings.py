"""Headings that are words alone, in several languages."""

import pytest

from voxmatrix.book.read import read_book
from voxmatrix.book.read.plain_headings import is_heading

_TEXT = "It rained on the town, and nobody came to see it."


def _titles(tmp_path, text):
    path = tmp_path / "book.txt"
    path.write_text(text)
    return [chapter.title for chapter in read_book(path).chapters]


@pytest.mark.parametrize(
    "line",
    [
        "THE FIRST ACT", "ACT THE FIRST", "The Twenty-First Chapter", "SCENE II. A street", "Book the Last",
        "Capítulo primero", "CAPÍTULO XII. De lo que sucedió", "Segunda parte del ingenioso caballero",
        "JORNADA PRIMERA",
        "CHAPITRE PREMIER", "PREMIÈRE PARTIE", "Chapitre deuxième: La mer", "Acte troisième", "2e partie",
        "Erstes Kapitel", "Zweiter Teil", "Dritter Aufzug", "DAS ERSTE BUCH",
        "Eerste deel", "Tweede bedrijf", "CAPITOLO PRIMO", "Parte terza", "Primeira parte", "Andra akten",
        "1:a kapitlet",
        "Prólogo", "Avant-propos", "Voorwoord",
    ],
)  # fmt: skip
def test_a_heading(line):
    assert is_heading(line)


@pytest.mark.parametrize(
    "line",
    [
        "The first part was over", "Second act; what's the matter with it?", "END OF THE FIRST ACT.", "La primera vez",
        "Der erste Mann", "The last letter came from her.", "Premier amour", "First, part of it was gone.",
    ],
)  # fmt: skip
def test_no_heading(line):
    assert not is_heading(line)


def test_acts_are_chapters(tmp_path):
    acts = ("THE FIRST ACT", "THE SECOND ACT")
    assert _titles(tmp_path, "\n\n".join(f"{act}\n\nLily. I am here.\n\nRoper. Who?" for act in acts)) == list(acts)


def test_an_act_with_its_first_scene_is_one_chapter(tmp_path):
    lines = ("ACT I", "SCENE I. A street.", _TEXT, "SCENE II. A room.", _TEXT, "ACT II", "SCENE I. A street.", _TEXT)
    assert _titles(tmp_path, "\n\n".join(lines)) == [
        "ACT I: SCENE I. A street.",
        "SCENE II. A room.",
        "ACT II: SCENE I. A street.",
    ]


def test_a_title_of_two_lines_is_whole(tmp_path):
    first = "Capítulo primero. Que trata de la condición y ejercicio del famoso\nhidalgo don Quijote de la Mancha"
    second = "Capítulo II. Que trata de la primera salida que de su tierra hizo el\ningenioso don Quijote"
    third = "Capítulo III. Breve\nEn un lugar de la Mancha vivía un hidalgo, y nadie vino nunca a verlo en su casa."
    text = f"{first}\n\n{_TEXT}\n\n{second}\n\n{_TEXT}\n\n{third}"
    assert _titles(tmp_path, text) == [first.replace("\n", " "), second.replace("\n", " "), "Capítulo III. Breve"]


@pytest.mark.parametrize("apart", ["\n\n", "\n"])
@pytest.mark.parametrize("title", ["Table des matières\n\n", ""])
def test_the_numbers_of_a_contents_are_no_chapters(apart, title, tmp_path):
    parts = {"PREMIÈRE PARTIE": ("I", "II", "III"), "DEUXIÈME PARTIE": ("I", "II")}
    listed = apart.join(line for part, numbers in parts.items() for line in (part, *numbers))
    body = "\n\n".join(
        f"{part}\n\n" + "\n\n".join(f"{number}\n\n{_TEXT}" for number in numbers) for part, numbers in parts.items()
    )
    assert _titles(tmp_path, f"Le Livre\n\n{title}{listed}\n\n\n{body}") == [
        "book",
        "PREMIÈRE PARTIE: I",
        "II",
        "III",
        "DEUXIÈME PARTIE: I",
        "II",
    ]


def test_numbers_with_titles_are_chapters_where_they_count_up_and_text_is_between(tmp_path):
    text = f"I.\n\n{_TEXT}\n\nII. Papa se fâche.\n\n{_TEXT}\n\nIII. La visite\n\n{_TEXT}"
    assert _titles(tmp_path, text) == ["I.", "II. Papa se fâche.", "III. La visite"]
    assert _titles(tmp_path, f"{_TEXT}\n\nI. Apples\n\nII. Pears\n\nIII. Plums\n\n{_TEXT}") == ["book"]


def test_the_titles_of_contents_with_pages_are_chapters(tmp_path):
    titles = ("AFSCHEID", "EEN EERSTE STORM", "OM DEN ZUID", "EEN DROOM")
    contents = "\n".join(f"{title:30}{page}." for page, title in enumerate(titles, start=3))
    story = "\n\n".join(f"{title}.\n\n{_TEXT}" for title in titles)
    sections = f"I.\n\n{_TEXT * 9}\n\nII.\n\n{_TEXT * 9}"
    found = _titles(tmp_path, f"INHOUD.\n\n{contents}\n\n{story}\n\n{sections}")
    assert found == [f"{title}." for title in titles]


def test_the_verses_of_a_song_are_no_chapters(tmp_path):
    song = "\n\n".join(f"{number}.\n\nBlanche neige est en voyage" for number in (1, 2, 3))
    titles = ("CHAPTER I", "CHAPTER II")
    assert _titles(tmp_path, "\n\n".join(f"{title}\n\n{_TEXT}\n\n{song}" for title in titles)) == list(titles)


def test_a_number_that_is_missing_ends_nothing(tmp_path):
    numbers = ("I", "II", "III", "V", "VI")
    assert _titles(tmp_path, "\n\n".join(f"{number}\n\n{_TEXT}" for number in numbers)) == list(numbers)
