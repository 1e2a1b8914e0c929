"""Each file that a distillation keeps, cut at its beginning, at a third and at two: it is named, or made again.

All are tried with VOXMATRIX_HYPOTHESIS=full, otherwise those that end the command at once.
"""

import shutil
from pathlib import Path

import pytest
from hypothesis import settings

from tests.toys.home import cut, cuts, files_of
from voxmatrix.cli import main

VOICE = Path(__file__).with_name("voices") / "en_US-slt-tiny.onnx"
HARVARD = Path(__file__).parents[2] / "app/voxmatrix/text/prompts/harvard.txt"
#: What is said of a file, and ends the command with exit code 9. All others are made again.
NAMED = {
    "source.json": "source.json is damaged: it does not say any more which voice and text were learned from",
    "state.ckpt": "state.ckpt is damaged, or was written by another version",
}


@pytest.mark.espeak
@pytest.mark.usefixtures("forked_programs")
def test_no_truncated_file_is_silent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("\n".join(HARVARD.read_text(encoding="utf-8").splitlines()[:40]), encoding="utf-8")
    words = ["distil", str(VOICE), "--out", "fast.onnx", "--steps", "1", "--text", "text.txt"]
    assert main.run(words) == 3  # it does not sound like its original yet: what was learned is kept
    folder, whole = Path("fast.distil"), Path("whole")
    shutil.copytree(folder, whole)
    full = settings().max_examples >= settings.get_profile("full").max_examples
    for name, part in cuts(files_of(whole)):
        if not full and name.name not in NAMED:
            continue
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(whole, folder)
        cut(folder / name, part)
        capsys.readouterr()
        code, said = main.run([*words, "--force"]), capsys.readouterr().err
        if name.name in NAMED:
            assert code == 9 and NAMED[name.name] in said, (name, part, said)
            assert (folder / "0000.npz").read_bytes() == (whole / "0000.npz").read_bytes()
            (folder / name).unlink()  # as the remedy says
            code = main.run([*words, "--force"]) if full else 0
        assert code == 0, (name, part, said)
