"""EPUB files that cannot be read: each ends with an error that says why and what to do."""

import io
import os
import stat
import struct
import zipfile

import pytest

from tests.book.epubs import CONTAINER, archive, epub, package, page
from voxmatrix.book.read import epub_archive as limits
from voxmatrix.book.read import read_book
from voxmatrix.book.read.epub_archive import is_inner
from voxmatrix.errors import BadInputError

_PAGE = page("<p>Text.</p>")
_BOOK = {"META-INF/container.xml": CONTAINER, "OEBPS/book.opf": package(["a.xhtml"], has_nav=False)}
_ENCRYPTED = (
    '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:enc="http://www.w3.org/2001/04/xmlenc#">'
    '<enc:EncryptedData><enc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/></enc:EncryptedData>'
    "</encryption>"
)


def _with_password() -> bytes:
    """The flag of an encrypted file in both headers of the last file."""
    data = bytearray(archive({**_BOOK, "OEBPS/a.xhtml": _PAGE}))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = data.rindex(mark)
        data[place + offset] |= 1
    return bytes(data)


def _bomb(size: int) -> bytes:
    return archive({**_BOOK, "OEBPS/a.xhtml": b"<html><body><p>" + b"a" * size + b"</p></body></html>"})


def _lying_size() -> bytes:
    """A file that says it has 100 bytes."""
    data = bytearray(_bomb(40 * limits.MIB))
    for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<I", data, data.rindex(mark) + offset, 100)
    return bytes(data)


def _random_text(size: int) -> bytes:
    return b"<html><body>" + b"".join(b"<p>%s</p>" % os.urandom(500).hex().encode() for _ in range(size // 1007))


def _many_large() -> bytes:
    """Texts that are compressed to a twentieth."""
    names = [f"{number}.xhtml" for number in range(4)]
    words = "words " * 50
    text = "".join(f"<p>{os.urandom(8).hex()} {words}</p>" for _ in range(10 * limits.MIB // 324))
    return epub(dict.fromkeys(names, text))


def test_a_large_archive_may_have_much_text(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MAX_TOTAL_BYTES", 1000)
    path = tmp_path / "book.epub"
    path.write_bytes(epub({"a.xhtml": _random_text(20_000)}))
    assert len(read_book(path).chapters[0].paragraphs) == 19


def _overlapping() -> bytes:
    """One file under 2000 names, as in the most compact of ZIP bombs."""
    data = io.BytesIO()
    content = _random_text(limits.MIB // 2)
    names = [f"{number}.xhtml" for number in range(2000)]
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("META-INF/container.xml", CONTAINER)
        file.writestr("OEBPS/book.opf", package(names, has_nav=False))
        file.writestr("OEBPS/x", content)
        one = file.getinfo("OEBPS/x")
        for name in names:
            info = zipfile.ZipInfo(f"OEBPS/{name}")
            for field in ("compress_type", "CRC", "compress_size", "file_size", "header_offset"):
                setattr(info, field, getattr(one, field))
            file.filelist.append(info)
            file.NameToInfo[info.filename] = info
    return data.getvalue()


def _other_compression() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_LZMA) as file:
        for name, content in {**_BOOK, "OEBPS/a.xhtml": _PAGE}.items():
            file.writestr(name, content)
    return data.getvalue()


def _link() -> bytes:
    data = io.BytesIO(archive(_BOOK))
    with zipfile.ZipFile(data, "a") as file:
        info = zipfile.ZipInfo("OEBPS/a.xhtml")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        file.writestr(info, "/etc/passwd")
    return data.getvalue()


_ERRORS = {
    "empty": (lambda: b"", "not an EPUB"),
    "not-a-zip": (lambda: b"just text", "not an EPUB"),
    "truncated": (lambda: epub({"a.xhtml": _PAGE})[:-200], "not an EPUB"),
    "zip-without-a-book": (lambda: archive({"readme.txt": "x"}), "no package document"),
    "package-is-no-xml": (lambda: archive({"book.opf": b"\x00\xff\x00"}), "damaged: book.opf"),
    "no-documents": (lambda: epub({}), "no text"),
    "pictures-only": (lambda: epub({"a.xhtml": '<img src="a.png"/>'}), "no text"),
    "damaged-file": (lambda: epub({"a.xhtml": _PAGE * 20}).replace(b"OEBPS/a.xhtml", b"OEBPS/a.xhtmX", 1), "damaged"),
    "drm-encrypted": (lambda: epub({"a.xhtml": _PAGE}, more={"META-INF/encryption.xml": _ENCRYPTED}), "DRM"),
    "drm-broken-xml": (lambda: epub({"a.xhtml": _PAGE}, more={"META-INF/encryption.xml": _ENCRYPTED[:-30]}), "DRM"),
    "drm-adobe": (lambda: epub({"a.xhtml": _PAGE}, more={"META-INF/rights.xml": "<rights/>"}), "DRM (Adobe)"),
    "drm-lcp": (lambda: epub({"a.xhtml": _PAGE}, more={"META-INF/license.lcpl": "{}"}), "Readium LCP"),
    "password": (_with_password, "password"),
    "symbolic-link": (_link, "no text"),
    "lzma": (_other_compression, "compress"),
    "bomb-by-ratio": (lambda: _bomb(8 * limits.MIB), "less than 1/100"),
    "bomb-by-size": (lambda: epub({"a.xhtml": _random_text(40 * limits.MIB)}), "more than 12 MiB"),
    "bomb-by-total": (_many_large, "more than 32 MiB"),
    "bomb-of-overlapping-files": (_overlapping, "damaged"),
    "lying-size": (_lying_size, "book.epub"),
    "too-many-tags": (
        lambda: epub({"a.xhtml": page("".join(f"<i>{number * 7919 % 1_000_003}" for number in range(410_000)))}),
        "tags",
    ),
    "too-deep": (lambda: epub({"a.xhtml": page("<div>" * 5000 + "deep")}), "nested"),
    "too-long": (
        lambda: epub({"a.xhtml": page("<p>" + "word " * 100 + "</p>" + os.urandom(6_000_000).hex())}),
        "too long",
    ),
}


@pytest.mark.parametrize("name", _ERRORS)
def test_an_epub_that_cannot_be_read_says_why(name, tmp_path):
    build, words = _ERRORS[name]
    path = tmp_path / "book.epub"
    path.write_bytes(build())
    with pytest.raises(BadInputError) as caught:
        read_book(path)
    assert words in caught.value.problem
    assert caught.value.remedy


def test_too_many_files_are_refused(tmp_path):
    path = tmp_path / "book.epub"
    with zipfile.ZipFile(path, "w") as file:
        for number in range(limits.MAX_MEMBERS + 1):
            file.writestr(f"{number}", "")
    with pytest.raises(BadInputError, match=r"50,001 files"):
        read_book(path)


def test_a_huge_list_of_files_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "book.epub"
    with zipfile.ZipFile(path, "w") as file:
        for number in range(150):
            info = zipfile.ZipInfo(f"{number}")
            info.comment = b"x" * 65_000
            file.writestr(info, "")
    with pytest.raises(BadInputError, match="list of files"):
        read_book(path)


@pytest.mark.parametrize("name", ["gone.epub", "gone.txt", "gone.mobi", "folder.epub"])
def test_a_file_that_is_missing_or_a_folder(name, tmp_path):
    (tmp_path / "folder.epub").mkdir()
    with pytest.raises(BadInputError, match="cannot read"):
        read_book(tmp_path / name)


@pytest.mark.filterwarnings("ignore:Duplicate name:UserWarning")
def test_of_files_with_one_name_the_last_is_read_and_that_is_said(tmp_path):
    path = tmp_path / "book.epub"
    data = io.BytesIO(epub({"a.xhtml": "<p>Old.</p>"}))
    with zipfile.ZipFile(data, "a") as file:
        file.writestr("OEBPS/a.xhtml", page("<p>New.</p>"))
    path.write_bytes(data.getvalue())
    book = read_book(path)
    assert [chapter.paragraphs for chapter in book.chapters] == [("New.",)]
    assert ["2 files" in finding.problem for finding in book.findings] == [True]


@pytest.mark.parametrize("name", ["OEBPS/Why?.xhtml", "OEBPS/ch:1.xhtml", 'a "b" <c>|*.xhtml'])
def test_a_name_that_windows_does_not_know_is_a_name(name: str) -> None:
    assert is_inner(name)


@pytest.mark.parametrize("name", ["/etc/x", "../x", "a/../../x", "C:/x", "c:x", "a\\..\\x", "a//x", "a/./x", "a\nb"])
def test_a_name_that_leads_out_of_the_archive_is_refused(name: str) -> None:
    assert not is_inner(name)
