"""What an image carries for GPUs, as it was measured, as its label says, and as torch in it says."""

import json
from typing import Any

import pytest

from tests.images.containers import Hardened, docker
from tools import matrix

pytestmark = pytest.mark.docker

#: Rows with a story: machine code that their torch has, and has not.
HAS = {"blackwell": {"sm_100", "sm_120"}, "cuda13": {"sm_100", "sm_120"}, "cuda": {"sm_50", "sm_90"}, "cpu": set()}
LACKS = {"cuda": {"sm_100", "sm_120"}, "blackwell": {"sm_50"}, "cuda13": {"sm_50", "sm_70"}}
READ = "import pathlib; print(pathlib.Path('/opt/voxmatrix/image.json').read_text())"
ASK = """
import json, torch
flags = getattr(torch._C, '_cuda_getArchFlags', lambda: '')()
print(json.dumps([torch.__version__, torch.version.cuda, (flags or '').split()]))
"""


@pytest.fixture(scope="module")
def measured(image: str) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads(docker("run", "--rm", image, "python3", "-c", READ).stdout)
    return facts


def test_the_kernels_are_the_rows_and_the_label_says_them(
    row: matrix.Row, measured: dict[str, Any], facts: dict[str, Any]
) -> None:
    assert set(measured["kernels"]) == set(row.kernels_on("linux/amd64"))
    assert set(measured["kernels"]) >= HAS.get(row.name, set())
    assert not set(measured["kernels"]) & LACKS.get(row.name, set())
    assert facts["Config"]["Labels"].get("voxmatrix.kernels", "").split() == list(row.kernels_on("linux/amd64"))


def test_torch_is_the_rows_and_says_the_same(image: str, row: matrix.Row, measured: dict[str, Any]) -> None:
    said = json.loads(docker("run", "--rm", "--network", "none", image, "python3", "-c", ASK).stdout)
    assert said[:2] == [f"{row.torch}+{row.torch_local}", row.cuda or None]
    assert said == [measured["torch"], measured["cuda"], measured["kernels"]]


def test_libraries_with_code_for_gpus_are_named_where_there_is_cuda(row: matrix.Row, measured: dict[str, Any]) -> None:
    libraries = measured["libraries"]
    if not row.cuda:
        return
    assert set(measured["kernels"]) <= set(libraries["torch/lib/libtorch_cuda.so"])
    assert any(name.startswith("torchaudio/") for name in libraries)
    assert any("cudnn" in name for name in libraries)


def test_doctor_speaks_of_this_image(row: matrix.Row, measured: dict[str, Any], hardened: Hardened) -> None:
    said = json.loads(hardened.run("doctor", "--device", "cpu", "--json", expect=0).stdout)
    assert said["image"] == row.name
    torch = said["machine"]["torch"]
    assert [torch[key] for key in ("version", "cuda", "kernels")] == [
        measured[key] for key in ("torch", "cuda", "kernels")
    ]
    assert {result["ok"] for result in said["smoke"]} == {True}
