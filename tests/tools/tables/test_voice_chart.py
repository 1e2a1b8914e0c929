"""The picture of voices says what the table says."""

import pytest
from lxml import etree

from tools.tables import voice_chart
from tools.tables.voice_chart import Voice

NS = "{http://www.w3.org/2000/svg}"


def test_a_faster_voice_stands_to_the_left_a_better_one_higher_and_a_larger_one_is_larger() -> None:
    slow, fast = Voice("slow & large", 0.5, 4.2, 90.0), Voice("fast", 0.005, 4.5, 5.0)
    root = etree.fromstring(voice_chart.picture([fast, slow]))
    (x0, y0, r0), (x1, y1, r1) = (
        [float(one.get(key)) for key in ("cx", "cy", "r")] for one in root.iter(f"{NS}circle")
    )
    assert x0 > x1 and y0 > y1 and r0 > r1  # the larger one is drawn first, below the other
    assert [one.text for one in root.iter(f"{NS}text")][-1] == "fast, 5 MB"
    assert "slow & large, 90 MB" in [one.text for one in root.iter(f"{NS}text")]


@pytest.mark.parametrize("page", ["# Speaking", "## How the voices compare\n\n| `a` | 2.5 | 4.2 | 5 |\n"])
def test_a_table_that_cannot_be_drawn_is_refused(page: str) -> None:
    with pytest.raises(ValueError, match=r"table|outside"):
        voice_chart.voices(page)
