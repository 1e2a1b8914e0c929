"""SSML: what is no comment is refused, in a time that grows with the length of the text and not with its square."""

import pytest

from voxmatrix.errors import BadInputError
from voxmatrix.text.spoken import spoken_sentences
from voxmatrix.text.ssml import from_ssml


class Counted(str):
    """A text that counts the characters in which something was looked for."""

    searched = 0

    def find(self, part: str, start: int = 0, end: int | None = None) -> int:  # type: ignore[override]
        found = super().find(part, start)
        self.searched += (len(self) if found < 0 else found) - start
        return found


def work(text: str) -> float:
    """How often each character of a text is looked at."""
    counted = Counted(text)
    with pytest.raises(BadInputError):
        from_ssml(counted)
    assert counted.searched  # else this counts nothing
    return counted.searched / len(text)


@pytest.mark.parametrize("part", ["<!--", "<![CDATA[", "<!---->", "<!-- -- ", "<![CDATA[]]>", "<!-- --><!--"])
def test_many_sections_take_a_time_that_grows_with_their_number(part: str) -> None:
    for count in (100, 1000, 10_000):
        assert work("<speak>" + part * count) <= 2


@pytest.mark.parametrize(
    "text", ["<!DOCTYPE speak>", "<!-- x --><!ENTITY a 'b'>", "<!-- > --><!DOCTYPE x>", "<![CDATA[ ]]><!x", "<!", "<!-"]
)
def test_a_document_type_is_refused_wherever_it_stands(text: str) -> None:
    for document in (f"{text}<speak>a</speak>", f"<speak>a{text}</speak>"):
        with pytest.raises(BadInputError, match="document type"):
            from_ssml(document)


@pytest.mark.parametrize("text", ["<!-- <!DOCTYPE x> -->", "<![CDATA[<!DOCTYPE x>]]>", "<!----><!-- - -->"])
def test_comments_and_quoted_text_may_have_anything_in_them(text: str) -> None:
    assert from_ssml(f"<speak>Hello {text}there</speak>").endswith("there")


@pytest.mark.parametrize("text", ["<speak>a<!-- b</speak>", "<speak>a<![CDATA[ b</speak>", "<speak><!--></speak>"])
def test_what_is_not_closed_is_not_well_formed(text: str) -> None:
    with pytest.raises(BadInputError, match="not well-formed"):
        from_ssml(text)


def said(element: str, language: str = "en-us") -> str:
    (sentence,) = spoken_sentences(from_ssml(f"<speak>It is {element} now.</speak>"), language)
    return sentence.text.removeprefix("It is ").removesuffix(" now.")


@pytest.mark.parametrize(
    ("attributes", "written", "expected"),
    [
        ('interpret-as="date" format="dmy"', "3/5/1998", "the third of May, nineteen ninety-eight"),
        ('interpret-as="date" format="DMY" detail="2"', "3/5/1998", "the third of May, nineteen ninety-eight"),
        ('interpret-as="ordinal"', "3", "third"),
        ('interpret-as="number" format="ordinal"', "5", "fifth"),
        ('interpret-as="number" format="telephone"', "555-1234", "five five five, one two three four"),
        ('interpret-as="number"', "1998", "one thousand nine hundred and ninety-eight"),
        ('interpret-as="vxml:currency"', "USD45.30", "forty-five dollars and thirty cents"),
        ('interpret-as="number_digit"', "123", "one two three"),
        ('interpret-as="telephone" format="1"', "(888) 555-12", "eight eight eight, five five five, one two"),
        ('interpret-as="telephone"', "+46 8 12", "plus four six, eight, one two"),
        ('interpret-as="spell-out"', "SQL", "S Q L"),
        ('interpret-as="expletive"', "darn", "darn"),
        ('interpret-as="name"', "ED", "ED"),
        ('interpret-as="date" format="mdy"', "19/10/2016", "October nineteenth, twenty sixteen"),
    ],
)
def test_say_as_decides_how_a_text_is_said(attributes: str, written: str, expected: str) -> None:
    assert said(f"<say-as {attributes}>{written}</say-as>") == expected


def test_say_as_is_said_in_the_language_of_the_voice() -> None:
    element = '<say-as interpret-as="date" format="dmy">3/5/1998</say-as>'
    assert said(element, "sv") == "tredje maj nittonhundranittioåtta"
    assert said(element, "fi") == "3/5/1998"  # there is no table


def test_say_as_ends_no_sentence_and_shows_in_captions_as_it_is_written() -> None:
    text = from_ssml('<speak>On <say-as interpret-as="date" format="dmy">3. 5. 1998</say-as> it began.</speak>')
    (sentence,) = spoken_sentences(text, "en-us")
    assert sentence.source == "On 3. 5. 1998 it began."


def test_other_languages_in_a_text_are_text() -> None:
    assert said('<lang xml:lang="es-MX">Hola</lang>') == "Hola"


@pytest.mark.parametrize(
    ("attributes", "word", "expected"),
    [
        ('alphabet="ipa" ph="tə.ˈmeɪ.toʊ"', "tomato", "[[təˈmeɪtoʊ]]"),
        ('ph="tə ˈmeɪ toʊ"', "tomato", "[[təˈmeɪtoʊ]]"),
        ('ph="nuː jˈɔːk"', "New York", "[[nuː jˈɔːk]]"),
        ('ph="t͡ʃiz‿ɪt"', "cheese", "[[tʃizɪt]]"),
        ('alphabet="x-sampa" ph=\'t@."meI.toU\'', "tomato", "[[təˈmeɪtoʊ]]"),
        ('alphabet="x-microsoft-ups" ph="T AH"', "tomato", "tomato"),
        ('ph="."', "tomato", "tomato"),
    ],
)
def test_phonemes_come_without_the_marks_of_syllables(attributes: str, word: str, expected: str) -> None:
    assert said(f"<phoneme {attributes}>{word}</phoneme>") == expected
