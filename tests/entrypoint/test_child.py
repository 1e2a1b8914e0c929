"""A process that the app starts for itself has the patches that the command has."""

import subprocess
import sys
from pathlib import Path

import pytest


def test_a_module_is_run_with_its_words_after_patching(tmp_path: Path) -> None:
    (tmp_path / "said.py").write_text(
        "import sys\nfrom importlib.util import find_spec\nfind_spec('torchaudio')\n"
        "from wrapt.importer import _post_import_hooks as hooks\n"
        "print(__name__, sys.argv[1:], 'torchaudio._extension.utils' in hooks)\n"
    )
    command = [sys.executable, "-m", "voxmatrix_entrypoint.child", "said", "ö", "--json"]
    environment = {"PYTHONPATH": str(tmp_path), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, env=environment)
    assert done.stdout == "__main__ ['ö', '--json'] True\n", done.stderr


@pytest.mark.parametrize(("words", "allowed", "said"), [([], "", "MODULE"), (["said"], "nonsense", "nonsense")])
def test_a_mistake_is_said_in_a_sentence(words: list[str], allowed: str, said: str) -> None:
    command = [sys.executable, "-m", "voxmatrix_entrypoint.child", *words]
    environment = {"VOXMATRIX_PATCHES": allowed, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, env=environment)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
