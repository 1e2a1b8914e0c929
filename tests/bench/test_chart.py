"""The picture: an SVG that any reader of XML takes, a PNG that opens, whatever the devices are called."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from matplotlib.image import imread

from tests.bench.reports import ODD_NAMES, report, row
from voxmatrix.bench.chart import check_picture, write_picture
from voxmatrix.errors import UnreachableError, UsageError

ODD = report(
    row("cpu", 100.0),
    *(row(f"cuda:{place}", 10.0**place, name=name) for place, name in enumerate(ODD_NAMES)),
    row("directml:0", None, name=None, problem="its process died: " + "$\\sqrt " * 60 + "\x00\ud800 -->"),
)


def test_an_svg_is_xml_with_the_words_in_it(tmp_path: Path) -> None:
    write_picture(report(row("cpu", 100.0), row("cuda:0", 250.0)), tmp_path / "bench.svg")
    text = (tmp_path / "bench.svg").read_text(encoding="utf-8")
    assert ElementTree.fromstring(text).tag.endswith("svg")
    for word in ("GFLOP/s", "cuda:0 fp32", "2.50 × the CPU"):
        assert word in text


def test_a_png_opens(tmp_path: Path) -> None:
    write_picture(report(row("cpu", 100.0)), tmp_path / "bench.PNG")
    height, width, _ = imread(tmp_path / "bench.PNG", format="png").shape
    assert width > height > 100


@pytest.mark.parametrize("ending", [".svg", ".png"])
def test_odd_names_and_reasons_can_be_drawn(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"odd{ending}"
    write_picture(ODD, path)
    if ending == ".svg":
        assert ElementTree.parse(path).getroot() is not None
    else:
        assert imread(path).size


def test_nothing_is_cut_off(tmp_path: Path) -> None:
    write_picture(ODD, tmp_path / "odd.png")
    pixels = imread(tmp_path / "odd.png")[..., :3]
    for edge in (pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]):
        assert (edge == 1.0).all()  # white all around: no letter touches the edge


def test_where_nothing_was_measured_there_is_a_picture_all_the_same(tmp_path: Path) -> None:
    write_picture(report(row("cpu", None, problem="it hung")), tmp_path / "none.svg")
    assert "it hung" in (tmp_path / "none.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["bench.jpg", "bench", "svg", "bench.svg.gz"])
def test_another_ending_is_refused_before_anything_is_measured(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has the extension"):
        check_picture(tmp_path / name)


def test_a_folder_is_refused_too(tmp_path: Path) -> None:
    (tmp_path / "a.svg").mkdir()
    with pytest.raises(UsageError, match="is a folder"):
        check_picture(tmp_path / "a.svg")


def test_a_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UnreachableError, match="No space left"):
        write_picture(report(row("cpu", 1.0)), tmp_path / "bench.svg")
    assert list(tmp_path.iterdir()) == []
