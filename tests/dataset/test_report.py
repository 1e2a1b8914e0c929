import dataclasses
import os
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from tests.dataset.broken import build
from voxmatrix.cli import main
from voxmatrix.cli.prepare import show
from voxmatrix.dataset.prepare import prepare
from voxmatrix.dataset.prepared import MeasuredRecording, PreparedSet, PrepareSettings
from voxmatrix.dataset.report import page, write_report
from voxmatrix.transcripts.lines import Problem

#: Of the page.
FOLDER = Path("/reports")
HOSTILE = "</td></script><script>alert('1')</script>\"><img src=x onerror=alert(1)>&\u202e\x07\ud83d\0"


class Page(HTMLParser):
    """The tags of a page, all of which must be closed in their order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "br", "line", "circle" if not self.open else "meta"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def hostile() -> PreparedSet:
    measured = tuple(
        MeasuredRecording(
            id=f"{HOSTILE}{n}",
            place=f"m:{n}",
            path=HOSTILE.replace("\ud83d", ""),
            speaker=HOSTILE,
            text=HOSTILE,
            seconds=n + 0.5,
            characters=9,
            used=n > 3,
        )
        for n in range(9)
    )
    problems = tuple(
        Problem(id=one.id, kind="text-does-not-fit", place=one.place, path=one.path, problem=HOSTILE, remedy=HOSTILE)
        for one in measured
        if not one.used
    )
    return PreparedSet(
        clips=(),
        problems=problems,
        speakers=(HOSTILE,),
        quality="tiny",
        rate_hz=16000,
        language=HOSTILE,
        phoneme_type="text",
        id_map={},
        digest="",
        measured=measured,
    )


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> PreparedSet:
    folder = tmp_path_factory.mktemp("report")
    build(folder / "data")
    settings = PrepareSettings(
        quality="medium", language="en-us", phoneme_type="text", cache=folder / "cache", workers=2
    )
    return prepare(folder / "data", settings)


def test_hostile_names_and_texts_stay_text() -> None:
    html = page(hostile(), FOLDER)
    tags = [tag for tag, _ in Page(html).tags]
    assert tags.count("script") == 1
    assert "img" not in tags
    assert not any(name.startswith("on") for _, attributes in Page(html).tags for name in attributes)
    assert "alert(1)" in "".join(Page(html).text)
    html.encode("utf-8")
    assert not set(html) & {"\x07", "\0", "\u202e"}


def test_the_page_needs_nothing_else_and_lets_no_foreign_script_run(prepared: PreparedSet) -> None:
    html = page(prepared, FOLDER)
    seen = Page(html)
    assert not seen.open
    for tag, attributes in seen.tags:
        assert tag not in ("link", "img", "iframe", "object")
        assert not {"src", "href", "srcset", "style"} & attributes.keys()
    assert "url(" not in html
    assert "@import" not in html
    policy = next(attributes["content"] for tag, attributes in seen.tags if attributes.get("http-equiv"))
    assert policy
    assert policy.startswith("default-src 'none'")
    assert "sha256-" in policy


def test_every_problem_stands_in_the_page(prepared: PreparedSet) -> None:
    text = "".join(Page(page(prepared, FOLDER)).text)
    for problem in prepared.problems:
        assert problem.kind in text
        assert problem.problem[:200] in text
    assert f"{len(prepared.clips)} recordings ready" in text


def test_pictures_are_drawings_with_names(prepared: PreparedSet) -> None:
    html = page(prepared, FOLDER)
    drawings = [f"<svg{part.partition('</svg>')[0]}</svg>" for part in html.split("<svg")[1:]]
    assert len(drawings) == 2
    for drawing in drawings:
        root = ElementTree.fromstring(drawing)
        assert root.get("role") == "img"
        assert f'id="{root.get("aria-labelledby")}"' in html
    assert "far-too-much-text" in drawings[1]
    assert "far-too-little-text" in drawings[1]


def test_tables_say_what_they_are_to_those_who_cannot_see(prepared: PreparedSet) -> None:
    seen = Page(page(prepared, FOLDER))
    tags = [tag for tag, _ in seen.tags]
    assert tags.count("caption") == tags.count("table")
    assert all(attributes.get("scope") == "col" for tag, attributes in seen.tags if tag == "th")
    assert ("html", {"lang": "en"}) in seen.tags


def test_a_set_without_problems_and_one_without_anything_have_a_page(prepared: PreparedSet) -> None:
    clean = dataclasses.replace(prepared, problems=(), measured=tuple(one for one in prepared.measured if one.used))
    assert "None." in page(clean, FOLDER)
    empty = dataclasses.replace(prepared, clips=(), problems=(), measured=())
    assert "0 recordings ready, 0 left out" in page(empty, FOLDER)
    assert "No chart" in page(empty, FOLDER)


def test_a_great_many_recordings_make_a_page_that_can_be_opened(prepared: PreparedSet) -> None:
    one = next(one for one in prepared.measured if one.used)
    many = tuple(dataclasses.replace(one, id=f"{number}", place=f"m:{number}") for number in range(50_000))
    html = page(dataclasses.replace(prepared, problems=(), measured=many), FOLDER)
    assert len(html) < 5_000_000
    assert "the first 5000 of 50000" in html


def test_the_page_is_written_whole(prepared: PreparedSet, tmp_path: Path) -> None:
    write_report(prepared, tmp_path / "deep" / "report.html")
    assert (tmp_path / "deep" / "report.html").read_text(encoding="utf-8") == page(prepared, tmp_path / "deep")


def test_terminal_and_report_count_the_same_recordings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build(tmp_path / "data")
    first, second = (tmp_path / "data" / "metadata.csv").read_bytes().split(b"\r\n")[:2]
    (name, _), other = first.removeprefix(b"\xef\xbb\xbf").split(b"|"), second.split(b"|")[1]
    with (tmp_path / "data" / "metadata.csv").open("ab") as table:  # one id with two texts: neither can be used
        table.write(name + b"|" + other + b"\r\n")
    report = tmp_path / "report.html"
    assert main.run(["prepare", str(tmp_path / "data"), "--phonemes", "text", "--report", str(report)]) == 0
    shown = capsys.readouterr().out
    (numbers,) = re.findall(r"^(\d+) recordings ready .*, (\d+) left out$", shown, re.MULTILINE)
    text = "".join(Page(report.read_text(encoding="utf-8")).text)
    assert f"{numbers[0]} recordings ready, {numbers[1]} left out" in text
    left_out = set(re.findall(r"^left out: (\S+) \(", shown, re.MULTILINE))
    used = re.findall(r"^used, but: (.*?): ", shown, re.MULTILINE)
    assert name.decode().removesuffix(".wav") in left_out
    assert not left_out & {one for names in used for one in names.split(" and ")[0].split(", ")}


def test_left_out_recordings_are_not_listed_as_used(prepared: PreparedSet, capsys: pytest.CaptureFixture[str]) -> None:
    problems = [
        Problem(id="a", kind=kind, place="m:1", path="a.wav", problem=kind, remedy="r", severity=severity)
        for kind, severity in (("silent", "error"), ("low-rate", "warning"))
    ]
    show(dataclasses.replace(prepared, problems=tuple(problems)), FOLDER)
    shown = capsys.readouterr().out
    assert "left out: a (m:1): silent" in shown
    assert "used, but" not in shown


def test_equal_problems_are_folded_into_one_finding(prepared: PreparedSet) -> None:
    items = [one for one in prepared.measured if one.used][:9]
    same = tuple(
        Problem(
            id=one.id, kind="low-rate", place=one.place, path=one.path, problem="dull", remedy="r", severity="warning"
        )
        for one in items
    )
    html = page(dataclasses.replace(prepared, problems=same), FOLDER)
    assert html.count("dull") == 1
    assert "9 recordings warning" in "".join(text for text in Page(html).text)
    assert all(f"<bdi>{one.id}</bdi>" in html for one in items)


def test_a_row_plays_its_recording(prepared: PreparedSet, tmp_path: Path) -> None:
    folder = tmp_path / "reports"
    sounds = [
        attributes["data-sound"] for tag, attributes in Page(page(prepared, folder)).tags if "data-sound" in attributes
    ]
    played = {Path(os.path.normpath(folder / unquote(str(sound)))) for sound in sounds}
    assert {Path(one.path) for one in prepared.measured if one.used} <= played
    assert all(path.is_file() for path in played)


def test_words_are_not_broken_inside_cells(prepared: PreparedSet) -> None:
    assert "overflow-wrap: anywhere" not in page(prepared, FOLDER)
