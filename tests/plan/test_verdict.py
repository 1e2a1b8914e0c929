"""Verdicts: every GPU class on the three wheels as they were measured, and properties over invented computers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plan.wheels import WHEELS
from voxmatrix.machine.facts import Capability, Gpu, Machine, TorchBuild
from voxmatrix.plan.verdict import assess
from voxmatrix.tables.image import images

PTX = TorchBuild(version="2.7.0+cu128", cuda="12.8", kernels=("sm_90", "compute_90"))


def gpu(capability: str | None, driver: str | None = "570.86.10", **facts: object) -> Gpu:
    return Gpu(index=0, kind="cuda", capability=capability and Capability.parse(capability), driver=driver, **facts)


def machine(wheel: str, *gpus: Gpu, **facts: object) -> Machine:
    return Machine(platform="linux", cpus=8, gpus=gpus, torch=WHEELS[wheel], **facts)


@pytest.mark.parametrize(
    ("name", "capability", "driver", "wheel", "verdict", "image"),
    [
        ("RTX 5090", "12.0", "570.86.10", "a", "unsupported", "blackwell"),
        ("RTX 5090", "12.0", "570.86.10", "b", "native", "blackwell"),
        ("RTX PRO 6000 Blackwell", "12.0", "575.51.03", "a", "unsupported", "blackwell"),
        ("RTX PRO 6000 Blackwell", "12.0", "575.51.03", "b", "native", "blackwell"),
        ("RTX PRO 6000 Blackwell", "12.0", "595.58.03", "c", "native", "cuda13"),
        ("B200", "10.0", "570.133.20", "b", "native", "blackwell"),
        ("B300", "10.3", "580.82.07", "b", "native", "cuda13"),
        ("GB10", "12.1", "580.95.05", "b", "native", "cuda13"),
        ("Thor", "11.0", "580.95.05", "b", "unsupported", "cuda13"),
        ("Thor", "11.0", "580.95.05", "c-arm", "native", "cuda13"),
        ("RTX 6000 Ada", "8.9", "550.54.14", "a", "native", "cuda"),
        ("Orin", "8.7", "595.58.03", "b", "unsupported", "cuda13"),
        ("Orin", "8.7", "595.58.03", "c", "native", "cuda13"),
        ("V100", "7.0", "550.54.14", "a", "native", "cuda"),
        ("V100", "7.0", "580.65.06", "c", "unsupported", "cuda"),
        ("GTX 1080 Ti", "6.1", "550.54.14", "a", "native", "cuda"),
        ("GTX 1080 Ti", "6.1", "570.86.10", "b", "unsupported", "cuda"),
        ("RTX 3060", "8.6", "535.183.01", "c", "driver-too-old", "cuda"),
        ("T4", "7.5", "580.65.06", "c", "native", "cuda13"),
        ("of tomorrow", "13.0", "700.10", "c", "unsupported", "cpu"),
        ("Kepler", "3.5", "470.10", "a", "unsupported", "cpu"),
        ("RTX 5090, no driver known", "12.0", None, "a", "unsupported", "blackwell"),
    ],
)
def test_every_class_of_gpu_has_its_verdict_and_its_image(
    name: str, capability: str, driver: str | None, wheel: str, verdict: str, image: str
) -> None:
    one = gpu(capability, driver, name=name)
    assessment = assess(one, machine(wheel, one))
    assert (assessment.verdict, assessment.image) == (verdict, image)
    assert assessment.reason
    assert (assessment.remedy == "") == (verdict == "native")
    assert verdict == "native" or image in assessment.remedy


#: facts/gpu.md section 2, evaluated offline: what runs on each wheel, and what does not.
_RUNS = {
    "a": "5.0 5.2 6.0 6.1 7.0 7.5 8.0 8.6 8.9 9.0",
    "b": "7.0 7.5 8.0 8.6 8.9 9.0 10.0 10.3 12.0 12.1",
    "c": "7.5 8.0 8.6 8.7 8.9 9.0 10.0 10.3 12.0 12.1",
}
_DOES_NOT = {
    "a": "5.3 6.2 7.2 8.7 10.0 10.3 11.0 12.0 12.1",
    "b": "5.0 5.2 6.0 6.1 6.2 7.2 8.7 10.1 11.0",
    "c": "5.0 6.1 7.0 7.2 11.0 13.0",
}


@pytest.mark.parametrize("wheel", _RUNS)
def test_each_wheel_runs_where_it_was_found_to_run_and_nowhere_else(wheel: str) -> None:
    for capability in _RUNS[wheel].split():
        assert assess(gpu(capability, "700.1"), machine(wheel)).verdict == "native", capability
    for capability in _DOES_NOT[wheel].split():
        assert assess(gpu(capability, "700.1"), machine(wheel)).verdict == "unsupported", capability


def test_a_gpu_newer_than_any_image_is_said_to_be_so() -> None:
    assert "newer than any image" in assess(gpu("13.0", "700.1"), machine("c")).reason
    assert "newer than any image" not in assess(gpu("12.0"), machine("a")).reason


def test_two_different_gpus_have_one_judgement_each() -> None:
    both = machine("a", gpu("12.0"), gpu("8.9"))
    assert [assess(each, both).verdict for each in both.gpus] == ["unsupported", "native"]


def test_ptx_is_compiled_by_a_driver_that_knows_its_cuda_and_by_no_older_one() -> None:
    computer = Machine(platform="linux", cpus=8, torch=PTX)
    assert assess(gpu("12.0", "570.86.10"), computer).verdict == "ptx-jit"
    assert assess(gpu("9.0", "535.10"), computer).verdict == "native"
    assert assess(gpu("10.0", "560.10"), computer).verdict == "driver-too-old"


def test_a_too_old_driver_without_an_image_for_it_is_to_be_replaced() -> None:
    assessment = assess(gpu("12.0", "560.10"), machine("b"))
    assert (assessment.verdict, assessment.image) == ("driver-too-old", "cpu")
    assert "570" in assessment.remedy


def test_a_newer_torch_that_has_to_be_built_is_named_beside_the_image_that_is_ready() -> None:
    pascal = assess(gpu("6.1", "550.10"), machine("c"))
    assert pascal.image == "cuda"
    assert "./run build-cuda126" in pascal.remedy
    assert "build-" not in assess(gpu("7.5", "580.10"), machine("a")).remedy  # cuda13 is newer


def test_wsl_shows_the_driver_of_windows() -> None:
    old = gpu("8.6", "526.0")
    assert assess(old, machine("a")).verdict == "native"
    assert assess(old, machine("a", wsl=True)).verdict == "driver-too-old"


def test_where_nothing_can_be_said_the_reason_says_so() -> None:
    amd = Gpu(index=0, kind="directml", name="Radeon")
    windows = assess(amd, Machine(platform="windows", cpus=8, gpus=(amd,), torch=WHEELS["a"]))
    assert (windows.verdict, windows.image) == (None, "directml-windows")
    assert assess(gpu(None), machine("a")).verdict is None
    assert assess(gpu("8.6"), Machine(platform="linux", cpus=8)).verdict is None
    unread = TorchBuild(version="2.6.0+cu124", cuda="12.4")
    assert "could not be read" in assess(gpu("8.6"), Machine(platform="linux", cpus=8, torch=unread)).reason


def test_a_torch_without_cuda_is_unsupported_and_the_image_with_it_is_named() -> None:
    assessment = assess(gpu("8.6"), Machine(platform="linux", cpus=8, torch=TorchBuild(version="2.13.0+cpu")))
    assert (assessment.verdict, assessment.image) == ("unsupported", "blackwell")
    assert "without CUDA" in assessment.reason


words = st.none() | st.text(max_size=8)
gpus = st.builds(
    Gpu,
    index=st.integers(0, 9),
    kind=st.sampled_from(["cuda", "cuda", "cuda", "directml", "xpu", "rocm", "mps"]),
    capability=st.none() | st.builds(Capability, st.integers(0, 20), st.integers(0, 9)),
    driver=words | st.sampled_from(["450.1", "535.183.01", "570.86.10", "595.58.03"]),
)
names = st.text(max_size=8) | st.from_regex(r"\A(sm|compute)_[1-9][0-9]{1,2}[af]?\Z")
torches = st.builds(
    TorchBuild,
    version=st.text(max_size=12),
    cuda=words | st.sampled_from(["11.8", "12.4", "12.8", "13.2", "14.0"]),
    kernels=st.lists(names, max_size=8).map(tuple),
)
machines = st.builds(
    Machine,
    platform=st.sampled_from(["linux", "windows", "macos"]),
    architecture=words | st.sampled_from(["x86_64", "aarch64", "AMD64"]),
    wsl=st.booleans(),
    cpus=st.integers(1, 256),
    gpus=st.lists(gpus, max_size=3).map(tuple),
    torch=st.none() | torches | st.sampled_from(list(WHEELS.values())),
)


@given(gpus, machines)
def test_no_computer_is_without_a_judgement(one: Gpu, computer: Machine) -> None:
    assessment = assess(one, computer)
    assert assessment.reason
    assert assessment.image in images()
    assert "\n" not in assessment.remedy
    assert assessment.remedy or assessment.verdict == "native"
