"""docker/gate.py, the last word of a build."""

import json
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

from tools import matrix

PACKAGING = Path(str(distribution("packaging").locate_file("packaging")))


BLACKWELL = ["sm_70", "sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"]


def _gate(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {
        "PYTHONPATH": f"{folder}:{matrix.ROOT}:{PACKAGING.parent}",
        "VOXMATRIX_IMAGE_FACTS": str(folder / "image.json"),
    }
    return subprocess.run(
        [sys.executable, str(matrix.ROOT / "docker" / "gate.py"), *words],
        capture_output=True, text=True, check=False, env=environment,
    )  # fmt: skip


def _measured(folder: Path, kernels: list[str], **libraries: list[str]) -> None:
    named = {f"{name}/lib/lib{name}.so": names for name, names in libraries.items()}
    (folder / "image.json").write_text(json.dumps({"kernels": kernels, "libraries": named}), encoding="utf-8")


def _installed(folder: Path, name: str, version: str, *requirements: str) -> None:
    described = folder / f"{name}-{version}.dist-info"
    described.mkdir(parents=True)
    lines = [f"Name: {name}", f"Version: {version}", *(f"Requires-Dist: {text}" for text in requirements)]
    (described / "METADATA").write_text("\n".join(["Metadata-Version: 2.1", *lines, ""]), encoding="utf-8")


def _torch(folder: Path, version: str, cuda: str | None) -> None:
    (folder / "torch").mkdir()
    (folder / "torch" / "__init__.py").write_text("raise SystemExit('the gate must not import torch')")
    (folder / "torch" / "version.py").write_text(f"__version__ = {version!r}\ncuda = {cuda!r}\n")


@pytest.mark.parametrize(
    ("version", "cuda", "promised", "passes"),
    [
        ("2.13.0+cpu", None, ("2.13.0",), True),
        ("2.13.0", None, ("2.13.0",), True),
        ("2.13.0+cu128", "12.8", ("2.13.0",), False),
        ("2.12.0+cpu", None, ("2.13.0",), False),
        ("2.6.0+cu124", "12.4", ("2.6.0", "12.4"), True),
        ("2.6.0+cpu", None, ("2.6.0", "12.4"), False),
    ],
)
def test_only_the_promised_torch_passes(
    tmp_path: Path, version: str, cuda: str | None, promised: tuple[str, ...], passes: bool
) -> None:
    _torch(tmp_path, version, cuda)
    _installed(tmp_path, "voxmatrix", "1")
    _measured(tmp_path, ["sm_90"])
    done = _gate(tmp_path, *promised)
    assert (done.returncode == 0) is passes, done.stderr
    if not passes:
        assert version.partition("+")[0] in done.stderr


def test_what_the_app_needs_must_be_locked(tmp_path: Path) -> None:
    _torch(tmp_path, "2.13.0", None)
    _installed(tmp_path, "vox_first", "1.5")
    wanted = ("vox-first>=2", "vox-second", 'vox-third; python_version < "3"', 'vox-fourth; extra == "more"')
    _installed(tmp_path, "voxmatrix", "1", *wanted)
    done = _gate(tmp_path, "2.13.0")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "gate: voxmatrix needs vox-first>=2, but 1.5 is locked: run ./run lock",
        "gate: voxmatrix needs vox-second, but vox-second is not installed: run ./run lock",
    ]


@pytest.mark.parametrize(
    ("capabilities", "kernels", "complaint"),
    [
        ("10.0 12.0", "", ""),
        ("7.5 8.9 9.0 10.3 12.1", " ".join(BLACKWELL), ""),
        ("12.0 13.0", "", "promises capability 13.0, but torch 2.10.0 for CUDA 12.8 only has kernels for sm_70 sm_75 "),
        ("6.1", "", "promises capability 6.1, but torch"),
        ("12.0", "sm_90 sm_120", "the row's kernels are sm_90 sm_120, torch's are sm_70 "),
    ],
)
def test_a_promise_without_kernels_ends_the_build_in_one_sentence(
    tmp_path: Path, capabilities: str, kernels: str, complaint: str
) -> None:
    _torch(tmp_path, "2.10.0+cu128", "12.8")
    _installed(tmp_path, "voxmatrix", "1")
    _measured(tmp_path, BLACKWELL, torchaudio=BLACKWELL)
    done = _gate(tmp_path, "2.10.0", "12.8", capabilities, kernels)
    assert complaint in done.stderr
    assert len(done.stderr.splitlines()) == done.returncode == bool(complaint)


def test_a_library_beside_torch_must_keep_the_promise_too_and_cudas_own_need_not(tmp_path: Path) -> None:
    _torch(tmp_path, "2.10.0+cu128", "12.8")
    _installed(tmp_path, "voxmatrix", "1")
    _measured(tmp_path, BLACKWELL, torchaudio=["sm_90", "compute_90"], nvidia=["sm_52"])
    done = _gate(tmp_path, "2.10.0", "12.8", "9.0 12.0")
    assert done.stderr.splitlines() == [
        "gate: the row promises capability 12.0, but torchaudio/lib/libtorchaudio.so only has code for sm_90 compute_90"
    ]


def test_kernels_that_were_never_measured_are_no_kernels(tmp_path: Path) -> None:
    _torch(tmp_path, "2.10.0+cu128", "12.8")
    _installed(tmp_path, "voxmatrix", "1")
    done = _gate(tmp_path, "2.10.0", "12.8", "12.0")
    assert done.returncode == 1
    assert "the kernels are unknown" in done.stderr


@pytest.mark.parametrize(
    ("compiled", "complaint"),
    [
        (["sm_100", "sm_120"], ""),
        (["sm_100"], "gate: flash-attn must have code for sm_120, but has it only for sm_100"),
        ([], "gate: flash-attn must have code for sm_120, but has it only for no GPU"),
    ],
)
def test_flash_attention_has_what_it_was_to_be_compiled_for_and_need_not_serve_older_gpus(
    tmp_path: Path, compiled: list[str], complaint: str
) -> None:
    _torch(tmp_path, "2.10.0+cu128", "12.8")
    _installed(tmp_path, "voxmatrix", "1")
    _measured(tmp_path, BLACKWELL, **({"flash_attn": compiled} if compiled else {}))
    done = _gate(tmp_path, "2.10.0", "12.8", "7.5 12.0", " ".join(BLACKWELL), "100;120" if compiled else "120")
    assert done.stderr.strip() == complaint
    assert done.returncode == bool(complaint)


@pytest.mark.parametrize(
    ("version", "measured", "complaint"),
    [
        ("2.11.0+rocm7.2", ["gfx90a", "gfx1100"], ""),
        ("2.11.0+rocm7.2", ["gfx90a", "gfx1100", "gfx1250"], ""),
        (
            "2.11.0+rocm7.2",
            ["gfx90a"],
            "the row promises kernels for gfx1100, but torch 2.11.0+rocm7.2 only has gfx90a",
        ),
        ("2.11.0+cpu", [], "torch is 2.11.0+cpu for CUDA None, but the row promises 2.11.0+rocm7.2"),
    ],
)
def test_a_torch_for_other_gpus_must_be_that_build_with_the_promised_targets(
    tmp_path: Path, version: str, measured: list[str], complaint: str
) -> None:
    _torch(tmp_path, version, None)
    _installed(tmp_path, "voxmatrix", "1")
    _measured(tmp_path, measured)
    done = _gate(tmp_path, "2.11.0+rocm7.2", "", "", "gfx90a gfx1100")
    assert (done.returncode, complaint in done.stderr) == (1 if complaint else 0, True), done.stderr
