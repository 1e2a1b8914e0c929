"""Each patch of the ledger has a case that fails without it. `./run patches` runs them beside several torches."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import soundfile

from voxmatrix_entrypoint import patches
from voxmatrix_entrypoint.ledger import apply_patch

ROOT = Path(__file__).parents[2]


def _python(code: str, allowed: str = "on", **more: str) -> subprocess.CompletedProcess[str]:
    """Code in a process of its own, with the patches that are allowed."""
    environment = {"VOXMATRIX_PATCHES": allowed, "PATH": "/usr/bin:/bin", **more}
    words = [
        sys.executable,
        "-W",
        "ignore",
        "-c",
        f"from voxmatrix_entrypoint import patches; patches.install()\n{code}",
    ]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=300, env=environment)


def _only(*absent: str) -> str:
    return ",".join(patch.id for patch in patches.PATCHES if patch.id not in absent)


_STATES = "\nprint({patch.id: patches.LEDGER.outcome(patch).state for patch in patches.PATCHES})"


def test_torchaudio_can_be_imported_beside_the_torch_that_is_installed() -> None:
    """By patches or without; and what the trainer takes from it works."""
    done = _python("import torchaudio; print(torchaudio.functional.melscale_fbanks(513, 0.0, 8000.0, 80, 16000).shape)")
    assert done.returncode == 0, done.stderr
    assert "513, 80" in done.stdout


@pytest.mark.parametrize(
    ("name", "said"),
    [("torchaudio-cpu", "_torchaudio"), ("torchaudio-cuda-minor", "different CUDA versions")],
)
def test_without_its_patch_the_import_of_torchaudio_fails(name: str, said: str) -> None:
    states = _python(f"import torchaudio{_STATES}").stdout
    without = _python("import torchaudio", allowed=_only(name))
    if f"'{name}': 'applied'" not in states:
        assert without.returncode == 0, without.stderr  # where it is not needed, nothing fails without it
        pytest.skip(f"{name} is not needed beside this torch")
    assert without.returncode != 0
    assert said in without.stderr


def test_torchaudio_load_reads_a_wav_only_with_its_patch(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "ö a.wav", [[0.5, -0.25], [0.0, 1.0], [0.25, 0.125]], 22050, subtype="FLOAT")
    code = (
        "import sys, torchaudio\n"
        f"samples, rate = torchaudio.load({str(tmp_path / 'ö a.wav')!r}, frame_offset=1)\n"
        f"print(samples.tolist(), rate){_STATES}"
    )
    done, without = _python(code), _python(code, allowed=_only("torchaudio-load"))
    assert done.stdout.startswith("[[0.0, 0.25], [1.0, 0.125]] 22050"), done.stderr
    if "'torchaudio-load': 'applied'" not in done.stdout:
        assert without.returncode == 0, without.stderr
        pytest.skip("torchaudio loads by itself here")
    assert without.returncode != 0
    assert "orch" in without.stderr.splitlines()[-1]  # TorchCodec, torchcodec, libtorchcodec


def test_no_patch_is_taken_back_here() -> None:
    done = _python(f"import torchaudio{_STATES}")
    assert "taken back" not in done.stdout + done.stderr


def test_installing_imports_neither_torch_nor_torchaudio() -> None:
    done = _python("import sys; print([name for name in ('torch', 'torchaudio', 'typer') if name in sys.modules])")
    assert done.stdout.strip() == "[]", done.stderr


def test_what_is_done_is_silent_and_said_where_a_log_is_asked_for() -> None:
    assert _python("import torchaudio").stderr == ""
    logged = _python("import torchaudio", VOXMATRIX_LOG="1").stderr
    assert len(logged.splitlines()) == len(patches.PATCHES)
    assert all(f"patch {patch.id}: " in logged for patch in patches.PATCHES)


def test_one_that_is_taken_back_is_named_in_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    from tests.entrypoint import fakes

    broken = fakes.patch(verify=lambda module: False)
    patches._report(broken, apply_patch(broken, fakes.module()))
    said = capsys.readouterr()
    assert said.out == ""
    assert "the patch answer was taken back" in said.err
    assert broken.upstream in said.err


def test_a_patch_that_nobody_knows_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    done = _python("", allowed="torchaudio-cpu,nonsense")
    assert "UsageError" in done.stderr
    assert "nonsense" in done.stderr


@pytest.mark.parametrize("patch", patches.PATCHES, ids=lambda patch: patch.id)
def test_every_patch_says_why_where_and_until_when(patch: Any) -> None:
    assert [one.id for one in patches.PATCHES].count(patch.id) == 1
    assert patch.reason
    assert patch.until
    assert patch.upstream.startswith("https://github.com/")
    page = (ROOT / "docs" / "inside" / "patches.md").read_text(encoding="utf-8")
    assert f"`{patch.id}`" in page
    assert patch.upstream in page
