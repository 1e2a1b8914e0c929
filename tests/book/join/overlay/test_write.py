import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.book.join.books import book, finished, image, speech
from tests.book.join.test_tags import HOSTILE
from voxmatrix.book.content import Book, Chapter, Cover
from voxmatrix.book.join.finished import FinishedSpeech, JoinSettings
from voxmatrix.book.join.overlay.write import write_overlay
from voxmatrix.book.join.timeline import Spoken
from voxmatrix.errors import UsageError

OPF = "{http://www.idpf.org/2007/opf}"
HTML = "{http://www.w3.org/1999/xhtml}"
SMIL = "{http://www.w3.org/ns/SMIL}"


@pytest.fixture
def ready(tmp_path: Path) -> FinishedSpeech:
    cover = Cover("image/jpeg", image("PNG"))
    titles = [*HOSTILE, "Picture", "Last <&> \" '"]
    units = speech(tmp_path / "units", [*([1] * len(HOSTILE)), 0, 4])
    units[0] = Spoken(**{**vars(units[0]), "text": "<script>alert('&')</script> ]]> \x00\x0b\ud83d ö"})
    return finished(book(titles, cover, title='A <Book> & "more"'), units)


def seconds(clock: str) -> float:
    hours, minutes, rest = clock.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(rest)


@pytest.mark.parametrize("extension", ["mp3", "m4a"])
def test_every_sentence_has_its_clip(tmp_path: Path, ready: FinishedSpeech, extension: str) -> None:
    write_overlay(ready, tmp_path / "book.epub", extension=extension)
    with zipfile.ZipFile(tmp_path / "book.epub") as archive:
        assert archive.testzip() is None
        first = archive.infolist()[0]
        assert (first.filename, first.compress_type, first.extra) == ("mimetype", zipfile.ZIP_STORED, b"")
        assert archive.read("mimetype") == b"application/epub+zip"
        texts = [name for name in archive.namelist() if name.endswith((".xhtml", ".smil", ".opf", ".xml"))]
        trees = {name.removeprefix("EPUB/"): ElementTree.fromstring(archive.read(name)) for name in texts}
        package = trees["package.opf"]
        items = {item.get("id"): item for item in package.iter(f"{OPF}item")}
        named = {f"EPUB/{item.get('href')}" for item in items.values()}
        assert named | {"mimetype", "META-INF/container.xml", "EPUB/package.opf"} == set(archive.namelist())
    durations = {
        meta.get("refines"): meta.text or "" for meta in package.iter(f"{OPF}meta") if "duration" in str(meta.attrib)
    }
    total = 0.0
    for chapter in ready.line.chapters:
        name = f"c{chapter.chapter.index:05}"
        page = trees[f"{name}.xhtml"]
        spans = [span.get("id") for span in page.iter(f"{HTML}span")]
        assert len(spans) == len(chapter.sentences)
        overlay = items[name].get("media-overlay")
        assert (overlay is None) == (not spans)
        if overlay is None:
            continue
        smil = trees[items[overlay].get("href") or ""]
        clips = list(smil.iter(f"{SMIL}audio"))
        assert [text.get("src") for text in smil.iter(f"{SMIL}text")] == [f"{name}.xhtml#{span}" for span in spans]
        assert {clip.get("src") for clip in clips} == {f"{name}.{extension}"}
        times = [(seconds(clip.get("clipBegin") or ""), seconds(clip.get("clipEnd") or "")) for clip in clips]
        assert times[0][0] == 0 and all(begin < end for begin, end in times)
        assert [end for _, end in times[:-1]] == [begin for begin, _ in times[1:]]
        assert seconds(durations[f"#{overlay}"]) == times[-1][1]
        total += times[-1][1]
    assert seconds(durations[None]) == pytest.approx(total, abs=0.05)


def test_the_text_is_what_is_spoken(tmp_path: Path, ready: FinishedSpeech) -> None:
    write_overlay(ready, tmp_path / "book.epub")
    with zipfile.ZipFile(tmp_path / "book.epub") as archive:
        first = ElementTree.fromstring(archive.read("EPUB/c00001.xhtml"))
        last = ElementTree.fromstring(archive.read(f"EPUB/c{len(ready.line.chapters):05}.xhtml"))
        nav = archive.read("EPUB/nav.xhtml").decode()
    assert "".join(first.iter(f"{HTML}span").__next__().itertext()) == "<script>alert('&')</script> ]]> ��� ö"
    assert [len(list(paragraph)) for paragraph in last.iter(f"{HTML}p")] == [3, 1]
    assert len(re.findall("<li>", nav)) == len(ready.line.chapters) and "Last &lt;&amp;&gt;" in nav


def test_two_runs_give_the_same_bytes(tmp_path: Path, ready: FinishedSpeech) -> None:
    for name in ("a", "b"):
        write_overlay(ready, tmp_path / name / "book.epub")
    assert tmp_path.joinpath("a/book.epub").read_bytes() == tmp_path.joinpath("b/book.epub").read_bytes()
    assert not list(tmp_path.joinpath("a").glob(".*"))


def test_readers_need_not_know_other_sound(tmp_path: Path, ready: FinishedSpeech) -> None:
    with pytest.raises(UsageError, match="unknown extension"):
        write_overlay(ready, tmp_path / "book.epub", extension="flac")


def test_who_speaks_is_shown_where_asked(tmp_path: Path) -> None:
    units = speech(tmp_path / "units", [4])
    names = ["", 'Anna <&> "Bo"', 'Anna <&> "Bo"', "somebody"]
    said = [Spoken(**{**vars(one), "who": who}) for one, who in zip(units, names, strict=True)]
    found = []
    for asked in (True, False):
        out = tmp_path / f"{asked}.epub"
        write_overlay(finished(book(["One"]), said, JoinSettings(overlay_speakers=asked)), out)
        with zipfile.ZipFile(out) as archive:
            page = ElementTree.fromstring(archive.read("EPUB/c00001.xhtml"))
        found.append([span.get("data-speaker") for span in page.iter(f"{HTML}span")])
    assert found == [[None, names[1], None, None], [None] * 4]


@pytest.mark.epubcheck
@pytest.mark.parametrize("bare", [False, True])
def test_epubcheck_finds_nothing(tmp_path: Path, ready: FinishedSpeech, bare: bool) -> None:
    if bare:
        content = Book("", (), "not a tag!", None, (Chapter(3, "", ()),))
        ready = finished(content, [Spoken(**{**vars(one), "chapter": 3}) for one in speech(tmp_path / "units", [2])])
    out = tmp_path / "book.epub"
    write_overlay(ready, out)
    assert epubcheck(out) == []


def epubcheck(path: Path) -> list[str]:
    """What epubcheck says against a file."""
    program = shutil.which("epubcheck") or ""
    # Debian installs a bare .jar. To compile the hot code is not worth it for one small book.
    java = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-jar", program]
    command = java if zipfile.is_zipfile(program) else [program]
    done = subprocess.run([*command, str(path)], capture_output=True, text=True, check=False)
    found = re.findall(r"^(?:ERROR|WARNING|FATAL).*", done.stdout + done.stderr, re.M)
    return found if done.returncode == 0 or found else [f"exit code {done.returncode}"]
