"""Every quality passes through the image's torch on CUDA tensors, without a GPU and without values."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.images.containers import docker
from tools import matrix
from voxmatrix.tables.quality import qualities

pytestmark = pytest.mark.docker

PROGRAM = Path(__file__).with_name("fake_cuda")
#: Works with 2.10 and 2.15; fails with 2.6.
FROM_TORCH = (2, 10)
WAVES = {"fp32": "torch.float32", "bf16": "torch.bfloat16", "fp16": "torch.float16"}


@pytest.fixture(scope="module")
def results(row: matrix.Row, request: pytest.FixtureRequest) -> dict[str, Any]:
    if not row.cuda:
        pytest.skip(f"the torch of {row.image} has no CUDA")
    if tuple(map(int, row.torch.split(".")[:2])) < FROM_TORCH:
        pytest.skip(f"torch {row.torch} needs a driver even for tensors without values")
    image = request.getfixturevalue("image")
    mounted = ("--volume", f"{PROGRAM}:/program:ro")
    done = docker("run", "--rm", "--network", "none", *mounted, image, "python3", "/program/forward.py")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("precision", WAVES)
@pytest.mark.parametrize("quality", qualities())
def test_a_training_pass_and_a_sentence_stay_on_the_gpu_in_the_precision_of_autocast(
    quality: str, precision: str, results: dict[str, Any]
) -> None:
    found = results[f"{quality} {precision}"]
    wave = WAVES["fp32" if qualities()[quality].decoder == "istft" else precision]  # its transform is always in fp32
    assert found == {"losses": ["cuda:0 torch.float32"], "waves": [f"cuda:0 {wave}"]}


def test_a_value_read_back_and_a_tensor_on_the_cpu_are_errors(results: dict[str, Any]) -> None:
    assert set(results["plants"]) == {"item", "CPU tensor"}
