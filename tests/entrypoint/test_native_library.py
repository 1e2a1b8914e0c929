"""torchaudio's native library: which refusals are mended, and which are left as they are."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from voxmatrix_entrypoint import native_library
from voxmatrix_entrypoint.ledger import apply_patch
from voxmatrix_entrypoint.patches import PATCHES

CPU, MINOR = (
    next(patch for patch in PATCHES if patch.id == name) for name in ("torchaudio-cpu", "torchaudio-cuda-minor")
)
REFUSAL = (
    "Detected that PyTorch and TorchAudio were compiled with different CUDA versions. PyTorch has CUDA version {} "
    "whereas TorchAudio has CUDA version {}. Please install the TorchAudio version that matches your PyTorch version."
)


def utils(ours: str, theirs: str, *, loads: bool = True) -> Any:
    """As torchaudio._extension.utils behaves where torch has `ours` and the library `theirs`."""

    def load(lib: str) -> bool:
        if not loads:
            raise OSError("libcudart.so.13: cannot open shared object file")
        return True

    def check() -> int:
        if ours != theirs:
            raise RuntimeError(REFUSAL.format(ours, theirs))
        return 13000

    return SimpleNamespace(_load_lib=load, _check_cuda_version=check)


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.version, "cuda", "13.2")
    monkeypatch.setattr(torch.ops, "_torchaudio", SimpleNamespace(cuda_version=lambda: 13000), raising=False)


@pytest.mark.usefixtures("cuda")
def test_another_minor_version_passes() -> None:
    library = utils("13.2", "13.0")
    assert apply_patch(MINOR, library).state == "applied"
    assert library._check_cuda_version() == 13000


@pytest.mark.usefixtures("cuda")
def test_another_major_version_is_refused_as_before() -> None:
    library = utils("13.2", "12.8")
    assert apply_patch(MINOR, library).state == "retired"
    with pytest.raises(RuntimeError, match="different CUDA versions"):
        library._check_cuda_version()


@pytest.mark.usefixtures("cuda")
def test_a_refusal_for_another_reason_stays() -> None:
    library = utils("13.2", "13.0")
    apply_patch(MINOR, library)
    assert not native_library.refuses_minor(utils("13.2", "13.2"))
    strange = utils("13.2", "13.2")
    strange._check_cuda_version = lambda: (_ for _ in ()).throw(RuntimeError("no such operator"))
    assert apply_patch(MINOR, strange).state == "retired"


@pytest.mark.usefixtures("cuda")
def test_a_library_that_cannot_be_loaded_beside_cuda_is_not_hidden() -> None:
    library = utils("13.2", "13.0", loads=False)
    assert [apply_patch(patch, library).state for patch in (CPU, MINOR)] == ["retired", "retired"]
    with pytest.raises(OSError, match="libcudart"):
        library._load_lib("_torchaudio")


def test_beside_a_torch_without_cuda_it_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.version, "cuda", None)
    library = utils("", "13.0", loads=False)
    assert [apply_patch(patch, library).state for patch in (CPU, MINOR)] == ["applied", "retired"]
    assert library._load_lib("_torchaudio") is False
