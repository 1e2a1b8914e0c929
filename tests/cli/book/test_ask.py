"""`voxmatrix book cast --ask`: nothing of a chat server but names that were offered reaches the table or the book."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.remote.conftest import Answer, Stub, chatted, stubbed, whole
from voxmatrix.cli import main
from voxmatrix.voices.cast_table import read_table

TEXT = """# One

Anna Hall and Bert Moss sat in the kitchen. Anna looked at Bert.

"Is it raining?" asked Anna.

"It is," said Bert.

Nobody moved.

"Then we stay."

The clock struck.

"We always stay."

"Bert, you are slow," said Anna. "And late."

"I am," said Bert.

"Good," said Anna.
"""


@pytest.fixture
def server() -> Iterator[Stub]:
    with stubbed() as state:
        yield state


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VOXMATRIX_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "book.md"
    file.write_text(TEXT, encoding="utf-8")
    return file


def cast(server: Stub, *answers: Answer, model: str = "small") -> int:
    server.queue += answers
    return main.run(["book", "cast", "book.md", "--ask", server.url, "--model", model])


def said(book: Path) -> dict[str, tuple[str, str]]:
    """Who says each speech, and who has said so."""
    return {one.text: (one.who, one.by) for one in read_table(book.with_name("book.cast.toml")).said}


def test_what_the_rules_are_not_sure_of_is_asked_and_kept(book: Path, server: Stub) -> None:
    assert cast(server, chatted('{"2": " bert moss", "5": "Bert Moss"}')) == 0
    question = json.loads(server.bodies[0]["messages"][1]["content"])
    assert set(question["people"]) == {"Anna", "Bert Moss"}
    assert '<q n=2>"Then we stay."</q>' in question["passage"]
    assert said(book) == {'"Then we stay."': ("Bert Moss", "small")}

    table = book.with_name("book.cast.toml")
    by_hand = '[[said]]\ntext = "Then we stay"\nwho = "Anna"\n\n# One speech, corrected'
    text = table.read_text(encoding="utf-8").replace("# One speech, corrected", by_hand, 1)
    table.write_text(text, encoding="utf-8")
    assert cast(server) == 0  # nothing is asked again
    assert len(server.bodies) == 1
    assert said(book)["Then we stay"] == ("Anna", "")


def test_a_sure_speech_of_which_a_model_thinks_otherwise_is_unsure(
    book: Path, server: Stub, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cast(server, chatted('{"0": "Bert Moss", "1": "Bert Moss"}')) == 0
    assert said(book) == {'"Is it raining?"': ("?", "small")}
    capsys.readouterr()
    assert main.run(["book", "cast", "book.md", "--show", "1", "--json"]) == 0
    lines = {line["text"]: line for line in json.loads(capsys.readouterr().out)["lines"]}
    assert lines['"Is it raining?" asked Anna.']["sure"] is False
    assert lines['"It is," said Bert.']["sure"] is True


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('{"2": "Zoe", "99": "Anna Hall", "text": "I never said that."}', "speech '99' was not asked about"),
        ("I think that Anna speaks.", "speeches 0 to 6 were not answered"),
        ('{"2": ', "speeches 0 to 6 were not answered"),
    ],
)
def test_what_was_not_offered_is_left_out(
    content: str, told: str, book: Path, server: Stub, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cast(server, chatted(content)) == 0
    assert told in capsys.readouterr().err
    assert said(book) == {}
    assert "Zoe" not in book.with_name("book.cast.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("answer", "code"), [(whole(b"hello"), 3), (whole(b"{}", status=401), 8), (whole(b"{}", status=404), 3)]
)
def test_a_server_that_fails_changes_nothing(answer: Answer, code: int, book: Path, server: Stub) -> None:
    assert cast(server, answer) == code
    assert not book.with_name("book.cast.toml").exists()


def test_a_server_without_a_model_is_a_mistake(book: Path, server: Stub, capsys: pytest.CaptureFixture[str]) -> None:
    assert cast(server, model="") == 2
    assert "--model" in capsys.readouterr().err


def test_what_is_written_behind_the_answers_stays(book: Path, server: Stub) -> None:
    assert cast(server, chatted('{"2": "Bert Moss"}')) == 0
    table = book.with_name("book.cast.toml")
    by_hand = '[[said]]\ntext = "It is"  # he does not\nwho = "Anna"\n'
    table.write_text(table.read_text(encoding="utf-8") + f"\n{by_hand}", encoding="utf-8")
    assert cast(server) == cast(server) == 0
    assert table.read_text(encoding="utf-8").count(by_hand) == 1
    assert said(book) == {"It is": ("Anna", ""), '"Then we stay."': ("Bert Moss", "small")}


def test_an_answer_without_a_number_is_asked_for_again(book: Path, server: Stub) -> None:
    assert cast(server, chatted("I am overloaded.")) == 0
    assert cast(server, chatted('{"2": "Bert Moss"}')) == 0
    assert said(book) == {'"Then we stay."': ("Bert Moss", "small")}


@pytest.mark.parametrize(
    "text",
    [
        'people = { Bo = { voice = "one" } }\n',
        'note = """\n[people."Anna"]\nvoice = ""\n"""\n[people.Anna]\nvoice = "x"\n',
    ],
)
def test_a_table_that_cannot_be_added_to_stays_as_it_is(
    text: str, book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    book.write_text(TEXT + '\n"And I am Bo," said Bo.\n\n"Yes," said Bo.\n\n"No," said Bo.\n', encoding="utf-8")
    table = book.with_name("book.cast.toml")
    table.write_text(text, encoding="utf-8")
    code = main.run(["book", "cast", "book.md"])
    assert code == 0 or (code == 3 and "--out NEW.cast.toml" in capsys.readouterr().err)
    assert table.read_text(encoding="utf-8").startswith(text)


def test_a_table_of_a_stranger_is_an_error(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book.with_name("book.cast.toml").write_text("x = " + "[" * 5000, encoding="utf-8")
    assert main.run(["book", "cast", "book.md"]) == 3
    assert "is not TOML" in capsys.readouterr().err
