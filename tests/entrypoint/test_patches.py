"""Each patch of the ledger has a case that fails without it."""

import subprocess
import sys

import pytest
import torch

from entrypoint import patches


def _python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.skipif(torch.version.cuda is not None, reason="this torch has CUDA: torchaudio's library loads")
def test_torchaudio_imports_on_cpu_torch_only_with_the_patch() -> None:
    without = _python("import torchaudio")
    if without.returncode == 0:
        pytest.skip("this torchaudio is a CPU build and needs no patch")
    assert "_torchaudio" in without.stderr  # its library; which one of CUDA's it misses first differs

    patched = _python(
        "from entrypoint import patches; patches.install()\n"
        "import torchaudio\n"
        "print(torchaudio.functional.melscale_fbanks(513, 0.0, 8000.0, 80, 16000).shape)"
    )

    assert patched.returncode == 0, patched.stderr
    assert "513, 80" in patched.stdout


def test_installing_imports_neither_torch_nor_torchaudio() -> None:
    answer = _python(
        "import sys; from entrypoint import patches; patches.install()\n"
        "print([name for name in ('torch', 'torchaudio') if name in sys.modules])"
    )

    assert answer.stdout.strip() == "[]", answer.stderr


def test_a_patch_is_applied_once_however_often_it_is_installed() -> None:
    answer = _python(
        "from entrypoint import patches; patches.install(); patches.install()\n"
        "import torchaudio._extension.utils as utils\n"
        "print(utils._load_lib.__closure__[0].cell_contents.__name__)"
    )

    assert answer.stdout.strip() == "_load_lib", answer.stderr


def test_every_patch_says_why_and_where() -> None:
    assert len({patch.id for patch in patches.LEDGER}) == len(patches.LEDGER)
    for patch in patches.LEDGER:
        assert patch.reason and patch.upstream.startswith("https://")
