"""The words of the page are in catalogues, words/LANGUAGE.json, which say the same in every language."""

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

import voxmatrix.serve.page
from voxmatrix.dataset.segment.corrections import REASONS
from voxmatrix.errors import Severity
from voxmatrix.serve.page import files
from voxmatrix.serve.page.files import read_page
from voxmatrix.serve.page.routes import LANGUAGE_COOKIE, page_routes
from voxmatrix.tables.training import amounts
from voxmatrix.transcripts.lines import ProblemKind

STATIC = Path(voxmatrix.serve.page.__file__).with_name("static")
CATALOGUES = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in STATIC.glob("words/*.json")}
WORDS = CATALOGUES["en"]
INDEX = (STATIC / "index.html").read_text(encoding="utf-8")
MODULES = {path.relative_to(STATIC).as_posix(): path.read_text(encoding="utf-8") for path in STATIC.rglob("*.js")}
#: The plural forms of each language, by CLDR; `many` is for millions: "1 000 000 de voces".
PLURALS = {
    "de": {"one", "other"},
    "en": {"one", "other"},
    "es": {"one", "many", "other"},
    "fr": {"one", "many", "other"},
    "sv": {"one", "other"},
}
#: What every language says alike: units, and names that other programs have for their fields.
EVERYWHERE = {
    "time.minutes",
    "time.hours",
    "machine.gpu",
    "machine.torch",
    "voices.webui",
    "voices.api_base_url",
    "voices.api_key",
    "voices.tts_model",
    "voices.sillytavern",
    "voices.endpoint",
}
#: What is the same word as in English.
UNTRANSLATED: dict[str, set[str]] = {
    "en": set(),
    "es": {
        "finding.error",
        "speak.key",
        "voices.host",
    },
    "fr": {
        "train.patience",
        "reason.silence",
        "setting.accumulation",
        "speak.key",
        "page.sections",
        "style.pauses",
        "style.volume",
        "book.kind_notes",
        "book.kind_index",
        "machine.image",
        "record.microphone",
        "record.pause",
        "train.loss_validation",
        "voices.port",
        "tab.machine",
    },
    "de": {
        "tab.jobs",
        "count.cpus",
        "speak.position",
        "jobs.kind_train",
        "machine.image",
        "record.pause",
        "train.title",
        "train.loss_training",
        "train.loss_generator",
        "voices.engines",
        "voices.name",
        "voices.engine",
        "voices.host",
        "voices.port",
        "cast.name",
        "cast.person",
    },
    "sv": {
        "setting.precision",
        "speak.key",
        "machine.capability",
        "machine.processor",
        "machine.image",
        "train.loss_generator",
        "voices.port",
        "cast.male",
        "cast.person",
    },
}
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
_COMMANDS = ("voxmatrix speak ", "curl ", ' -H "Authorization', "voxmatrix serve ", "en-US en-GB ", "${NAME}=")
#: Sentences in many languages, each spoken by voices of that language.
_SPOKEN = "js/voices/samples.js"


def keys_in(text: str) -> set[str]:
    """What a module names like a key, be it where it is used or in a table."""
    areas = "|".join({key.partition(".")[0] for key in WORDS})
    return set(re.findall(rf'"((?:{areas})\.\w+)"', text))


def test_what_the_server_names_has_words() -> None:
    """Its stable names; what has none is shown in the server's own words."""
    assert {key.partition(".")[2] for key in WORDS if key.startswith("kind.")} == {
        kind.replace("-", "_") for kind in get_args(ProblemKind)
    }
    assert {key.partition(".")[2] for key in WORDS if key.startswith("reason.")} == {
        reason.replace("-", "_") for reason in REASONS
    }
    for key in WORDS:
        area, _, name = key.partition(".")
        if area == "fix":
            assert f"kind.{name}" in WORDS
        if area in ("fix", "code"):  # the server's words are English, and say more
            assert WORDS[key] == ""
    assert {row.name: row.expect for row in amounts()} == {
        key.partition(".")[2]: words for key, words in WORDS.items() if key.startswith("expect.")
    }
    assert {f"finding.{severity}" for severity in get_args(Severity)} <= WORDS.keys()


def test_every_key_that_is_used_exists() -> None:
    for name, text in MODULES.items():
        called = re.findall(r'\b(?:t|parts)\("([^"]*)"', text)
        assert keys_in(text).union(called) <= WORDS.keys(), name
    assert set(re.findall(r"\{(.*?)\}", INDEX)) <= WORDS.keys() | {"languages"}


def test_every_key_is_used() -> None:
    areas = {area for text in MODULES.values() for area in re.findall(r'\bknown\("(\w+)"', text)}
    used = {key for key in WORDS if key.partition(".")[0] in areas} | {"locale", "language.name"}
    used = used.union(*map(keys_in, MODULES.values()), re.findall(r"\{(.*?)\}", INDEX))
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


@pytest.mark.parametrize("language", sorted(CATALOGUES))
def test_plural_forms_are_complete(language: str) -> None:
    for key, words in CATALOGUES[language].items():
        if isinstance(words, dict):
            assert words.keys() == PLURALS[language], key
            assert all("{count}" in words[form] for form in PLURALS[language] - {"one"}), key


def test_there_is_a_catalogue_for_every_language() -> None:
    assert CATALOGUES.keys() == PLURALS.keys() == UNTRANSLATED.keys()


@pytest.mark.parametrize("language", sorted(CATALOGUES))
def test_a_catalogue_says_everything_and_names_the_same_values(language: str) -> None:
    words = CATALOGUES[language]
    assert words["language"] == language
    missing = [f"{key}: {english!r}" for key, english in WORDS.items() if key not in words]
    assert not missing, f"translate these in words/{language}.json: {missing}"
    assert not words.keys() - WORDS.keys(), "words/en.json has no such keys"
    assert list(words) == list(WORDS), "in the order of words/en.json, so that they can be read side by side"
    for key, english in WORDS.items():
        assert type(words[key]) is type(english), key
        assert _values(words[key]) == _values(english), key


@pytest.mark.parametrize("language", sorted(CATALOGUES.keys() - {"en"}))
def test_nothing_is_left_in_english(language: str) -> None:
    """But what is the same word there, symbols, and the names that programs have for their fields."""
    words = CATALOGUES[language]
    same = {key for key in WORDS if words[key] == WORDS[key] and re.search(r"[A-Za-z]{3}", _letters(words[key]))}
    assert same - EVERYWHERE == UNTRANSLATED[language]


def _letters(words: str | dict[str, str]) -> str:
    """What a text says besides its values."""
    return re.sub(r"\{\w+\}", "", words if isinstance(words, str) else words["other"])


def test_french_has_no_break_before_its_marks() -> None:
    """A colon alone at the beginning of a line is how a translation by a program looks."""
    for key, words in CATALOGUES["fr"].items():
        for text in words.values() if isinstance(words, dict) else [words]:
            assert not re.search(r"(?<=[\w}]) [:;?!»%]|« |\w'\w|(?<=\w)[;?!»](?!\w)", text), (key, text)


@pytest.mark.parametrize(
    ("language", "foreign"),
    [
        ("de", r"\b(?:[Dd]u|[Dd]ich|[Dd]ir|[Dd]eine?\w*)\b"),
        ("fr", r"\b(?:[Tt]u|[Tt]oi|[Tt]on|[Tt]es)\b"),
        ("es", r"\b(?:[Uu]sted(?:es)?)\b"),
        ("sv", r"\b(?:[Nn]i|[Ee]r|[Ee]rt)\b"),
    ],
)
def test_people_are_addressed_in_one_way(language: str, foreign: str) -> None:
    """Sie in German, vous in French, tú in Spanish, du in Swedish."""
    for key, words in CATALOGUES[language].items():
        assert not re.search(foreign, str(words)), (key, words)


def _values(words: str | dict[str, str]) -> set[str]:
    """What is filled in."""
    return set(re.findall(r"\{\w+\}", words if isinstance(words, str) else words["other"]))


@pytest.fixture(scope="module")
def served() -> TestClient:
    """The page."""
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
        ("da", "en"),
        ("es-MX", "es"),
        ("fr-CA,fr;q=0.9", "fr"),
        ("de-AT", "de"),
        ("*", "en"),
        ("sv;q=high, ;;,", "en"),
        ("", "en"),
    ],
)
def test_the_page_is_in_the_language_that_a_browser_wants(served: TestClient, wanted: str, language: str) -> None:
    answer = served.get("/", headers={"Accept-Language": wanted})
    assert f'<html lang="{language}">' in answer.text
    assert f">{CATALOGUES[language]['tab.voices']}</button>" in answer.text
    assert {"Accept-Language", "Cookie"} <= set(answer.headers["vary"].split(", "))


@pytest.mark.parametrize(("chosen", "language"), [("fr", "fr"), ("en", "en"), ("xx", "sv"), ("", "sv")])
def test_what_somebody_has_chosen_comes_first(served: TestClient, chosen: str, language: str) -> None:
    answer = served.get("/", headers={"Accept-Language": "sv", "Cookie": f"{LANGUAGE_COOKIE}={chosen}"})
    assert f'<html lang="{language}">' in answer.text


@pytest.mark.parametrize("language", sorted(CATALOGUES))
def test_only_the_words_of_one_language_are_sent(served: TestClient, language: str) -> None:
    sent = served.get("/", headers={"Accept-Language": language}).text
    (data,) = re.findall(r'<script type="application/json" id="words">(.*)</script>', sent)
    assert json.loads(data) == CATALOGUES[language]
    assert not re.search(r"\{[a-z.]*\}", sent.replace(data, ""))
    others = [words["page.footer"] for name, words in CATALOGUES.items() if name != language]
    assert not [words for words in others if words in sent]


def test_a_language_is_chosen_by_its_own_name(served: TestClient) -> None:
    options = re.findall(r'<option value="(..)" lang="(..)">(.*?)</option>', served.get("/").text)
    assert {code: name for code, _, name in options} == {
        code: words["language.name"] for code, words in CATALOGUES.items()
    }
    assert all(code == language for code, language, _ in options)


def test_a_new_word_is_english_until_it_is_translated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(STATIC, tmp_path / "static")
    swedish = {key: words for key, words in CATALOGUES["sv"].items() if key != "tab.voices"}
    (tmp_path / "static" / "words" / "sv.json").write_text(json.dumps(swedish), encoding="utf-8")
    monkeypatch.setattr(files, "files", lambda _package: tmp_path)
    assert f">{WORDS['tab.voices']}</button>" in read_page().translations["sv"].content.decode()
