"""What is corrected is what `prepare` reads, and what was edited by hand counts as well."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.dataset.find import find
from voxmatrix.dataset.segment.corrections import correct, read_segments, summary
from voxmatrix.dataset.segment.output import Segment, check_output, write_output
from voxmatrix.errors import BadInputError, UsageError


class Recording:
    """Stands for one of four seconds."""

    rate_hz, seconds, path = 16_000, 4.0, Path("long.wav")

    def read(self, start: float, end: float) -> np.ndarray:
        return np.full(round((end - start) * self.rate_hz), 0.1, np.float32)


@pytest.fixture(scope="module", params=["", "speaker1"])
def out(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """A data set of three clips, of which one is doubtful, and a part of silence."""
    folder = tmp_path_factory.mktemp("out")
    (folder / ".segment").mkdir()
    clips = [("One.", ""), ("Two.", "doubtful"), ("Three.", ""), ("", "silence")]
    made = [
        Segment(recording=0, start=number, end=number + 1, text=text, reason=reason, speaker=text and request.param)
        for number, (text, reason) in enumerate(clips)
    ]
    write_output(folder, [Recording()], made)  # type: ignore[list-item]
    return folder


def texts(out: Path) -> dict[str, str]:
    """What `prepare` reads."""
    return {one.id: one.text for one in find(out)[0]}


SAYABLE = st.text().filter(lambda text: any(map(str.isalnum, text)) and text.isprintable())


@given(st.lists(st.tuples(st.integers(0, 2), SAYABLE | st.sampled_from(['"a', "a|b", "#a", "a\nb"]), st.booleans())))
def test_prepare_reads_what_was_decided(out: Path, decisions: list[tuple[int, str, bool]]) -> None:
    segments = read_segments(out)
    for number, text, kept in decisions:
        segments = correct(out, segments, number, text, kept=kept)
        assert segments[number].reason == ("" if kept else "dropped")
        assert not kept or segments[number].text == " ".join(text.replace("|", ",").split())
    assert segments == read_segments(out)
    used = {Path(one.file).stem: one.text for one in segments if not one.reason}
    assert summary(segments)["clips"] == len(used)
    if used:
        assert {name.removesuffix(".wav"): text for name, text in texts(out).items()} == used


def test_a_clip_without_words_is_not_used(out: Path) -> None:
    with pytest.raises(BadInputError, match="is empty"):
        correct(out, read_segments(out), 0, " … ", kept=True)


def test_a_table_that_was_edited_by_hand_counts(out: Path) -> None:
    segments = read_segments(out)
    for number in range(3):
        segments = correct(out, segments, number, f"{number} it is.", kept=True)
    lines = (out / "metadata.csv").read_text().splitlines()
    (out / "metadata.csv").write_text("\n".join(lines[:-1]).replace("0 it is.", "Zero it is.") + "\n")
    assert [(one.text, one.reason) for one in read_segments(out)[:2]] == [("Zero it is.", ""), ("1 it is.", "")]
    assert read_segments(out)[2].reason == "dropped"
    with pytest.raises(UsageError, match="was changed"):  # the command does not undo it
        check_output(out)


def test_a_folder_without_clips_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="missing or damaged"):
        read_segments(tmp_path)
    (tmp_path / "segments.json").write_text('{"segments": [{"start": 1}]}')
    with pytest.raises(BadInputError, match="missing or damaged"):
        read_segments(tmp_path)
