"""What a child said becomes rows; a device that hangs or dies costs its own rows, in time and with its reason."""

from collections.abc import Callable

import pytest

from tests.bench.reports import HERE
from voxmatrix.bench.matmul import MatmulBench
from voxmatrix.bench.measure import measure, read_rows
from voxmatrix.bench.speak import SpeakBench
from voxmatrix.bench.train import TrainBench
from voxmatrix.compute.child import ChildResult
from voxmatrix.machine.facts import Gpu

pytestmark = pytest.mark.usefixtures("forked_programs")

SMALL = MatmulBench(size=16, runs=1, formats=("fp32", "bf16"))


def rows_of(said: str, code: int | None = 0, ending: str = "") -> list[tuple[str, str, int]]:
    rows = read_rows(ChildResult(stdout=said, code=code, failure=ending), "cuda:0", "a card", {"batch_size": 4})
    assert all((row.device, row.name, row.parameters) == ("cuda:0", "a card", {"batch_size": 4}) for row in rows)
    return [(row.format, row.problem, row.exit_code) for row in rows]


DONE = '{"started": ""}\n{"started": "fp32"}\n{"part": "fp32", "figures": {"gflops": 1.5}}\n'


def test_what_was_measured_is_kept_and_the_part_that_was_begun_is_blamed() -> None:
    assert rows_of(DONE) == [("fp32", "", 0)]
    hung = rows_of('hello\n{"started": ""}\n{"started": "fp32"}\n{"par', None, "it did not finish within 9 s")
    assert hung == [("fp32", "it did not finish within 9 s", 4)]
    assert rows_of(DONE + '{"started": "bf16"}\n', -11, "SIGSEGV") == [
        ("fp32", "", 0),
        ("bf16", "SIGSEGV", 4),
    ]


def test_a_child_that_says_nothing_is_named_as_well() -> None:
    assert rows_of("", 1, "its process exited with code 1") == [("", "its process exited with code 1", 4)]
    assert rows_of("") == [("", "its process exited without a result", 4)]


def test_a_process_that_the_system_kills_ran_out_of_memory() -> None:
    ((_, problem, exit_code),) = rows_of('{"started": "fp32"}\n', -9, "signal 9")
    assert exit_code == 6
    assert "memory" in problem


def test_a_child_that_dies_after_its_last_part_costs_nothing() -> None:
    assert rows_of(DONE, -11, "its process was terminated by SIGSEGV") == [("fp32", "", 0)]


def test_the_cpu_is_measured_in_a_child() -> None:
    rows = measure(SMALL, None, HERE, 120, {})
    assert [(row.device, row.name, row.format, row.problem) for row in rows] == [
        ("cpu", "AMD EPYC", "fp32", ""),
        ("cpu", "AMD EPYC", "bf16", ""),
    ]
    assert all(row.figures["gflops"] for row in rows)


def test_a_training_is_measured_in_a_child() -> None:
    job = TrainBench(quality="tiny", batch_size=1, clip_seconds=1.0, steps=1, runs=1, warmup=0)
    (row,) = measure(job, None, HERE, 300, {"batch_size": 1})
    assert row.measured, row.problem
    assert row.figures["clips_per_second"]


@pytest.mark.parametrize(
    ("how", "exit_code", "word"), [("die", 4, "SIGABRT"), ("raise", 4, "RuntimeError"), ("memory", 6, "MemoryError")]
)
def test_a_part_that_dies_is_named(how: str, exit_code: int, word: str, break_children: Callable[[str], None]) -> None:
    break_children(f"bf16={how}")
    whole, broken = measure(SMALL, None, HERE, 120, {})
    assert whole.measured
    assert (broken.format, broken.exit_code) == ("bf16", exit_code)
    assert word in broken.problem


def test_a_child_that_hangs_is_ended_in_time(break_children: Callable[[str], None]) -> None:
    break_children("fp32=hang")
    (row,) = measure(SMALL, None, HERE, 6.0, {})
    assert row.problem == "it did not finish within 6 s and was stopped"


@pytest.mark.parametrize(
    ("gpu", "exit_code", "word"),
    [
        (Gpu(index=0, kind="cuda", uuid="GPU-of-nobody", name="显卡"), 4, "cuda"),
        (Gpu(index=0, kind="directml", name="$\\frac"), 7, "torch-directml"),
    ],
)
def test_a_gpu_that_torch_cannot_use_says_why(gpu: Gpu, exit_code: int, word: str) -> None:
    import torch

    if torch.cuda.is_available() and gpu.kind == "cuda":
        pytest.skip("this torch has CUDA")
    rows = measure(SMALL, gpu, HERE, 120, {})
    assert {(row.device, row.name, row.exit_code) for row in rows} == {(gpu.device, gpu.name, exit_code)}
    assert all(word in row.problem.lower() for row in rows)  # a build with CUDA lacks libcuda


def test_the_error_of_a_voice_keeps_its_code() -> None:
    (row,) = measure(SpeakBench(voice="nowhere.onnx", runs=1, warmup=0), None, HERE, 120, {})
    assert row.exit_code == 3
    assert "nowhere.onnx" in row.problem
