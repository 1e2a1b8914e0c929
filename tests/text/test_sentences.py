import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from voxmatrix.text import sentences
from voxmatrix.text.sentences import MAX_CHARACTERS, shortened, split


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en-us", "Dr. Smith paid $5.20.", ["Dr. Smith paid $5.20."]),
        ("en-us", "He left. She stayed! Why? Nobody knows", ["He left.", "She stayed!", "Why?", "Nobody knows"]),
        ("en-us", '"What?" she said. "No."', ['"What?" she said.', '"No."']),
        (
            "en-us",
            "Mr. Brown met J. K. Rowling at 5 p.m. sharp. Then he left.",
            ["Mr. Brown met J. K. Rowling at 5 p.m. sharp.", "Then he left."],
        ),
        ("en-us", "See p. 5. It is there.", ["See p. 5.", "It is there."]),
        ("en-us", "Title\n\nText on\ntwo lines", ["Title", "Text on two lines"]),
        (
            "sv",
            "Han kom kl. 5, t.ex. i dag. Dr. Åberg åkte. Ja.",
            ["Han kom kl. 5, t.ex. i dag.", "Dr. Åberg åkte.", "Ja."],
        ),
        ("sv", "Del vi. Han kom.", ["Del vi.", "Han kom."]),
        ("en-us", "—G. J. He left.", ["—G. J. He left."]),
        ("en-us", "He lives in the U.S. It is big.", ["He lives in the U.S.", "It is big."]),
        ("en-us", "A N.E.-S. W. direction.", ["A N.E.-S. W. direction."]),
        ("en-us", "“Seven!” I answered. “Go!” He went.", ["“Seven!” I answered.", "“Go!”", "He went."]),
        (
            "en-us",
            "“Why?” Mr. Holmes asked. “So?” The man cried.",
            ["“Why?” Mr. Holmes asked.", "“So?” The man cried."],
        ),
        ("fr", "Le comte et M. Noirtier. En 44 av. J.-C. Fin.", ["Le comte et M. Noirtier.", "En 44 av. J.-C. Fin."]),
        (
            "fr-fr",
            "Le Dr. Martin et Mgr. Paul vont à St. Jean. Oui.",
            ["Le Dr. Martin et Mgr. Paul vont à St. Jean.", "Oui."],
        ),
        (
            "de",
            "Im 19. Jahrhundert kam er am 5. Mai. Es war 1998. Ja.",
            ["Im 19. Jahrhundert kam er am 5. Mai.", "Es war 1998.", "Ja."],
        ),
        ("de", "Er ist 19. Sie kam.", ["Er ist 19.", "Sie kam."]),
        ("it", "Vedi pag. 5. Il sig. Rossi venne.", ["Vedi pag. 5.", "Il sig. Rossi venne."]),
        ("pt", "Ver pág. 3. O rei D. Pedro veio.", ["Ver pág. 3.", "O rei D. Pedro veio."]),
        ("nl", "Hij zag mevr. Smit. Klaar.", ["Hij zag mevr. Smit.", "Klaar."]),
        ("pl", "Był dr. Kowalski. Koniec.", ["Był dr. Kowalski.", "Koniec."]),
        ("cmn", "你好。他来了！是吗？好", ["你好。", "他来了！", "是吗？", "好"]),
        ("ar", "مرحبا. كيف حالك؟ جيد", ["مرحبا.", "كيف حالك؟", "جيد"]),
        ("hi", "नमस्ते। कैसे हो? ठीक", ["नमस्ते।", "कैसे हो?", "ठीक"]),
        ("en-us", "", []),
        ("en-us", " \n\n \n", []),
    ],
)
def test_a_text_falls_into_its_sentences(language, text, expected):
    assert split(text, language) == expected


_ROWS = tomllib.loads((Path(sentences.__file__).parent / "abbreviations.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("language", _ROWS)
def test_no_sentence_ends_behind_an_abbreviation(language):
    row = _ROWS[language]
    texts = [f"Abc {short}. Smith def." for short in row.get("before_names", ())]
    texts += [f"Abc {short}. 5 def." for short in row.get("before_numbers", ())]
    texts += [f"Abc {word} 19. Smith def." for word in row.get("before_ordinals", ())]
    assert {text: split(text, language) for text in texts} == {text: [text] for text in texts}
    assert split("Abc defgh. Ghi jkl.", language) == ["Abc defgh.", "Ghi jkl."]


@pytest.mark.parametrize(
    ("language", "word"), [(language, word) for language in _ROWS for word in _ROWS[language].get("last", ())]
)
def test_a_sentence_ends_behind_an_abbreviation_that_ends_an_enumeration(language: str, word: str) -> None:
    assert split(f"Abc {word}. Smith def.", language) == [f"Abc {word}.", "Smith def."]
    assert split(f"Abc {word}. smith def.", language) == [f"Abc {word}. smith def."]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("sv", "Kungar, t.ex. Oscar, dvs. Bernadotte."),
        ("sv", "T.ex. Anna kom."),
        ("en-us", "All incl. Paris, approx. Monday, e.g. London."),
    ],
)
def test_no_sentence_ends_behind_an_abbreviation_that_goes_on(language: str, text: str) -> None:
    assert split(text, language) == [text]


def test_a_long_sentence_breaks_where_it_pauses_best():
    clause = "word " * 30 + "word"
    assert split(f"{clause}; {clause}, {clause}.", "en-us") == [f"{clause};", f"{clause}, {clause}."]
    assert split(f"{clause}, {clause}, {clause}.", "en-us") == [f"{clause}, {clause},", f"{clause}."]
    assert {len(piece) for piece in split("x" * 1000, "en-us")} == {MAX_CHARACTERS, 200}


@settings(max_examples=examples(200))
@given(st.text(max_size=600), st.sampled_from(["en-us", "sv", "de", "cmn", "", "x-y"]))
def test_nothing_is_lost_and_nothing_is_too_long(text, language):
    found = split(text, language)
    assert all(piece and piece == piece.strip() and len(piece) <= MAX_CHARACTERS for piece in found)
    assert "".join("".join(found).split()) == "".join(text.split())


def test_one_sentence_loads_no_library():
    code = (
        "import sys; from voxmatrix.text.sentences import split;"
        "split('Only this one.', 'en'); print('sentencex' in sys.modules)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "False"


@pytest.mark.parametrize("unit", ["a b c. ", "x", ". ", "(", '"', "Dr. ", "kl. ", "a, ", "A b. ", "a\n \n"])
def test_a_hundred_thousand_characters_of_anything_are_split(unit):
    text = unit * (100_000 // len(unit))
    assert "".join("".join(split(text, "sv")).split()) == "".join(text.split())


@given(st.text(max_size=300), st.integers(20, 100))
def test_a_sentence_for_a_voice_that_takes_less_is_broken_further_and_keeps_its_letters(text: str, limit: int) -> None:
    found = list(shortened(text, limit))
    assert all(len(piece) <= limit for piece in found)
    assert "".join("".join(found).split()) == "".join(text.split())
