"""The files of the page, read and compressed once.

Their addresses hold a hash of all of them: a browser keeps them, and asks for none again before they change. The first
tab is one style and one script (modules.py), and every other tab names at once all modules that it needs.
"""

import gzip
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from voxmatrix.serve.page import modules

_TYPES = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
INDEX = "index.html"
#: Where all files but the index are.
FOLDER = "/page/"
#: The module that the index starts.
_MAIN = "js/main.js"
_STYLES = "style.css"
#: In the index, where the languages are to choose from.
_LANGUAGES = "{languages}"
_STYLE = re.compile(r' *<link rel="stylesheet" href="page/(.*)">\n')
_WORD = re.compile(r"\{([a-z_.]+)\}")
#: A comment that is all there is on its lines: a tenth of what would be sent.
_COMMENT = re.compile(r"^ *(?://[^\n]*|/\*\*(?:(?!\*/).)*\*/)\n", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class PageFile:
    """A file of the page."""

    content: bytes
    media_type: str

    @cached_property
    def compressed(self) -> bytes:
        """The content, by gzip."""
        return gzip.compress(self.content, mtime=0)

    @cached_property
    def digest(self) -> str:
        """A hash of the content."""
        return sha256(self.content).hexdigest()[:32]


@dataclass(frozen=True, kw_only=True)
class Page:
    """The files of the page by name, e.g. js/main.js, and the name of the folder that they are in for browsers."""

    files: dict[str, PageFile]
    translations: dict[str, PageFile]  # of the index, by language
    version: str


def read_page() -> Page:
    """The page, as browsers get it."""
    folder = files("voxmatrix.serve.page") / "static"
    found = dict(_found(folder, ""))
    index = found.pop(INDEX)
    found[_STYLES] = _joined(found.pop(name) for name in _STYLE.findall(index.content.decode()))
    found |= _scripts({name: found.pop(name).content.decode() for name in list(found) if name.endswith(".js")})
    version = sha256("".join(name + found[name].digest for name in sorted(found)).encode()).hexdigest()[:16]
    linked = _linked(index.content.decode(), version)
    catalogues = [json.loads(entry.read_text(encoding="utf-8")) for entry in (folder / "words").iterdir()]
    english = next(words for words in catalogues if words["language"] == "en")
    linked = linked.replace(_LANGUAGES, _options(catalogues))
    # English where a translation is still to come: the tests let none be missing.
    indexes = {
        words["language"]: replace(index, content=_worded(linked, english | words).encode()) for words in catalogues
    }
    found[INDEX] = indexes.pop("en")
    for file in (*found.values(), *indexes.values()):
        _ = file.compressed  # now, and not while somebody waits
    return Page(files=found, translations=indexes, version=version)


def _found(folder: Traversable, prefix: str) -> Iterator[tuple[str, PageFile]]:
    for entry in folder.iterdir():
        name = prefix + entry.name
        ending = entry.name.rpartition(".")[2]
        if entry.is_dir():
            yield from _found(entry, f"{name}/")
        elif ending in _TYPES:
            content = entry.read_bytes()
            if ending == "js":
                content = _COMMENT.sub("", content.decode()).encode()
            yield name, PageFile(content=content, media_type=_TYPES[ending])


def _joined(styles: Iterable[PageFile]) -> PageFile:
    """One style of several: each would cost a trip."""
    return PageFile(content=b"".join(style.content for style in styles), media_type=_TYPES["css"])


def _options(catalogues: Iterable[dict[str, Any]]) -> str:
    """The languages to choose from, each by its own name."""
    named = sorted((words["language.name"], words["language"]) for words in catalogues)
    return "".join(f'<option value="{code}" lang="{code}">{escape(name)}</option>' for name, code in named)


def _worded(index: str, words: dict[str, Any]) -> str:
    """The index with the words of a language: its own in their places, and all of them for the modules (js/i18n.js)."""
    text = _WORD.sub(lambda found: escape(words[found[1]]), index)
    data = json.dumps(words, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return text.replace("</body>", f'<script type="application/json" id="words">{data}</script>\n</body>', 1)


def _linked(index: str, version: str) -> str:
    """The index with the joined styles, and the addresses of this version."""
    text = _STYLE.sub("", index).replace("</head>", f'  <link rel="stylesheet" href="page/{_STYLES}">\n</head>', 1)
    return text.replace('="page/', f'="page/{version}/')


def _scripts(sources: dict[str, str]) -> dict[str, PageFile]:
    """The modules as they are sent. What main.js imports is in it."""
    for entry in modules.loaded_later(_MAIN, sources):
        sources[entry] = modules.naming_all_imports(entry, sources, _MAIN)
    sent = modules.joined(_MAIN, sources)
    return {name: PageFile(content=text.encode(), media_type=_TYPES["js"]) for name, text in sent.items()}
