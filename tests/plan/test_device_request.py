"""Every spelling of a device."""

import pytest

from voxmatrix.errors import UsageError
from voxmatrix.plan.device_request import AUTO, DeviceRequest, gpu_or_cpu, older_names, parse_device


@pytest.mark.parametrize(
    ("text", "kind", "index"),
    [
        ("auto", "auto", None),
        ("", "auto", None),
        ("cpu", "cpu", None),
        ("cuda", "cuda", None),
        ("CUDA:1", "cuda", 1),
        ("directml:0", "directml", 0),
        ("dml", "directml", None),
        ("1", "gpu", 1),
    ],
)
def test_a_device_is_understood(text: str, kind: str, index: int | None) -> None:
    request = parse_device(text, "flag", f"--device {text}")
    assert (request.kind, request.index, request.fallback) == (kind, index, "end")


@pytest.mark.parametrize("text", ["gpus", "cpu:1", "cuda:", "cuda:-1", "cuda:x", "cuda:99999999", "²"])
def test_what_is_no_device_is_usage_and_names_the_flag(text: str) -> None:
    with pytest.raises(UsageError, match="--device"):
        parse_device(text, "flag", "--device")


def test_auto_is_nobodys_wish() -> None:
    assert parse_device("auto", "flag", "--device auto").source == "automatic"


def test_the_names_of_seed_001() -> None:
    request = older_names({"VIBEVOICE_DEVICE": "directml", "DIRECTML_DEVICE": "1"})
    assert (request.kind, request.index, request.source, request.fallback) == ("directml", 1, "environment", "cpu")
    assert request.origin == "VIBEVOICE_DEVICE=directml DIRECTML_DEVICE=1"
    assert older_names({"VIBEVOICE_DEVICE": "cpu", "DIRECTML_DEVICE": "1"}).kind == "cpu"
    assert older_names({"VIBEVOICE_DEVICE": "auto", "DIRECTML_DEVICE": "1"}) == AUTO


def test_an_adapters_number_alone_forces_nothing() -> None:
    request = older_names({"DIRECTML_DEVICE": "0"})
    assert (request.kind, request.index, request.fallback) == ("directml", 0, "auto")


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, AUTO),
        ({"USE_GPU": ""}, AUTO),
        ({"USE_GPU": "auto"}, DeviceRequest(origin="USE_GPU=auto", fallback="cpu")),
        ({"USE_GPU": "no", "GPU_ID": "1"}, DeviceRequest(kind="cpu", source="environment", origin="USE_GPU=no")),
        ({"USE_GPU": "yes"}, DeviceRequest(kind="gpu", source="environment", origin="USE_GPU=yes", fallback="cpu")),
        ({"GPU_ID": "1"}, DeviceRequest(kind="gpu", index=1, source="environment", origin="GPU_ID=1", fallback="cpu")),
    ],
)
def test_the_names_of_seed_004(environment: dict[str, str], expected: DeviceRequest) -> None:
    assert older_names(environment) == expected


@pytest.mark.parametrize("environment", [{"USE_GPU": "maybe"}, {"GPU_ID": "one"}, {"GPU_ID": "-1"}])
def test_a_variable_that_means_nothing_is_usage_and_named(environment: dict[str, str]) -> None:
    with pytest.raises(UsageError, match=next(iter(environment))):
        older_names(environment)


def test_the_flag_use_gpu_warns_and_falls_back() -> None:
    assert gpu_or_cpu("yes", None, "flag", "--use-gpu").fallback == "cpu"
