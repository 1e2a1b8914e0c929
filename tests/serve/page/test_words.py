"""The words of the page are in one catalogue, words/en.json, and a translation is one file beside it."""

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

import voxmatrix.serve.page
from voxmatrix.serve.page import files
from voxmatrix.serve.page.files import read_page
from voxmatrix.serve.page.routes import page_routes

STATIC = Path(voxmatrix.serve.page.__file__).with_name("static")
CATALOGUES = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in STATIC.glob("words/*.json")}
WORDS = CATALOGUES["en"]
INDEX = (STATIC / "index.html").read_text(encoding="utf-8")
MODULES = {path.relative_to(STATIC).as_posix(): path.read_text(encoding="utf-8") for path in STATIC.rglob("*.js")}
#: A literal, without the expressions in it.
_LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')
_EXPRESSION = re.compile(r"\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}")
_COMMENT = re.compile(r"/\*[\s\S]*?\*/|(?:^|\s)//.*", re.MULTILINE)
#: What reads like English: two words, a capital letter at the beginning of one, a mark at its end.
_ENGLISH = re.compile(r"[A-Za-z]{2,}[,:;.]? [A-Za-z]{2,}|^[A-Z][a-z]+[.:…]?$|[a-z]{3,}[.?!…]$")
#: Names of keys, headers, media queries, selectors, commands and programs.
_NAMES = {
    *(
        "Enter",
        "Escape",
        "Space",
        "Home",
        "End",
        "Files",
        "Authorization",
        "Kokoro",
        "Piper",
        "Open WebUI",
        "Home Assistant",
    ),
    *("input, select, textarea", "(prefers-reduced-motion: reduce)", "(prefers-color-scheme: dark)"),
}
_COMMANDS = ("voxmatrix speak ", "curl ", ' -H "Authorization', "voxmatrix serve ", "en-US en-GB ")
#: Sentences in many languages, each spoken by voices of that language.
_SPOKEN = "js/voices/samples.js"


def keys_in(text: str) -> set[str]:
    """What a module names like a key, be it where it is used or in a table."""
    areas = "|".join({key.partition(".")[0] for key in WORDS})
    return set(re.findall(rf'"((?:{areas})\.\w+)"', text))


def test_every_key_that_is_used_exists() -> None:
    for name, text in MODULES.items():
        called = re.findall(r'\b(?:t|parts)\("([^"]*)"', text)
        assert keys_in(text).union(called) <= WORDS.keys(), name
    assert set(re.findall(r"\{(.*?)\}", INDEX)) <= WORDS.keys()


def test_every_key_is_used() -> None:
    used = {"locale"}.union(*map(keys_in, MODULES.values()), re.findall(r"\{(.*?)\}", INDEX))
    assert sorted(WORDS.keys() - used) == []


@pytest.mark.parametrize("name", sorted(MODULES.keys() - {_SPOKEN}))
def test_a_module_has_no_words_of_its_own(name: str) -> None:
    text = _COMMENT.sub("", MODULES[name])
    found = []
    for literal in _LITERAL.finditer(text):
        words = literal[1] if literal[1] is not None else _EXPRESSION.sub("", literal[2])
        before = text[: literal.start()].rpartition("\n")[2]
        is_class = re.search(r'class(?:Name)?(?:: | = )(?:[\w.! ?:="]* )?$', before)
        if _ENGLISH.search(words) and not (is_class or words in _NAMES or words.startswith(_COMMANDS)):
            found.append(words)
    assert not found


def test_the_index_has_no_words_of_its_own() -> None:
    class Texts(HTMLParser):
        def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
            shown = [value or "" for key, value in attributes if key in ("aria-label", "placeholder", "title", "alt")]
            assert {re.sub(r"\{.*?\}", "", value) for value in shown} <= {"", "voxmatrix"}

        def handle_data(self, data: str) -> None:
            assert re.sub(r"\{.*?\}", "", data).strip() in ("", "voxmatrix")

    Texts().feed(INDEX)


def test_the_page_is_sent_with_its_words() -> None:
    sent = read_page().files["index.html"].content.decode()
    (data,) = re.findall(r'<script type="application/json" id="words">(.*)</script>', sent)
    assert json.loads(data) == WORDS
    assert f">{WORDS['tab.voices']}</button>" in sent
    assert not re.search(r"\{[a-z.]*\}", sent.replace(data, ""))


def test_plural_forms_are_complete() -> None:
    """`other` is the form that every language has."""
    for key, words in WORDS.items():
        if isinstance(words, dict):
            assert words.keys() == {"one", "other"}, key
            assert "{count}" in words["other"], key


@pytest.mark.parametrize("language", sorted(CATALOGUES))
def test_a_catalogue_says_everything_and_names_the_same_values(language: str) -> None:
    words = CATALOGUES[language]
    assert words["language"] == language
    assert words.keys() == WORDS.keys()
    for key, english in WORDS.items():
        assert type(words[key]) is type(english), key
        assert _values(words[key]) == _values(english), key


def _values(words: str | dict[str, str]) -> set[str]:
    """What is filled in."""
    return set(re.findall(r"\{\w+\}", words if isinstance(words, str) else words["other"]))


@pytest.fixture
def translated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    """A page with the catalogue of one more language."""
    shutil.copytree(STATIC, tmp_path / "static")
    swedish = {**WORDS, "language": "sv", "locale": "sv-SE", "tab.voices": "Röster"}
    (tmp_path / "static" / "words" / "sv.json").write_text(json.dumps(swedish), encoding="utf-8")
    monkeypatch.setattr(files, "files", lambda _package: tmp_path)
    services: Any = SimpleNamespace(settings=SimpleNamespace(root_path=""))
    app = FastAPI()
    app.include_router(page_routes(services))
    return TestClient(app)


@pytest.mark.parametrize(
    ("wanted", "language"),
    [
        ("sv", "sv"),
        ("sv-SE,sv;q=0.9,en-US;q=0.8", "sv"),
        ("da, SV-se;q=0.5, en;q=0.4", "sv"),
        ("en-GB, sv;q=0.9", "en"),
        ("sv;q=0.3, en;q=0.7", "en"),
        ("sv;q=0", "en"),
        ("de", "en"),
        ("*", "en"),
        ("sv;q=high, ;;,", "en"),
        ("", "en"),
    ],
)
def test_the_page_is_in_the_language_that_a_browser_wants(translated: TestClient, wanted: str, language: str) -> None:
    answer = translated.get("/", headers={"Accept-Language": wanted})
    assert f'<html lang="{language}">' in answer.text
    assert f">{'Röster' if language == 'sv' else WORDS['tab.voices']}</button>" in answer.text
    assert "Accept-Language" in answer.headers["vary"]
