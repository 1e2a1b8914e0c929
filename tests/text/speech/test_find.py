"""Speech is found in the paragraphs of a book, also where it goes on over several."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.book.content import Book, Chapter
from voxmatrix.book.dialogue import with_dialogue
from voxmatrix.book.units import sentences
from voxmatrix.text.passages import without_tags
from voxmatrix.text.speech.find import SpokenPart, spoken_parts

#: By language, speech in the middle of which the narrator speaks.
SPEECH = {
    "en": "“Yes, he said, “it rains: come.” And he left.",
    "de": "„Ja, sagte er, ich komme.“ Er ging.",
    "es": "—Sí —dijo ella riendo—. ¡Vamos, Ana! —Y salió.",
    "fr": "« Bonjour, dit-il. Au revoir, fit Anna à Paul. »",
    "pl": "— Tak — rzekł Jan — idę.",
    "sv": "– Ja, sade hon, men inte nu.",
}
TAGS = ["[pause:2s]", "[rate:0.8]", "[rate]", "[/voice]", "[pause: 1.5 s]"]


def said(paragraphs: list[str], language: str) -> list[str]:
    return [paragraphs[part.paragraph][part.start : part.end] for part in spoken_parts(paragraphs, language)]


@pytest.mark.parametrize(
    ("language", "paragraph", "expected"),
    [
        ("en-US", "“Yes,” said Anna, “it rains.” It did.", ["“Yes,”", "“it rains.”"]),
        ("en", "He took the “Daily News” and left. “Well?”", ["“Well?”"]),
        ("de", "»Ja,« sagte er, »es regnet.« Es regnete.", ["»Ja,«", "»es regnet.«"]),
        ("es", "—¿Tú? —dijo ella riendo—. ¡Ven! —Y salió.", ["—¿Tú?", "¡Ven!"]),
        ("es", "—El tribunal...—dijo la acequia; y se hizo un silencio.", ["—El tribunal..."]),
        ("es", "Juan gritó: —¡Ven, Ana!", ["—¡Ven, Ana!"]),
        ("fr", "— Je suis là, dit-elle, je savais cela. Venez !", ["— Je suis là,", "je savais cela. Venez !"]),
        ("fr", "« Oh ! pas lui ! » s’écria Cisy.", ["« Oh ! pas lui ! »"]),
        ("es", "—¿Quién va? Dijo de repente una voz.", ["—¿Quién va?"]),
        ("es", "—Pase usted, dijo Juan acercándose; ¡pase!", ["—Pase usted,", "¡pase!"]),
        ("es", "«¿Qué? —dijo ella riendo—. ¡Ven!»", ["«¿Qué?", "¡Ven!»"]),
        ("es", "»—¡Ven! —le dije.", ["»—¡Ven! —le dije."]),
        ("fr", "— Oui, répondit vivement Anna, qui riait. Venez !", ["— Oui,", "Venez !"]),
        ("fr", "— Non, dit-elle, préoccupée de sa robe.", ["— Non,"]),
        ("fr", "— Non, dit-elle, qui est venu ?", ["— Non,", "qui est venu ?"]),
        ("fr", "— J’ai froid, ai-je dit à Anna. Entrons.", ["— J’ai froid,", "Entrons."]),
        ("sv", "«Ja,« sade Anna, «jag kommer.« Hon gick.", ["«Ja,«", "«jag kommer.«"]),
        ("sv", "– Ja, sade Anna, men såg bort. Kom!", ["– Ja,", "Kom!"]),
        ("sv", "– Gör det, svarade denne.", ["– Gör det,"]),
        ("pl", "— Dobrze — odpowiedziałem — idę.", ["— Dobrze", "idę."]),
        ("pl", "— Słyszysz, jak on mówi po włosku?", ["— Słyszysz, jak on mówi po włosku?"]),
        ("sv", "– Lugna dig! afbröt Mats orolig. Jag kommer.", ["– Lugna dig!", "Jag kommer."]),
        ("sv", "– Inte gråta, sade han – lilla Dagmar!", ["– Inte gråta,", "– lilla Dagmar!"]),
        ("pl", "— Jenerale — ozwał się Bismarck — racz zająć miejsce.", ["— Jenerale", "racz zająć miejsce."]),
    ],
)
def test_each_language_has_its_marks_and_dashes(language: str, paragraph: str, expected: list[str]) -> None:
    assert said([paragraph], language) == expected


@pytest.mark.parametrize(
    ("language", "paragraph"),
    [
        ("de", "Er las den „Faust“ Goethes."),
        ("de", "Das „Spiegel“-Heft lag da."),
        ("en", "The “Titanic”’s crew slept."),
        ("en", 'The "Titanic"\'s crew slept.'),
        ("en", "He took the “Times” Sunday issue."),
        ("es", "Leyó la «Galatea» Cervantes."),
        ("fr", "Il lut le « Cid » Dimanche."),
        ("pl", "Powiesił na szyi „szkaplerz” Elżbiety."),
        ("de", "Er fand sie „etwas kindlich“. Sie ging."),
        ("es", "—VII—"),
        ("fr", "Il revint pour « retrouver ses deux amis »."),
        ("pl", "„Najmilsze kółko osób” bywało u niej."),
        ("pl", "Szli ludzie, „niepamiętający” nazwisk."),
        ("sv", "Nu såg man ”ingeniör” Wickert, och ”Titanic”s besättning sov."),
    ],
)
def test_titles_and_words_in_the_middle_of_a_sentence_are_no_speech(language: str, paragraph: str) -> None:
    assert said([paragraph], language) == []


@pytest.mark.parametrize(
    ("language", "paragraph", "expected"),
    [
        ("de", "Er rief „Komm“. Dann ging er.", "„Komm“."),
        ("de", "Sie sagte: „Komm“ Und er kam.", "„Komm“"),
        ("en", "He cried “Go!” Then he left.", "“Go!”"),
        ("en", "“Go” Anna said.", "“Go”"),
        ("es", "Gritó «¡Ven!» Ana salió.", "«¡Ven!»"),
        ("fr", "Il cria « Non ». Anna sortit.", "« Non »."),
        ("pl", "Zawołał „Chodź!” Jan wyszedł.", "„Chodź!”"),
        ("sv", "Han ropade ”Kom!” Hon kom.", "”Kom!”"),
    ],
)
def test_speech_before_a_capital_is_no_title(language: str, paragraph: str, expected: str) -> None:
    assert said([paragraph], language) == [expected]


def test_an_answer_behind_a_dash_ends_what_a_mark_has_opened() -> None:
    paragraphs = ["« Est-il là ? demanda Anna.", "— Oui, dit Paul, entrez.", "— J’entre ! »", "Elle entra."]
    assert said(paragraphs, "fr") == ["« Est-il là ?", "— Oui,", "entrez.", "— J’entre ! »"]


def test_what_the_narrator_says_in_a_quotation_of_several_paragraphs_is_his() -> None:
    assert said(["« Un.", "Deux, dit Anna, et trois.", "Quatre. »"], "fr") == [
        "« Un.",
        "Deux,",
        "et trois.",
        "Quatre. »",
    ]


def test_french_speech_goes_on_behind_a_mark() -> None:
    assert said(["– Un.", "» Deux, dit Anna, et trois.", "» — Quatre."], "fr") == [
        "– Un.",
        "» Deux,",
        "et trois.",
        "» — Quatre.",
    ]


def test_straight_single_marks_of_a_book() -> None:
    paragraphs = ["'It's Anna's,' said he. 'I don't mind.'", "'The dogs' bowls, 'tis true,' she said."]
    assert said(paragraphs, "en") == ["'It's Anna's,'", "'I don't mind.'", "'The dogs' bowls, 'tis true,'"]
    assert said(['"Yes," said he. "No." "Go." "Come."', "He read 'The Sea.'"], "en") == [
        '"Yes,"',
        '"No." "Go." "Come."',
    ]


def test_speech_goes_on_over_paragraphs() -> None:
    repeated = ["“One.", "“Two.” He left.", "“Three.”"]
    assert spoken_parts(repeated, "en") == [
        SpokenPart(0, 0, 5, continues=True),
        SpokenPart(1, 0, 6, continued=True),
        SpokenPart(2, 0, 8),
    ]
    spanish = ["«Uno.", "»Dos.", "»Tres.» Y salió."]
    assert said(spanish, "es") == ["«Uno.", "»Dos.", "»Tres.»"]
    unmarked = ["Il lut : « Un.", "Deux.", "Trois. » Il sortit."]
    assert said(unmarked, "fr") == ["« Un.", "Deux.", "Trois. »"]
    assert said(["“One is not closed.", "It rained.", "“Two.”"], "en") == ["“One is not closed.", "“Two.”"]


@pytest.mark.parametrize(
    ("language", "paragraph", "expected"),
    [
        ("fr", "« Bonjour, dit-il [pause:2s]. Au revoir. »", ["« Bonjour,", "Au revoir. »"]),
        ("sv", "[rate:0.8] – Ja, [pause:1s] sade hon [pause:1s], men inte nu.", ["– Ja,", "men inte nu."]),
        ("en", '"[pause:1s] Yes [pause:1s]", he said.', ['"[pause:1s] Yes [pause:1s]",']),
        ("fr", "— [[wi, dit-il: «]], dit-elle. Venez.", ["— [[wi, dit-il: «]],", "Venez."]),
        ("en", "“Come, [say-as:phonemes a”b|Anna].” He left.", ["“Come, [say-as:phonemes a”b|Anna].”"]),
    ],
)
def test_speech_is_found_around_tags_and_phonemes(language: str, paragraph: str, expected: list[str]) -> None:
    assert said([paragraph], language) == expected


@given(st.sampled_from(sorted(SPEECH)), st.lists(st.tuples(st.integers(0, 60), st.sampled_from(TAGS), st.booleans())))
def test_no_tag_is_spoken_and_every_letter_is(language: str, tags: list[tuple[int, str, bool]]) -> None:
    words = SPEECH[language].split(" ")
    for place, tag, apart in tags:
        words[place % len(words)] = f"{tag} {words[place % len(words)]}" if apart else words[place % len(words)] + tag
    paragraph = " ".join(words)
    book = with_dialogue(
        Book("B", (), language, None, (Chapter(1, "One", (paragraph, "[pause:1s]", paragraph)),)), language
    )
    spoken = sentences(book.chapters[0].paragraphs, language, {"": 1, "her": 2}, book.chapters[0].speeches, "her")
    assert letters("".join(one.text for one in spoken)) == letters(without_tags(paragraph)) * 2
    plain = [letters(part) for part in said([SPEECH[language]], language)]
    assert [letters(without_tags(part)) for part in said([paragraph], language)] == plain


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


@pytest.mark.parametrize("language", ["de", "en", "es", "fr", "pl", "sv"])
@pytest.mark.parametrize(
    "unit",
    [
        "— Si",
        " —dijo",
        "« ",
        "‘a",
        ", dit ",
        "A—",
        "— pan pan ",
        "[pause:1s]",
        "[rate] “a ",
        "» ",
        ", dit A, qui a",
        "'a ",
    ],
)
def test_a_line_of_half_a_megabyte_is_read_once(language: str, unit: str) -> None:
    """A pattern whose time grows with the square of the line would take minutes."""
    line = unit * (500_000 // len(unit))
    parts = spoken_parts(["— Si.", line], language)
    assert all(part.end <= len(line) for part in parts)
    assert all(before.end <= after.start for before, after in pairwise(parts) if before.paragraph == after.paragraph)
