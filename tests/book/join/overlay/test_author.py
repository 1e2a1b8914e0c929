import io
import re
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.book.epubs import PIXEL, epub
from tests.book.join.books import finished
from tests.book.join.overlay.authors import (
    HTML,
    METADATA,
    OPF,
    SMIL,
    authors_epub,
    old_epub,
    read_along,
    spans,
    spoken_book,
    tree,
)
from tests.book.join.overlay.test_write import epubcheck
from voxmatrix.book.join.overlay.write import write_overlay
from voxmatrix.book.join.tags import one_line
from voxmatrix.book.read import EpubSource, read_book


def content(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_files_of_the_author_are_kept(tmp_path: Path) -> None:
    data = authors_epub()
    out, findings = read_along(tmp_path, data)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        before = {name: archive.read(name) for name in archive.namelist()}
    after = content(out)
    changed = {name for name in before if after.get(name) != before[name]}
    assert findings == []
    assert changed == {"META-INF/container.xml", "OEBPS/book.opf", "OEBPS/one.xhtml", "OEBPS/two.xhtml"}
    assert {name for name in after if name not in before} == {
        f"OEBPS/read-along/{name}" for name in ("00001.smil", "00002.smil", "c00001.mp3", "c00002.mp3", "style.css")
    }
    one = tree(out, "OEBPS/one.xhtml")
    assert [link.get("href") for link in one.iter(f"{HTML}link")] == ["s.css", "read-along/style.css"]
    assert [link.get("href") for link in one.iter(f"{HTML}a")] == ["two.xhtml#n1", "two.xhtml#there"]
    assert one.find(f".//{HTML}h1[@id='top']") is not None


def test_each_sentence_has_its_text_and_its_sound(tmp_path: Path) -> None:
    out, _ = read_along(tmp_path, authors_epub())
    assert spans(tree(out, "OEBPS/one.xhtml")) == {
        "sentence-1-1": "CHAPTER IThe Storm",
        "sentence-1-2": "It was a dark and stormy night; the rain fell.",
        "sentence-1-3": "It",
        "sentence-1-3-2": "stopped.",
        "sentence-1-4": "Then,",
        "sentence-1-4-2": "it went on.",
        "sentence-1-5": "“Is a+b a sum?” she asked.",
        "sentence-1-6": "He said: No. Not at all.",
        "sentence-1-7": "The moon came up,",
        "sentence-1-7-2": "the moon went down.",
    }
    assert list(spans(tree(out, "OEBPS/two.xhtml")).values()) == [
        "CHAPTER II",
        "Back to the first chapter.",
        "The end.",
    ]
    overlay = tree(out, "OEBPS/read-along/00001.smil")
    assert [text.get("src") for text in overlay.iter(f"{SMIL}text")] == [
        f"../one.xhtml#{anchor}" for anchor in spans(tree(out, "OEBPS/one.xhtml"))
    ]
    clips = [(sound.get("clipBegin"), sound.get("clipEnd")) for sound in overlay.iter(f"{SMIL}audio")]
    assert [end for _, end in clips[:-1]] == [begin for begin, _ in clips[1:]]


def test_what_is_not_spoken_has_no_mark(tmp_path: Path) -> None:
    out, findings = read_along(tmp_path, authors_epub(), without=(1,))
    assert (spans(tree(out, "OEBPS/one.xhtml")), findings) == ({}, [])
    package = tree(out, "OEBPS/book.opf")
    assert [item.get("href") for item in package.iter(f"{OPF}item") if item.get("media-overlay")] == ["two.xhtml"]


def test_sentences_that_are_not_in_the_pages_are_played_and_counted(tmp_path: Path) -> None:
    (source := tmp_path / "book.epub").write_bytes(epub({"a.xhtml": "<p>One. Two. Three.</p>"}, metadata=METADATA))
    units = spoken_book(tmp_path, read_book(source))
    units[1] = replace(units[1], text="Quite another text.")
    speech = finished(read_book(source), units)
    findings = write_overlay(speech, tmp_path / "out.epub", source=EpubSource(source))
    assert [finding.problem.split(" were ")[0] for finding in findings] == ["1 sentence of 3"]
    overlay = tree(tmp_path / "out.epub", "OEBPS/read-along/00001.smil")
    assert [(text.get("src") or "").partition("#")[2] for text in overlay.iter(f"{SMIL}text")] == [
        "sentence-1-1",
        "sentence-1-1",
        "sentence-1-3",
    ]


def test_a_book_without_its_text_has_pages_of_our_own(tmp_path: Path) -> None:
    (source := tmp_path / "book.epub").write_bytes(epub({"a.xhtml": "<p>One.</p>"}, metadata=METADATA))
    units = [replace(unit, text="Quite another text.") for unit in spoken_book(tmp_path, read_book(source))]
    findings = write_overlay(finished(read_book(source), units), tmp_path / "out.epub", source=EpubSource(source))
    assert ["no sentence was found" in finding.problem for finding in findings] == [True]
    assert "EPUB/c00001.xhtml" in content(tmp_path / "out.epub")


@pytest.mark.parametrize("who", ["Anna", 'A "<b>" & \x01\ud83d'])
def test_who_speaks_is_shown_before_their_first_sentence(tmp_path: Path, who: str) -> None:
    """The text stays the author's; a sentence of several elements is named in the first."""
    plain, _ = read_along(tmp_path / "plain", authors_epub())
    out, _ = read_along(tmp_path, authors_epub(), who=["", "", who, who, "", "somebody"])
    one = tree(out, "OEBPS/one.xhtml")
    named = {span.get("id"): span.get("data-speaker") for span in one.iter() if span.get("data-speaker")}
    assert list(named) == ["sentence-1-3"] and one_line(who) in named.values()
    assert spans(one) == spans(tree(plain, "OEBPS/one.xhtml"))
    assert b"attr(data-speaker)" in content(out)["OEBPS/read-along/style.css"]


def test_a_book_is_read_along_once_more(tmp_path: Path) -> None:
    first, _ = read_along(tmp_path / "first", authors_epub())
    second, findings = read_along(tmp_path / "second", first.read_bytes())
    files = content(second)
    assert findings == []
    assert [name for name in files if name.endswith((".smil", ".mp3"))] == [
        f"OEBPS/read-along_/{name}" for name in ("00001.smil", "00002.smil", "c00001.mp3", "c00002.mp3")
    ]
    assert files["OEBPS/book.opf"].count(b"media:active-class") == 1
    assert len(re.findall(rb'id="sentence_-', files["OEBPS/one.xhtml"])) == 10


def test_names_that_lead_out_of_the_folder_are_left_out(tmp_path: Path) -> None:
    more = {"../evil.txt": "x", "/evil.txt": "x", "C:/evil.txt": "x", "OEBPS/../../evil.txt": "x", "OEBPS/p.png": PIXEL}
    out, findings = read_along(tmp_path, epub({"a.xhtml": "<p>A text.</p>"}, metadata=METADATA, more=more))
    names = content(out)
    assert "OEBPS/p.png" in names
    assert not [name for name in names if "evil" in name]
    assert len(findings) == 4
    assert all("could be written outside" in finding.problem for finding in findings)


def test_a_zip_bomb_among_the_pictures_is_not_copied(tmp_path: Path) -> None:
    data = epub({"a.xhtml": "<p>A text.</p>"}, metadata=METADATA, more={"OEBPS/p.png": bytes(200 * 2**20)})
    out, findings = read_along(tmp_path, data)
    assert ["plain pages of its own" in finding.problem for finding in findings] == [True]
    assert "possible ZIP bomb" in findings[0].problem
    assert [name for name in content(out) if name.startswith("OEBPS")] == []
    assert not list(tmp_path.glob(".*"))


def test_entities_are_not_expanded(tmp_path: Path) -> None:
    declared = '<!DOCTYPE html [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
    html = '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>A &b; text &f;.</p></body></html>'
    whole = f'<?xml version="1.0"?>{declared}{html}'
    out, _ = read_along(tmp_path, epub({"a.xhtml": whole}, metadata=METADATA))
    text = content(out)["OEBPS/a.xhtml"].decode()
    assert "ENTITY" not in text and "root:" not in text and "aaaaaaaa" not in text


@pytest.mark.parametrize("made", [authors_epub, old_epub])
def test_two_runs_give_the_same_bytes(tmp_path: Path, made: Any) -> None:
    runs = [read_along(tmp_path / name, made())[0].read_bytes() for name in ("a", "b")]
    assert runs[0] == runs[1]
    first = zipfile.ZipFile(io.BytesIO(runs[0])).infolist()[0]
    assert (first.filename, first.compress_type, first.extra) == ("mimetype", zipfile.ZIP_STORED, b"")


@pytest.mark.epubcheck
@pytest.mark.parametrize("made", [authors_epub, old_epub])
def test_epubcheck_finds_nothing(tmp_path: Path, made: Any) -> None:
    out, findings = read_along(tmp_path, made())
    assert (epubcheck(out), findings) == ([], [])
