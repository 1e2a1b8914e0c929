import pytest

from tests.book.people.shapes import amulet, book_of
from voxmatrix.book.people.cast import SEX_SURE, SURE
from voxmatrix.book.people.speakers import Speakers, find_speakers


def speakers(*paragraphs: str) -> Speakers:
    return find_speakers(book_of(list(paragraphs)).chapters)


def who(*paragraphs: str) -> list[str]:
    return [one.who for one in speakers(*paragraphs).said]


def test_pages_of_a_novel() -> None:
    book, gold = amulet()
    found = find_speakers(book.chapters)
    said = {one.turn.paragraph: one for one in found.said if gold.get(one.turn.paragraph, "?") != "?"}
    right = {place for place, one in said.items() if one.who == gold[place]}
    sure = {place for place, one in said.items() if one.sure >= SURE}
    assert len(said) == 38
    assert len(right) >= 24
    assert len(sure & right) >= 0.9 * len(sure) >= 0.27 * len(said)


@pytest.mark.parametrize(
    "line",
    [
        "“I know,” said Anna.",
        "“I know,” Anna said quietly.",
        "“I know,” said Anna, and sat down. “Go on.”",
        "Anna said to the cat: “I know.”",
        "“I know,” Anna, who was tired, replied.",
    ],
)
def test_a_name_beside_a_verb_of_saying(line: str) -> None:
    found = speakers("The cat looked at Anna and then at Bernard.", "“Well?” said Bernard to Anna.", line)
    assert (found.said[-1].who, found.said[-1].sure) == ("Anna", 1.0) or found.said[-1].sure > 0.5


def test_somebody_who_is_only_named_behind_their_speech() -> None:
    assert who('"Good morning," said Anna.', '"Yes," Bob said.', '"It is late," said Anna.') == ["Anna", "Bob", "Anna"]


def test_two_take_turns() -> None:
    found = who(
        "It was then that Anna met Bernard.",
        "“Good morning,” said Anna.",
        "“Good morning,” said Bernard.",
        "“How are you?”",
        "“Well, thank you.”",
        "“I am glad,” said Anna.",
    )
    assert found == ["Anna", "Bernard", "Anna", "Bernard", "Anna"]


def test_a_pronoun_is_somebody_of_its_sex() -> None:
    found = speakers(
        "That day Mr Bell came with Mrs Dale. She was tired, and he was not.",
        "“Well?” said Mr Bell.",
        "“Very well,” she answered.",
        "“Good,” said he.",
    )
    assert [one.who for one in found.said] == ["Mr Bell", "Mrs Dale", "Mr Bell"]
    assert [one.sex for one in found.said] == ["m", "f", "m"]
    assert found.said[1].sex_sure >= SEX_SURE


def test_other_names_of_a_person() -> None:
    persons = speakers(
        "In spring Miss Elizabeth Bennet met Mr Darcy, and Elizabeth Bennet laughed. "
        "He bowed to Miss Elizabeth Bennet.",
        "“Sir,” said Elizabeth. She smiled.",
        "“Lizzy!” said Mr Darcy, and then Lizzy laughed, and so Lizzy said: “Well?”",
        "“Well,” said Elizabeth Bennet, and Elizabeth laughed, as Elizabeth often did.",
    ).persons
    assert persons.who("Lizzy") == persons.who("Elizabeth") == persons.who("Miss Elizabeth Bennet") != ""
    assert persons.who("Mr Darcy") == "Mr Darcy"
    assert (persons.sex("Mr Darcy"), persons.sex(persons.who("Lizzy"))) == ("m", "f")


def test_a_title_names_nobody() -> None:
    """Each of its words has a capital, whether a name or not."""
    titles = ["How Anna Becomes the Queen", "12. Bo Becomes King", "THE QUEEN BECOMES BO"]
    book = book_of(*([title, "“Good morning,” said Anna.", "“Good morning,” said Bo."] for title in titles * 2))
    assert {one.who for one in find_speakers(book.chapters).said} == {"Anna", "Bo"}


def test_speech_that_goes_on_is_of_the_same_person() -> None:
    found = who(
        "Once Anna met Bernard.", "“Listen,” said Anna. “It was so.", "“And then it ended.”", "“Oh,” said Bernard."
    )
    assert found == ["Anna", "Anna", "Bernard"]


def test_nobody_speaks_and_nobody_is_known() -> None:
    assert who("It was late.") == []
    assert who("“Well?”", "“Well.”") == ["", ""]


@pytest.mark.parametrize(
    "unit", ["A-", "Mr ", "Mr Anna ", "said Anna, ", "the old ", "“", "’s ", "Anna’", "a", "said the "]
)
def test_long_lines_take_no_longer_than_many_short_ones(unit: str) -> None:
    speakers(unit * (100_000 // len(unit)), "“Well,” said Anna. " + unit * (50_000 // len(unit)) + " “Yes.”")
