"""`voxmatrix book`: the words, what is printed, and that a killed one goes on."""

import base64
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.book.epubs import PIXEL, epub
from tests.book.generated import generated_book
from voxmatrix.cli import main
from voxmatrix.errors import UnreachableError

pytestmark = pytest.mark.usefixtures("forked_programs")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VOXMATRIX_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("VOXMATRIX_PARALLEL_VOICES", "1")
    monkeypatch.setenv("VOXMATRIX_THREADS", "1")
    Path("book.md").write_text(
        "# The first\n\nIt begins. It goes on.\n\n# The second\n\nIt ends.\n\n# The third\n\nNo more.\n",
        encoding="utf-8",
    )


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[dict[str, Any]]]:
    code = main.run(["book", *words, "--json"])
    return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_book_becomes_an_audiobook_with_progress_in_lines(capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = run(capsys, "book.md", "--out", "B.m4b", "--subtitles")
    assert code == 0
    made = lines[-1]
    progress = [line for line in lines if line.get("progress", {}).get("key") == "speak"]
    assert progress[-1]["progress"]["work"] == "sentences spoken"
    assert progress[-1]["progress"]["done"] == progress[-1]["progress"]["total"] == 7
    assert made["out"] == ["B.m4b", "B.srt", "B.vtt"] and made["sentences"] == made["spoken"] == 7
    manifest = json.loads(Path(made["manifest"]).read_text(encoding="utf-8"))
    assert [chapter["title"] for chapter in manifest["chapters"]] == ["The first", "The second", "The third"]


def test_an_existing_audiobook_is_not_overwritten_unless_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "book.md", "--out", "B.m4b")[0] == 0
    code, (error,) = run(capsys, "book.md", "--out", "B.m4b")
    assert code == 2 and "already exists" in error["problem"] and "--force" in error["remedy"]
    code, lines = run(capsys, "book.md", "--out", "B.m4b", "--force")
    assert code == 0 and (lines[-1]["spoken"], lines[-1]["kept"], lines[-1]["left_out"]) == (0, 7, {})


def test_the_lexicon_of_a_book_is_used_and_the_users_own_is_stronger(capsys: pytest.CaptureFixture[str]) -> None:
    items = '<item id="l" href="a.pls" media-type="application/pls+xml"/>'
    lexicon = "<lexicon><lexeme><grapheme>Anna</grapheme><alias>{}</alias></lexeme></lexicon>"
    documents = {"a.xhtml": "<p>Anna eats. It rains.</p>"}

    def spoken(said: str, *words: str) -> int:
        Path("b.epub").write_bytes(epub(documents, items=items, more={"OEBPS/a.pls": lexicon.format(said)}))
        code, lines = run(capsys, "b.epub", "--out", "B.m4b", "--force", *words)
        assert code == 0, lines
        return int(lines[-1]["spoken"])

    assert spoken("Annika") == 2
    assert spoken("Hannah") == 1
    Path("own.txt").write_text("Anna|Annika\n", encoding="utf-8")
    assert spoken("Hannah", "--lexicon", "own.txt") == 0  # as in the first book


def test_an_audiobook_without_its_certificate_is_finished_by_the_same_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_args: object, **_kwargs: object) -> None:
        raise UnreachableError("cannot write B.manifest.json: No space left on device", "free some space there")

    with monkeypatch.context() as patch:
        patch.setattr("voxmatrix.book.join.audiobook.write_manifest", full)
        assert run(capsys, "book.md", "--out", "B.m4b")[0] == 8
    assert Path("B.m4b").exists()

    code, lines = run(capsys, "book.md", "--out", "B.m4b")

    assert code == 0 and lines[-1]["kept"] == 7 and Path("B.manifest.json").exists()


def test_an_audiobook_of_somebody_else_is_not_overwritten(capsys: pytest.CaptureFixture[str]) -> None:
    Path("B.m4b").write_bytes(b"bought")

    assert run(capsys, "book.md", "--out", "B.m4b")[0] == 2
    assert Path("B.m4b").read_bytes() == b"bought"


def test_selected_chapters_a_preview_and_a_file_per_chapter(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "make", "book.md", "--chapters", "2-3", "--out", "B.mp3")[0] == 0
    assert sorted(path.name for path in Path("B").glob("*.mp3")) == ["02 The second.mp3", "03 The third.mp3"]
    code, lines = run(capsys, "book.md", "--preview", "--out", "P.m4b")
    assert code == 0 and lines[-1]["out"] == ["P.preview.m4b"] and lines[-1]["sentences"] == 7


def test_a_preview_of_a_long_paragraph_lasts_a_minute(capsys: pytest.CaptureFixture[str]) -> None:
    Path("long.txt").write_text("The old harbour was quiet that morning, and no ship came in. " * 60, encoding="utf-8")
    code, lines = run(capsys, "long.txt", "--preview", "--out", "L.m4b")
    assert code == 0 and 40 < lines[-1]["seconds"] < 90


@pytest.mark.parametrize(
    ("words", "problem", "remedy"),
    [
        ((), "'FILE'", "voxmatrix book make --help"),
        (("inspct", "book.md"), "'inspct' is neither a command nor a file", "voxmatrix book inspect?"),
        (("mak", "book.md"), "'mak' is neither a command nor a file", "voxmatrix book make?"),
        (("maker.txt",), "maker.txt: No such file", "path"),
    ],
    ids=str,
)
def test_what_is_missing_or_misspelt_is_named(
    words: tuple[str, ...], problem: str, remedy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["book", *words]) in (2, 3)
    shown = capsys.readouterr()
    assert problem in shown.err and remedy in shown.err and shown.out == ""


def test_a_file_whose_name_is_like_a_command_is_a_book(capsys: pytest.CaptureFixture[str]) -> None:
    Path("inspect.md").write_text("It begins.", encoding="utf-8")
    code, lines = run(capsys, "inspect.md", "--out", "M.m4b")
    assert code == 0 and lines[-1]["sentences"] == 1


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("book.md", "--chapters", "4"), "no chapter 4"),
        (("book.md", "--out", "B.wav"), ".wav"),
        (("missing.epub",), "missing.epub"),
        (("book.md", "--voice", "nobody"), "no voice nobody"),
        (("book.md", "--titles", "missing.json"), "missing.json"),
        (("book.md", "--titles", "book.md"), "not JSON"),
        (("book.md", "--titles", "list.json"), "not a JSON object"),
        (("book.md", "--titles", "word.json"), "'one' is not the number of a chapter"),
        (("book.md", "--titles", "empty.json"), "title of chapter 1"),
        (("book.md", "--titles", "fourth.json"), "title for chapter 4, and the book has 3 chapters"),
        (("book.md", "--paragraph-pause", "-1"), "pause"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_spoken(
    words: tuple[str, ...], problem: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for name, content in (("list", []), ("word", {"one": "x"}), ("empty", {"1": " "}), ("fourth", {"4": "x"})):
        Path(f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    code, (error,) = run(capsys, *words)
    assert code in (2, 3) and problem in error["problem"] and error["remedy"]
    assert not list((tmp_path / "home").rglob("*.wav"))


def test_inspect_shows_what_is_in_a_book(capsys: pytest.CaptureFixture[str]) -> None:
    Path("book.epub").write_bytes(generated_book(characters=3000).data)
    code, (found,) = run(capsys, "inspect", "book.epub")
    assert code == 0
    about = {"series", "series_index", "publisher", "date", "description", "narrator"}
    assert set(found) == {"title", "authors", "language", "cover", "thumbnail", "warnings", "chapters", "kinds"} | about
    assert [part["kind"] for part in found["kinds"] if not part["spoken"]] == ["notes", "pictures"]
    assert base64.b64decode(found["thumbnail"]).startswith(b"\xff\xd8")  # a JPEG
    assert found["authors"] == ["Åsa Öberg", "Ann Author"] and found["cover"] is True
    assert [chapter["index"] for chapter in found["chapters"]] == list(range(1, len(found["chapters"]) + 1))
    assert all(chapter["sentences"] and chapter["seconds"] > 1 for chapter in found["chapters"])
    assert all(200 <= len(chapter["beginning"]) < 400 for chapter in found["chapters"])

    assert main.run(["book", "inspect", "book.epub", "--chapters", "1"]) == 0
    shown = capsys.readouterr().out
    assert "Chapter 1" in shown and "Kapitel 2" not in shown and "of speech" in shown and "this computer" in shown
    assert "left out  notes" in shown and "--include KIND" in shown

    code, (more,) = run(capsys, "inspect", "book.epub", "--include", "notes, pictures", "--exclude", "headings")
    assert code == 0 and [part["kind"] for part in more["kinds"] if not part["spoken"]] == ["headings"]
    notes = [chapter["characters"] for chapter in run(capsys, "inspect", "book.epub", "--notes")[1][0]["chapters"]]
    assert sum(notes) > sum(chapter["characters"] for chapter in found["chapters"])
    code, (error,) = run(capsys, "inspect", "book.epub", "--include", "note")
    assert code == 2 and error["remedy"] == "did you mean notes?"


def test_a_book_does_not_command_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    text = "# The first \x9b2J\x1b]0;title\x07\n\nIt begins \x1b[2J.\n\n> A quotation \x1b[2J.\n"
    Path("book.md").write_text(text, encoding="utf-8")
    assert main.run(["book", "inspect", "book.md"]) == 0
    shown = "".join(capsys.readouterr())
    assert "The first" in shown and not set(shown) & {"\x1b", "\x07", "\x9b"}


def test_inspect_says_how_fast_a_voice_is(capsys: pytest.CaptureFixture[str]) -> None:
    code, (found,) = run(capsys, "inspect", "book.md", "--voice", "en_US-heart-student")
    assert code == 0 and 0 < found["speed"] <= found["speed_if_free"]
    assert found["chapters"][0]["beginning"] == "The first It begins. It goes on."


def test_titles_are_changed_everywhere_and_nothing_is_spoken_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "book.md", "--out", "B.m4b")[0] == 0
    Path("titles.json").write_text('{"2": " The  storm", "3": "Ändå"}', encoding="utf-8")
    words = ("book.md", "--titles", "titles.json", "--out", "B.m4b", "--read-along", "--force")
    code, lines = run(capsys, *words)
    assert code == 0 and lines[-1]["spoken"] == 0
    titles = ["The first", "The storm", "Ändå"]
    certificate = json.loads(Path("B.manifest.json").read_text(encoding="utf-8"))
    assert [chapter["title"] for chapter in certificate["chapters"]] == titles
    probe = ["ffprobe", "-v", "error", "-show_chapters", "-of", "json", "B.m4b"]
    marks = json.loads(subprocess.run(probe, check=True, capture_output=True).stdout)["chapters"]
    assert [mark["tags"]["title"] for mark in marks] == titles
    with zipfile.ZipFile("B.epub") as archive:
        assert "The storm" in next(archive.read(name).decode() for name in archive.namelist() if "nav" in name)
    assert run(capsys, *words[:3], "--out", "C.mp3", "--chapters", "2-3")[0] == 0
    assert sorted(path.name for path in Path("C").glob("*.mp3")) == ["02 The storm.mp3", "03 Ändå.mp3"]
    assert "The storm" in next(Path("C").glob("*.m3u8")).read_text(encoding="utf-8")
    assert main.run(["book", *words[:3], "--out", "C.mp3", "--chapters", "2-3", "--force"]) == 0
    assert "; 2 files in C\n" in capsys.readouterr().out


def test_a_book_in_another_language_than_the_voice_is_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    Path("book.epub").write_bytes(generated_book(characters=300).data)
    assert main.run(["book", "book.epub", "--out", "B.m4b", "--chapters", "1"]) == 0
    said = capsys.readouterr().err
    assert "the book is in the language sv, and the voice en_US-heart-student speaks en-us" in said
    assert "left out: notes (" in said and "--include notes,pictures" in said


def test_tags_come_from_the_book_unless_they_are_given(capsys: pytest.CaptureFixture[str]) -> None:
    metadata = (
        "<dc:title>Hills</dc:title><dc:creator>A. Writer</dc:creator><dc:language>en</dc:language>"
        "<dc:date>1999-05-01</dc:date><dc:publisher>Hill Press</dc:publisher>"
        "<dc:description>&lt;p&gt;A tale.&lt;/p&gt;</dc:description>"
        '<meta property="belongs-to-collection" id="c">Saga</meta><meta refines="#c" property="group-position">2</meta>'
    )
    Path("hills.epub").write_bytes(epub({"a.xhtml": "<h1>One</h1><p>It began.</p>"}, metadata=metadata))
    Path("cover.png").write_bytes(PIXEL)
    assert run(capsys, "hills.epub", "--out", "A.m4b")[0] == 0
    given = ("--title", "Other", "--author", "X; Y", "--narrator", "Me", "--cover", "cover.png", "--series", "S")
    assert run(capsys, "hills.epub", "--out", "B.m4b", *given)[0] == 0

    first, second = _tags("A.m4b"), _tags("B.m4b")
    assert (first["title"], first["artist"], first["date"]) == ("Hills", "A. Writer", "1999")
    assert (first["grouping"], first["copyright"], first["description"]) == ("Saga #2", "1999 Hill Press", "A tale.")
    assert (second["title"], second["artist"], second["composer"]) == ("Other", "X, Y", "Me")
    assert (second["grouping"], second["copyright"]) == ("S #2", "1999 Hill Press")
    assert "video" in _streams("B.m4b") and "video" not in _streams("A.m4b")
    assert run(capsys, "hills.epub", "--out", "C.m4b", "--cover", "hills.epub")[0] == 3


def _probed(name: str) -> dict[str, Any]:
    words = ["ffprobe", "-v", "error", "-show_format", "-show_streams", "-of", "json", name]
    return dict(json.loads(subprocess.run(words, check=True, capture_output=True).stdout))


def _tags(name: str) -> dict[str, str]:
    return dict(_probed(name)["format"]["tags"])


def _streams(name: str) -> list[str]:
    return [stream["codec_type"] for stream in _probed(name)["streams"]]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_book_goes_on_where_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "\n\n".join(f"This is sentence number {number} of the book." for number in range(60))
    Path("long.txt").write_text(text, encoding="utf-8")
    words = [sys.executable, "-m", "voxmatrix_entrypoint", "book", "long.txt", "--out", "B.m4b", "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=dict(os.environ)) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if json.loads(line)["progress"]["done"] >= 5:
                break
        process.send_signal(signal.SIGKILL)
    time.sleep(0.5)  # its child processes end
    code, lines = run(capsys, "long.txt", "--out", "B.m4b")
    assert code == 0 and lines[-1]["kept"] >= 5 and lines[-1]["kept"] + lines[-1]["spoken"] == 60
