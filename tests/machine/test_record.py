"""A described computer comes back as it was, and a wrong file is refused by the key that is wrong."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.machine.computers import machines
from voxmatrix.errors import BadInputError
from voxmatrix.machine import facts
from voxmatrix.machine.json_file import MAX_BYTES
from voxmatrix.machine.record import machine_to_json, read_machine, write_machine

_RTX_5090 = {
    "platform": "linux",
    "wsl": False,
    "cpus": 16,
    "memory_mib": 65536,
    "shm_mib": 64,
    "gpus": [
        {
            "index": 0,
            "uuid": "GPU-5",
            "name": "NVIDIA GeForce RTX 5090",
            "capability": "12.0",
            "memory_mib": 32607,
            "free_mib": 31000,
            "driver": "570.86.10",
            "kind": "cuda",
        }
    ],
    "torch": {"version": "2.6.0+cu124", "cuda": "12.4", "kernels": ["sm_50", "sm_90"]},
}


def refused(path: Path, content: bytes) -> BadInputError:
    path.write_bytes(content)
    with pytest.raises(BadInputError) as caught:
        read_machine(path)
    assert str(path) in caught.value.problem
    assert caught.value.remedy
    return caught.value


def changed(**keys: object) -> bytes:
    return json.dumps(_RTX_5090 | keys).encode()


@given(machines())
def test_what_is_written_is_read_again(machine: facts.Machine) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "machine.json"
        write_machine(machine, path)
        assert read_machine(path) == machine


def test_the_file_of_the_design_page_is_understood(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_bytes(changed())
    machine = read_machine(tmp_path / "m.json")

    assert machine.gpus[0].capability == (12, 0)
    assert machine.torch is not None
    assert machine.torch.kernels == ("sm_50", "sm_90")
    assert machine_to_json(machine)["gpus"][0]["capability"] == "12.0"


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_bytes(b"\xef\xbb\xbf" + changed())
    assert read_machine(tmp_path / "m.json").cpus == 16


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (changed(cpus=0), "cpus is 0"),
        (changed(cpus="16"), "cpus is '16'"),
        (changed(cpus=True), "cpus is True"),
        (changed(cpus=1e400), "cpus is inf"),
        (changed(memory_mib=-5), "memory_mib is -5"),
        (changed(memory_mib=10**30), "memory_mib is 1000"),
        (changed(platform="beos"), "platform is 'beos'"),
        (changed(flavour="sweet"), "flavour"),
        (changed(cpu="\x1b[2Jboo"), "cpu is '\\x1b[2Jboo'"),
        (changed(gpus=[{"index": 0, "kind": "cuda", "capability": "12"}]), "gpus[0].capability is '12'"),
        (changed(gpus=[{"index": 0, "kind": "cuda", "capability": 12.0}]), "gpus[0].capability is 12.0"),
        (changed(gpus=[{"index": 0, "kind": "cuda", "vram": 5}]), "gpus[0].vram"),
        (changed(gpus=[{"index": 0}]), "lacks the key gpus[0].kind"),
        (changed(gpus=[{"index": 1, "kind": "cuda"}] * 2), "cuda:1 more than once"),
        (changed(gpus={}), "gpus is {}"),
        (changed(torch={"version": "2", "kernels": ["turing"]}), "torch.kernels[0] is 'turing'"),
        (b"[]", "the content is []"),
        (b"null", "the content is None"),
        (b"", "not JSON"),
        (changed()[:-20], "not JSON"),
        (b"\xff\xfe{\x00}\x00", "not JSON"),
        (b'{"platform": "\xff"}', "not JSON"),
        (rb'{"platform": "linux", "cpus": 1, "cpu": "\ud800"}', "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b" " * (MAX_BYTES + 1), "larger than"),
    ],
)
def test_a_wrong_file_is_refused_with_the_key_and_the_value(tmp_path: Path, content: bytes, said: str) -> None:
    assert said in refused(tmp_path / "m.json", content).problem


def test_an_error_names_no_more_than_a_few_keys_and_shows_no_endless_values(tmp_path: Path) -> None:
    problem = refused(tmp_path / "m.json", changed(cpu="a" * 5000, **{f"key{n}": 1 for n in range(500)})).problem
    assert len(problem) < 1000


@given(st.binary(max_size=200))
def test_any_bytes_are_refused_and_nothing_else_happens(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        refused(Path(folder) / "machine.json", content)


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere.json"):
        with pytest.raises(BadInputError, match=path.name):
            read_machine(path)
