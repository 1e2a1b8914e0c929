"""The files of the page, read and compressed once.

Their addresses hold a hash of all of them: a browser keeps them, and asks for none again before they change. It is told
at once of all modules that it will need: to follow a chain of imports costs a trip for each.
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
from posixpath import dirname, join, normpath, relpath
from typing import Any

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
_IMPORT = re.compile(r'^import (?:.* from )?"(\..*)";$', re.MULTILINE)
_LATER = re.compile(r'\bimport\("(\..*?)"\)')
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
    for name in _LATER.findall(found[_MAIN].content.decode()):
        entry = _resolved(_MAIN, name)
        found[entry] = _naming_all_imports(entry, found)
    version = sha256("".join(name + found[name].digest for name in sorted(found)).encode()).hexdigest()[:16]
    linked = _linked(index.content.decode(), _imports(_MAIN, found), version)
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


def _linked(index: str, modules: Iterable[str], version: str) -> str:
    """The index with the joined styles, the modules that its script will import, and the addresses of this version."""
    links = [f'rel="stylesheet" href="page/{_STYLES}"']
    links += [f'rel="modulepreload" href="page/{name}"' for name in modules]
    head = "".join(f"  <link {link}>\n" for link in links)
    text = _STYLE.sub("", index).replace("</head>", head + "</head>", 1)
    return text.replace('="page/', f'="page/{version}/')


def _naming_all_imports(module: str, found: dict[str, PageFile]) -> PageFile:
    """A module that also imports, at its end, what its imports import."""
    known = set(_imports(_MAIN, found))
    folder = dirname(module)
    added = "".join(f'import "./{relpath(name, folder)}";\n' for name in _imports(module, found) if name not in known)
    return replace(found[module], content=found[module].content + added.encode())


def _imports(module: str, found: dict[str, PageFile]) -> list[str]:
    """The modules that a module imports, and those that they import, the nearest first."""
    reached = [module]
    for name in reached:  # grows
        for imported in _IMPORT.findall(found[name].content.decode()):
            if (other := _resolved(name, imported)) not in reached:
                reached.append(other)
    return reached[1:]


def _resolved(module: str, imported: str) -> str:
    return normpath(join(dirname(module), imported))
