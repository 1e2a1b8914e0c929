"""Formats that Calibre converts. A stand-in for its program shows what is done with what it answers."""

import os
import sys
import time
import zipfile
from pathlib import Path

import pytest

from tests.book.epubs import epub
from voxmatrix.book.read import calibre, read_book
from voxmatrix.errors import BadInputError, MissingProgramError
from voxmatrix.files import read_text_or_empty
from voxmatrix.landlock import landlock_version

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for ebook-convert is a script")


@pytest.fixture
def ebook_convert(tmp_path, monkeypatch):
    """Install a program of this name that does what the given script does."""

    def install(script):
        program = tmp_path / "bin" / "ebook-convert"
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")

    return install


@pytest.fixture
def novel(tmp_path):
    path = tmp_path / "-my novel.mobi"
    path.write_bytes(bytes(60) + b"BOOKMOBI")
    return path


def test_without_calibre_the_error_names_it(novel, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(MissingProgramError) as caught:
        read_book(novel)
    assert "ebook-convert" in caught.value.problem
    assert "calibre" in caught.value.remedy


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("novel.mobi", b"print('a program')\n", "not what its name says"),
        ("novel.docx", b"%PDF-1.7\n", "not what its name says"),
        ("novel.recipe", b"class A:\n    pass\n", "no book of a known format"),
        ("novel", b"PK\x03\x04", "no book of a known format"),
    ],
)
def test_calibre_gets_only_what_begins_as_its_name_says(name, content, words, tmp_path, ebook_convert):
    ebook_convert(f'touch "{tmp_path}/started"')
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadInputError, match=words) as caught:
        read_book(tmp_path / name)
    assert caught.value.exit_code == 3
    assert not (tmp_path / "started").exists()


def test_a_book_is_converted_and_read(novel, ebook_convert, tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "made").write_bytes(epub({"a.xhtml": "<h1>One</h1><p>Text.</p>"}))
    ebook_convert(f'test -f "$1" && cp "{tmp_path}/bin/made" "$2"')
    book = read_book(novel)
    assert [chapter.paragraphs for chapter in book.chapters] == [("One", "Text.")]
    assert book.title == "A Book"


@pytest.mark.parametrize(
    ("text", "language"),
    [(r"\deflang1033\pard{\lang1036 Il pleut.}{\lang1024 x}", "fr-FR"), (r"\deflang1033\pard It rains.", "")],
)
def test_a_language_that_calibre_does_not_know_is_that_of_the_text(text, language, tmp_path, ebook_convert):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "made").write_bytes(epub({"a.xhtml": "<h1>One</h1><p>Text.</p>"}))
    ebook_convert(f'cp "{tmp_path}/bin/made" "$2"')
    (tmp_path / "book.rtf").write_text(rf"{{\rtf1{text}}}")
    assert read_book(tmp_path / "book.rtf").language == language


def test_a_word_document_says_its_language(tmp_path, ebook_convert):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "made").write_bytes(epub({"a.xhtml": "<h1>One</h1><p>Text.</p>"}))
    ebook_convert(f'cp "{tmp_path}/bin/made" "$2"')
    with zipfile.ZipFile(tmp_path / "book.docx", "w") as document:
        document.writestr("word/styles.xml", '<w:docDefaults><w:lang w:val="sv-SE"/></w:docDefaults>')
        document.writestr("word/document.xml", "<w:document><w:t>Hej.</w:t></w:document>")
    assert read_book(tmp_path / "book.docx").language == "sv-SE"


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo This book is locked by DRM; exit 1", "locked by DRM"),
        ("exit 3", "exit code 3"),
        ("true", "cannot convert"),
        ('echo rubbish > "$2"', "not an EPUB"),
    ],
)
def test_a_book_that_cannot_be_converted(script, words, novel, ebook_convert):
    ebook_convert(script)
    with pytest.raises(BadInputError, match=words):
        read_book(novel)


def test_a_program_that_hangs_is_ended_with_its_children(novel, ebook_convert, tmp_path, monkeypatch):
    monkeypatch.setattr(calibre, "TIME_LIMIT_SECONDS", 1)
    seconds = f"600.{os.getpid()}"  # of no other test
    ebook_convert(f"sleep {seconds} & sleep {seconds}")
    with pytest.raises(BadInputError, match="did not finish"):
        read_book(novel)
    deadline = time.monotonic() + 30
    while any(f"sleep\0{seconds}" in read_text_or_empty(path) for path in Path("/proc").glob("[0-9]*/cmdline")):
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.skipif(not landlock_version(), reason="this kernel has no Landlock")
def test_it_reads_no_other_file_and_has_no_secret(novel, ebook_convert, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "a secret")
    (tmp_path / "diary").write_text("of the user")
    ebook_convert(f'cat "{tmp_path}/diary"; echo "token:$HF_TOKEN"; echo > "{tmp_path}/new"; cat "$1"; exit 1')
    with pytest.raises(BadInputError) as caught:
        read_book(novel)
    assert "of the user" not in caught.value.problem
    assert "a secret" not in caught.value.problem
    assert caught.value.problem.endswith("MOBI")
    assert not (tmp_path / "new").exists()
