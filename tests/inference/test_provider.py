"""onnxruntime's providers: known by files, asked with a device, and their silence about failing is broken."""

import sys
import types
from pathlib import Path
from typing import Any

import pytest

from tests.models.gpus import ARC, RADEON, T4, computer, on
from voxmatrix.errors import NoDeviceError
from voxmatrix.inference import provider
from voxmatrix.inference.provider import open_gpu_session, served_kinds
from voxmatrix.machine.facts import Gpu
from voxmatrix.models.device import FoundGpu


@pytest.mark.parametrize(
    ("files", "kinds"),
    [
        ((), set()),
        (("libonnxruntime.so.1.31.1", "libonnxruntime_providers_shared.so"), set()),
        (("libonnxruntime_providers_cuda.so",), {"cuda"}),
        (("onnxruntime_providers_cuda.dll", "DirectML.dll"), {"cuda", "directml"}),
        (("DirectML.dll",), {"directml"}),
    ],
    ids=["nothing", "the CPU", "Linux", "Windows", "DirectX"],
)
def test_providers_are_known_by_their_libraries(tmp_path: Path, files: tuple[str, ...], kinds: set[str]) -> None:
    (tmp_path / "capi").mkdir()
    for name in files:
        (tmp_path / "capi" / name).touch()

    assert served_kinds(tmp_path) == kinds


def test_the_installed_onnxruntime_is_asked_without_importing_it() -> None:
    import onnxruntime

    has = onnxruntime.get_available_providers()
    assert ("cuda" in served_kinds()) == ("CUDAExecutionProvider" in has)
    assert ("directml" in served_kinds()) == ("DmlExecutionProvider" in has)


def test_no_onnxruntime_serves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provider, "_package", lambda: None)
    assert served_kinds() == frozenset()


class Library(types.SimpleNamespace):
    """An onnxruntime with providers that start, or do not."""

    def __init__(self, starts: bool, has: tuple[str, ...] = ("CUDAExecutionProvider", "DmlExecutionProvider")) -> None:
        super().__init__(__version__="1.31.1", opened=[], severity=None)
        self.starts, self.has = starts, has

    def get_available_providers(self) -> list[str]:
        return [*self.has, "CPUExecutionProvider"]

    def disable_telemetry_events(self) -> None:
        """As its telemetry is off already."""

    def set_default_logger_severity(self, level: int) -> None:
        self.severity = level

    def open(self, path: Path, model: Any, *, optimised: bool, provider: Any) -> Any:
        self.opened.append(provider)
        used = [provider[0]] * self.starts + ["CPUExecutionProvider"]
        return types.SimpleNamespace(get_providers=lambda: used)


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Library:
    made = Library(*request.param)
    monkeypatch.setitem(sys.modules, "onnxruntime", made)
    monkeypatch.setattr(provider, "open_session", made.open)
    monkeypatch.setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
    return made


def found(gpu: Gpu) -> FoundGpu:
    device = on(gpu).on
    assert device is not None
    return device


@pytest.mark.parametrize("library", [(True,)], indirect=True)
def test_a_session_gets_the_provider_of_its_gpu_and_the_gpus_number(library: Library, tmp_path: Path) -> None:
    open_gpu_session(found(T4), tmp_path)
    open_gpu_session(found(RADEON), tmp_path)

    (cuda, cuda_options), (directml, directml_options) = library.opened
    assert (cuda, cuda_options["device_id"], cuda_options["use_tf32"]) == ("CUDAExecutionProvider", "1", "0")
    assert (directml, directml_options) == ("DmlExecutionProvider", {"device_id": "0"})


@pytest.mark.parametrize("library", [(False,)], indirect=True)
def test_a_provider_that_does_not_start_is_said_with_what_is_missing(
    library: Library, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def preload_dlls() -> None:
        print("Failed to load libcublasLt.so.13: cannot open shared object file")
        print("Please follow the documentation")

    with pytest.raises(NoDeviceError, match="could not start CUDAExecutionProvider on cuda:1"):
        open_gpu_session(found(T4), tmp_path)  # an onnxruntime that cannot say more
    library.preload_dlls = preload_dlls
    with pytest.raises(NoDeviceError, match=r"Failed to load libcublasLt\.so\.13") as caught:
        open_gpu_session(found(T4), tmp_path)

    assert "onnxruntime-gpu" in caught.value.remedy and caught.value.exit_code == 4
    assert capsys.readouterr().out == ""  # where the speech may go


@pytest.mark.parametrize("library", [(True, ())], indirect=True)
def test_a_kind_without_a_provider_is_refused(library: Library, tmp_path: Path) -> None:
    for gpu in (found(T4), FoundGpu(gpu=ARC, machine=computer(ARC))):
        with pytest.raises(NoDeviceError, match="has no provider"):
            open_gpu_session(gpu, tmp_path)
