import json
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.dataset.charts import Axis, duration_histogram, durations, pace_histogram, paces, without_controls
from voxmatrix.dataset.prepared import MeasuredRecording


def measured(name: str, seconds: float, characters: int, used: bool = True) -> MeasuredRecording:
    return MeasuredRecording(
        id=name, place=name, path=name, speaker=None, text="", seconds=seconds, characters=characters, used=used
    )


@pytest.mark.parametrize(("largest", "top"), [(1.0, 1.0), (12.3, 15.0), (0.07, 0.08), (1000, 1000), (0.0, 1.0), (7, 8)])
def test_an_axis_ends_at_a_round_number(largest: float, top: float) -> None:
    axis = Axis(largest, 100)
    assert axis.top == pytest.approx(top)
    assert axis.ticks[0] == 0
    assert axis.ticks[-1] == pytest.approx(axis.top)
    assert 2 <= len(axis.ticks) <= 8
    assert axis.at(axis.top) == pytest.approx(100)


def test_the_histogram_counts_every_recording_once() -> None:
    drawing = durations([measured("a", 1, 9), measured("b", 1, 9, used=False), measured("c", 0, 9)])
    assert "1 used, 1 left out" in drawing


def test_bins_are_of_a_round_width_and_what_is_far_beyond_is_in_the_last() -> None:
    usual = [measured(str(number), 2.0 + number / 10, 30) for number in range(20)]
    found = duration_histogram([*usual, measured("long", 600.0, 30, used=False), measured("unread", 0.0, 30)])
    assert found.width == 0.5
    assert sum(found.used) == 20 and found.used[:4] == [0] * 4 and found.used[4] == 5  # 2.0 to 2.4 s
    assert found.left_out == [0] * (len(found.used) - 1) + [1]
    assert len(found.used) < 40
    assert duration_histogram([]).to_json() == {"width": 1.0, "used": [], "left_out": []}


#: None in which the search for a number that is none would find one.
NAMES = st.text(max_size=40).filter(lambda name: "nan" not in name.lower())


@given(
    st.lists(
        st.builds(measured, NAMES, st.just(0.0) | st.floats(1e-4, 1e6), st.integers(0, 10**6), st.booleans()),
        max_size=20,
    )
)
def test_any_recordings_give_drawings_that_can_be_read(recordings: list[MeasuredRecording]) -> None:
    for html in (durations(recordings), paces(recordings, [one.id for one in recordings])):
        ElementTree.fromstring(html)
        assert "nan" not in html.lower().replace("characters", "")
    for found in (duration_histogram(recordings), pace_histogram(recordings)):
        assert len(found.used) <= 41 and json.dumps(found.to_json())
    assert sum(found.used + found.left_out) == sum(item.seconds > 0 < item.characters for item in recordings)


def test_what_no_page_can_hold_is_replaced() -> None:
    assert without_controls("a\x00b\ud83dc\u202ed e") == "a\ufffdb?c\ufffdd e"


def test_one_mad_pace_does_not_flatten_the_others() -> None:
    usual = [measured(f"{number}", 3.0, 40) for number in range(20)]
    heights = []
    for recordings in (usual, [*usual, measured("mad", 0.1, 2000, used=False)]):
        points = ElementTree.fromstring(paces(recordings, ["mad"])).iter("circle")
        heights.append(float(next(points).attrib["cy"]))
        assert all(0 <= float(point.attrib["cy"]) <= 300 for point in points)
    assert 300 - heights[1] > (300 - heights[0]) / 5
