"""Whether a folder can be written is said before anything long begins, with the line that mends it."""

import os
from pathlib import Path

import pytest

from voxmatrix.errors import UnreachableError
from voxmatrix_entrypoint import folders
from voxmatrix_entrypoint.folders import check_folder


def test_a_folder_that_can_be_written_or_made_is_good_and_nothing_is_made(tmp_path: Path) -> None:
    check_folder(tmp_path)
    check_folder(tmp_path / "new" / "ö" / "deep")
    assert list(tmp_path.iterdir()) == []


def test_a_relative_folder_is_looked_for_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    check_folder(Path("new"))
    check_folder(Path())


def test_a_folder_of_somebody_else_is_named_with_what_mends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(os, "access", lambda place, mode: asked.append(place))
    with pytest.raises(UnreachableError) as refused:
        check_folder(tmp_path / "new" / "run")
    assert asked == [tmp_path]
    assert refused.value.exit_code == 8
    assert str(tmp_path / "new" / "run") in refused.value.problem
    assert '--user "$(id -u):0"' in refused.value.remedy


def test_a_read_only_file_system_is_called_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda place, mode: False)
    monkeypatch.setattr(folders, "_is_read_only", lambda place: True)
    with pytest.raises(UnreachableError, match="Read-only"):
        check_folder(tmp_path)


@pytest.mark.parametrize("inside", ["", "run", "deep/run"])
def test_a_file_where_a_folder_is_needed_is_named(tmp_path: Path, inside: str) -> None:
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(UnreachableError, match="taken is not a folder") as refused:
        check_folder(tmp_path / "taken" / inside)
    assert "another path" in refused.value.remedy
    assert "permission" not in refused.value.problem.lower()
