"""A voice that was trained in one image speaks in the others, and says the same."""

import array
import itertools
import os
import wave
from pathlib import Path

import pytest

from tests.images.containers import Hardened, is_built, owner
from tools import matrix

pytestmark = [pytest.mark.docker, pytest.mark.slow]

ROWS = [row for row in matrix.rows().values() if row.status == "tested"]
#: Of full scale: what another order of the same sums may change, and the last bit of 16.
TOLERANCE = 1e-4
TRAIN = (
    *("train", "/recordings", "--out", "/data/run", "--quality", "tiny", "--language", "en-us"),
    *("--batch-size", "4", "--accumulation", "1", "--validate-every", "1000", "--seed", "1", "--max-steps", "3"),
    *("--device", "cpu"),
)
SPEAK = ("speak", "--voice", "/data/run", "--text", "It speaks there as well.", "--seed", "7", "--force")


@pytest.fixture(scope="module")
def trained(
    made_in: matrix.Row, elsewhere: matrix.Row, recordings: Path, tmp_path_factory: pytest.TempPathFactory
) -> Hardened:
    """The container of a run of three steps."""
    rows = (made_in, elsewhere)
    chosen = os.environ.get("VOXMATRIX_ROW", max(rows, key=ROWS.index).name)
    if chosen not in (row.name for row in rows):
        pytest.skip(f"the task is about {chosen}")
    if chosen != max(rows, key=ROWS.index).name:
        pytest.skip(f"smoke-{max(rows, key=ROWS.index).name} compares them")
    for row in rows:
        if not is_built(row.image):
            pytest.skip(f"{row.image} is not built: ./run build-{row.name}")
    data = tmp_path_factory.mktemp("across")
    hardened = Hardened(image=made_in.image, data=data, recordings=recordings, user=owner(data))
    hardened.run(*TRAIN)
    hardened.run(*SPEAK, "--out", "/data/at-home.wav")
    return hardened


@pytest.mark.parametrize(
    ("made_in", "elsewhere"), list(itertools.permutations(ROWS, 2)), scope="module", ids=lambda row: row.name
)
def test_a_checkpoint_speaks_in_another_image(made_in: matrix.Row, elsewhere: matrix.Row, trained: Hardened) -> None:
    home = trained
    there = Hardened(image=elsewhere.image, data=home.data, recordings=home.recordings, user=home.user)
    there.run(*SPEAK, "--out", f"/data/{elsewhere.name}.wav")
    rate, at_home = _samples(home.data / "at-home.wav")
    other_rate, abroad = _samples(home.data / f"{elsewhere.name}.wav")
    assert (rate, len(at_home)) == (other_rate, len(abroad))
    assert max(map(abs, at_home)) > 100  # it is no silence that is compared
    difference = max(abs(one - other) for one, other in zip(at_home, abroad, strict=True)) / 32768
    print(f"trained in {made_in.name}, spoken in {elsewhere.name}: largest difference {difference:.1e} of full scale")
    assert difference <= TOLERANCE


def _samples(path: Path) -> "tuple[int, array.array[int]]":
    with wave.open(str(path), "rb") as file:
        assert (file.getsampwidth(), file.getnchannels()) == (2, 1)
        return file.getframerate(), array.array("h", file.readframes(file.getnframes()))
