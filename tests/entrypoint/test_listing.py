"""`voxmatrix patches` lists every patch with its state, also those that are off or cannot be tried."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.entrypoint.fakes import GOOD, patch
from voxmatrix_entrypoint import patches
from voxmatrix_entrypoint.ledger import PatchLedger
from voxmatrix_entrypoint.listing import row, try_all


def listed(*words: str, allowed: str = "") -> subprocess.CompletedProcess[str]:
    environment = {"VOXMATRIX_PATCHES": allowed, "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-m", "voxmatrix_entrypoint", "patches", *words]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=300, env=environment)


def test_each_is_named_with_its_reason_and_where_upstream_knows_of_it() -> None:
    said = listed().stdout
    for one in patches.PATCHES:
        assert f"{one.id}: " in said
        assert one.reason in said
        assert one.upstream in said


def test_json_has_the_states_and_nothing_was_imported() -> None:
    rows = json.loads(listed("--json").stdout)["patches"]
    assert [one["id"] for one in rows] == [one.id for one in patches.PATCHES]
    assert {one["state"] for one in rows} <= {"waiting", "not for this version"}
    assert set(rows[0]) == {"id", "state", "note", "reason", "upstream", "until", "applies", "installed"}


def test_tried_each_has_an_end() -> None:
    rows = json.loads(listed("--try", "--json").stdout)["patches"]
    assert {one["state"] for one in rows} <= {"applied", "retired", "not for this version"}


def test_off_is_said() -> None:
    rows = json.loads(listed("--json", allowed="torchaudio-load").stdout)["patches"]
    assert [one["state"] == "off" for one in rows] == [one["id"] != "torchaudio-load" for one in rows]


@pytest.mark.parametrize("allowed", [[], ["answer"]])
def test_a_module_that_cannot_be_imported_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, allowed: list[str]
) -> None:
    (tmp_path / "broken_package.py").write_text("raise OSError('libcudart.so.13: cannot open\\nmore')")
    monkeypatch.syspath_prepend(tmp_path)
    one = patch(module="broken_package")
    ledger = PatchLedger([one], lambda patch, outcome: None)
    ledger.install(allowed)
    failed = try_all(ledger)
    assert failed == {"broken_package": "broken_package cannot be imported: OSError: libcudart.so.13: cannot open"}
    assert row(ledger, one, failed["broken_package"])["note"] == failed["broken_package"]


def test_a_ledger_that_was_not_installed_says_so() -> None:
    assert row(PatchLedger([GOOD], lambda patch, outcome: None), GOOD, "")["state"] == "off"
