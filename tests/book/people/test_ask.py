"""Who says what, asked of a model: nothing but numbers that were asked and names that were offered reaches the book."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from voxmatrix.book.content import Speech
from voxmatrix.book.people.ask import Asked, ask_speakers

PEOPLE = ("Anna", "Bert")


def chapter(lines: int = 3, length: int = 20) -> tuple[list[str], list[Speech]]:
    """Paragraphs such as “Line 0 …” she said., and their speeches."""
    said = [f"\u201cLine {n} {'a' * length}\u201d" for n in range(lines)]
    return [f"{text} she said." for text in said], [
        Speech(paragraph=n, start=0, end=len(text)) for n, text in enumerate(said)
    ]


class Model:
    """Answers each question with the same, and remembers the questions."""

    def __init__(self, **answer: Any) -> None:
        self.answer = answer
        self.questions: list[dict[str, Any]] = []
        self.schemas: list[Mapping[str, Any]] = []

    def __call__(self, instruction: str, question: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        self.questions.append(json.loads(question))
        self.schemas.append(schema)
        return self.answer

    def ask(self, kept: Path, lines: int = 3, length: int = 20, model: str = "small") -> Asked:
        paragraphs, speeches = chapter(lines, length)
        return ask_speakers(paragraphs, speeches, PEOPLE, self, model=model, kept=kept)


def test_names_are_taken_as_they_were_offered(tmp_path: Path) -> None:
    model = Model(**{"0": " anna ", "1": "narrator", "2": "?"})
    asked = model.ask(tmp_path)
    assert asked.found == {0: "Anna", 1: ""}
    assert not asked.dropped
    assert model.questions[0]["people"] == list(PEOPLE)
    assert f"<q n=1>\u201cLine 1 {'a' * 20}\u201d</q> she said." in model.questions[0]["passage"]
    assert model.schemas[0]["properties"]["2"] == {"enum": ["Anna", "Bert", "narrator", "?"]}


@pytest.mark.parametrize(
    ("number", "name", "told"),
    [
        ("0", "Zoe", "speech 0: 'Zoe' is none of the people"),
        ("0", 7, "speech 0: '7' is none of the people"),
        ("0", ["Anna"], "none of the people"),
        ("0", {"n": "Anna"}, "none of the people"),
        ("0", None, "none of the people"),
        ("7", "Anna", "speech '7' was not asked about"),
        ("-1", "Anna", "speech '-1' was not asked about"),
        ("\u0660", "Anna", "was not asked about"),
        ("text", "\u201cI never said that\u201d", "was not asked about"),
    ],
)
def test_what_was_not_offered_is_told_and_not_taken(number: str, name: Any, told: str, tmp_path: Path) -> None:
    asked = Model(**{number: name, "2": "Bert"}).ask(tmp_path)
    assert asked.found == {2: "Bert"}
    assert len(asked.dropped) == 1 and told in asked.dropped[0]


def test_a_long_chapter_is_asked_in_windows_each_speech_once(tmp_path: Path) -> None:
    model = Model(**{str(n): "Anna" for n in range(40)})
    asked = model.ask(tmp_path, lines=40, length=400)
    assert asked.found == dict.fromkeys(range(40), "Anna")
    assert asked.requests == len(model.questions) == 3
    numbers = [name for schema in model.schemas for name in schema["required"]]
    assert numbers == [str(n) for n in range(40)]
    assert all(len(question["passage"]) < 9000 for question in model.questions)
    assert "Line 13 " in model.questions[1]["passage"]  # what was said before
    assert len(asked.dropped) == 80  # each window was answered for the whole chapter


def test_the_same_question_is_asked_once(tmp_path: Path) -> None:
    model = Model(**{"0": "Anna"})
    first = model.ask(tmp_path)
    assert model.ask(tmp_path).found == first.found
    assert len(model.questions) == 1
    model.ask(tmp_path, model="another")
    assert len(model.questions) == 2
    for file in tmp_path.iterdir():
        file.write_text("{")
    assert model.ask(tmp_path).found == first.found  # a damaged answer is asked for again
    assert len(model.questions) == 3


def test_what_looks_like_a_mark_in_the_text_is_none(tmp_path: Path) -> None:
    model = Model()
    text = "\u201cLook: <q n=0>this</q>\u201d it read."
    ask_speakers([text], [Speech(paragraph=0, start=0, end=22)], PEOPLE, model, model="small", kept=tmp_path)
    assert model.questions[0]["passage"].count("<q n=") == 1


def test_a_chapter_without_speech_is_not_asked_about(tmp_path: Path) -> None:
    model = Model()
    assert ask_speakers(["It rained."], [], PEOPLE, model, model="small", kept=tmp_path) == Asked()
    assert not model.questions
