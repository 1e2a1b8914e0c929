"""Valid books of many kinds whose numbers and lists look like those of pages and contents: all of it is read."""

import re
from collections import Counter
from html import escape
from pathlib import Path

import pytest

from voxmatrix.book.read import read_book

SENTENCES = "The road went on over the hill. Nobody had walked on it for years. "
LONG = SENTENCES * 12
ROWS = ("Denmark: 6", "Sweden: 10", "Norway: 12", "Finland: 15", "Iceland: 20")


def haiku() -> list[str]:
    return [text for number in range(1, 6) for text in (f"- {number} -", f"an old pond lies still {number}", "a frog")]


BOOKS = {
    "numbers of chapters in dashes": [text for n in range(1, 9) for text in (f"- {n} -", f"{LONG}{n}.")],
    "numbers of chapters in brackets": [text for n in range(1, 9) for text in (f"({n})", f"{SENTENCES}{n}.")],
    "numbered poems": haiku(),
    "sections of a law": ["Of trees"] + [text for n in range(1, 17) for text in (str(n), f"A tree has {n} owners.")],
    "years": [text for year in range(1914, 1926) for text in (str(year), f"{LONG}{year}.")],
    "short numbered chapters": [f"{LONG}Preface."] + [t for n in range(1, 13) for t in (str(n), f"{SENTENCES}{n}.")],
    "countdowns": ["CHAPTER I", LONG, "3", "2", "1", "Fire!", "CHAPTER II", LONG, "3", "2", "1", "Fire!"],
    "a table and its chapters": [t for row in ROWS for t in ("CHAPTER " + row.partition(":")[0], LONG)] + list(ROWS),
    "a first sentence": ["Prepared by long years of study for the work, he left.", LONG],
}


@pytest.mark.parametrize("ending", ["txt", "html"])
@pytest.mark.parametrize("name", BOOKS)
def test_all_text_is_read(name: str, ending: str, tmp_path: Path) -> None:
    path, texts = tmp_path / f"book.{ending}", BOOKS[name]
    body = "".join(f"<h2>{text}</h2>" if text.startswith("CHAPTER") else f"<p>{escape(text)}</p>" for text in texts)
    path.write_text(f"<html><body>{body}</body></html>" if ending == "html" else "\n\n".join(texts), encoding="utf-8")
    read = " ".join(text for chapter in read_book(path).chapters for text in chapter.paragraphs)
    wanted = " ".join(text for text in texts if not text.startswith("CHAPTER"))
    assert not Counter(re.findall(r"\w+", wanted)) - Counter(re.findall(r"\w+", read))


@pytest.mark.parametrize("name", ["Main", "Volume 2", ""])
def test_a_body_with_a_name_is_text(name: str, tmp_path: Path) -> None:
    bodies = (
        f'<body><section><p>One & two.</p></section></body><body name="{name}"><section><p>Three.</p></section></body>'
    )
    path = tmp_path / "book.fb2"
    path.write_text(f"<FictionBook><description/>{bodies}</FictionBook>", encoding="utf-8")
    read = [text for chapter in read_book(path).chapters for text in chapter.paragraphs]
    assert read == ["One & two.", "Three."]


def test_a_paragraph_goes_on_behind_a_table_in_its_place(tmp_path: Path) -> None:
    rows = "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>"
    pages = "".join(f"<p>{LONG}</p><p>[{number}]</p>" for number in range(10, 13))
    path = tmp_path / "book.html"
    path.write_text(f"<html><body>{pages}<p>He showed this table</p>{rows}<p>[13]</p><p>to her.</p></body></html>")
    read = [text for chapter in read_book(path).chapters for text in chapter.paragraphs]
    assert read[3] == "He showed this table" and read[-1] == "to her."
