from dataclasses import replace
from pathlib import Path

import pytest

from tests.book.join.books import book, finished, heard, probe, spoken, tone
from voxmatrix.book.join.finished import JoinSettings
from voxmatrix.book.shop.check import check_files
from voxmatrix.book.shop.credits import with_credits
from voxmatrix.book.shop.files import write_shop_files
from voxmatrix.tables.shops import shop_named

#: With a sample of seconds, which costs less to make.
ACX = replace(shop_named("acx"), sample_seconds=(5.0, 300.0))


@pytest.mark.ffprobe
def test_a_shop_takes_what_is_written_and_other_meters_agree(tmp_path: Path) -> None:
    content = with_credits(book(["One", "Empty", "Three"]), "en", None, "")
    lengths = {0: [2.0], 1: [3.0, 3.0], 3: [1.0]}
    units = [
        spoken(tmp_path / f"{chapter}-{index}.flac", tone(seconds, 200 + 90 * index), chapter=chapter, index=index)
        for chapter, sentences in lengths.items()
        for index, seconds in enumerate(sentences, start=1)
    ]
    *files, sample, playlist = write_shop_files(finished(content, units, JoinSettings(shop=ACX)), ACX, tmp_path / "B")
    assert [path.stem for path in files] == ["00 Opening credits", "01 One", "03 Three"]
    assert playlist.read_text(encoding="utf-8").splitlines() == ["#EXTM3U", *(path.name for path in files)]
    report = check_files([*files, sample], ACX)
    assert report.refused == () and report.missing == ["closing credits"]
    for measured in report.files:
        found = probe(measured.file)
        (stream,) = found["streams"]
        assert (stream["codec_name"], stream["bit_rate"], stream["sample_rate"]) == ("mp3", "192000", "44100")
        assert stream["channels"] == 1 and found["format"]["tags"]["album"] == "A Book"
        assert float(found["format"]["duration"]) == pytest.approx(measured.seconds, abs=0.1)
        assert heard(measured.file)[1] <= ACX.peak_db
    assert ACX.sample_seconds[0] <= report.files[-1].seconds <= ACX.sample_seconds[1]
