"""Call number n of the disk fails while a student is taught: one error, and the same command goes on.

The whole product is tried with VOXMATRIX_HYPOTHESIS=full, a part of it otherwise.
"""

import shutil
from pathlib import Path

import pytest

from tests.distil.student.teaching import Humming, quiet, settings_of, small
from tests.toys.faults import CALLS, Faults, planted, some_cases
from voxmatrix.distil import trainer
from voxmatrix.distil.student.run import teach
from voxmatrix.errors import DamagedFileError, VoxmatrixError
from voxmatrix.files import is_system_error
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.piper.files import config_path

pytestmark = [pytest.mark.espeak, pytest.mark.slow]


def tried(text: Path, out: Path, teacher: Humming) -> Exception | None:
    """The error that it ends with."""
    try:
        teach(settings_of(text, out, teacher), quiet)
    except Exception as error:
        return error
    return None


@pytest.mark.parametrize("call", [call for call in CALLS if call != "execute"])
def test_after_a_fault_the_same_command_goes_on(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainer, "SAVE_SECONDS", 0.0)
    monkeypatch.setattr(trainer, "READ_EVERY", 1)
    folder = tmp_path / "place"
    folder.mkdir()
    text, out = tmp_path / "text.txt", folder / "voice.onnx"
    text.write_text("\n".join(f"This is sentence number {number}." for number in range(12)), encoding="utf-8")
    wrong = []
    with small():
        with planted(Faults(folder, call)) as counted:
            assert tried(text, out, Humming()) is None
        for number, error in some_cases(call, counted.seen, some=1):
            shutil.rmtree(folder)
            folder.mkdir()
            with planted(Faults(folder, call, number, error)):
                failed = tried(text, out, Humming())
            case = f"{call} {number} of {counted.seen}, {error}: {type(failed).__name__}: {failed}"[:500]
            explained = isinstance(failed, VoxmatrixError) or (isinstance(failed, OSError) and is_system_error(failed))
            if failed is not None and (not explained or isinstance(failed, DamagedFileError)):
                wrong.append(case)
            if list(folder.rglob("*damaged*")):
                wrong.append(f"{case}; something whole was renamed")
            second = tried(text, out, Humming()) if failed is not None else None
            if second is not None or not VoiceConfig.read(config_path(out)).rate_hz:
                wrong.append(f"{case}; then {type(second).__name__}: {second}"[:700])
    assert not wrong, "\n".join(wrong)
