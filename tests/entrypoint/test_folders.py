"""Whether a folder can be written is said before anything long begins, with the line that mends it."""

import os
from pathlib import Path

import pytest

from voxmatrix import ownership
from voxmatrix.errors import UnreachableError
from voxmatrix.ownership import Process
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
    me = os.getuid()
    monkeypatch.setattr(os, "access", lambda place, mode: asked.append(place))
    monkeypatch.setattr(ownership, "this_process", lambda: Process(user=me + 1, groups=frozenset()))
    with pytest.raises(UnreachableError) as refused:
        check_folder(tmp_path / "new" / "run")
    assert asked == [tmp_path]
    assert refused.value.exit_code == 8
    assert str(tmp_path / "new" / "run") in refused.value.problem
    assert f"{tmp_path} belongs to user {me}, and this is user {me + 1}" in refused.value.problem
    assert f"sudo chown -R {me + 1}" in refused.value.remedy
    assert '--user "$(id -u):0"' in refused.value.remedy
    assert "VOXMATRIX_UID=$(id -u)" in refused.value.remedy


def test_a_read_only_file_system_is_called_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda place, mode: False)
    monkeypatch.setattr(folders, "_is_read_only", lambda place: True)
    with pytest.raises(UnreachableError, match="Read-only"):
        check_folder(tmp_path)


def mountinfo(folder: Path, mounted: Path) -> Path:
    """A file as proc_pid_mountinfo(5) in a container: the image, a mounted folder, and one in memory."""
    escaped = str(mounted).replace(" ", "\\040")
    path = folder / "mountinfo"
    path.write_text(
        "588 577 0:52 / / rw,relatime master:238 - overlay overlay rw,lowerdir=/x\n"
        f"599 588 8:1 /home/me/data {escaped} rw,relatime - ext4 /dev/sda1 rw\n"
        f"600 588 0:60 / {escaped}/memory rw,nosuid - tmpfs tmpfs rw\n",
        encoding="utf-8",
    )
    return path


def test_a_folder_that_is_deleted_with_the_container_is_named(tmp_path: Path) -> None:
    mounted = tmp_path / "my data"
    (mounted / "memory").mkdir(parents=True)
    mounts = mountinfo(tmp_path, mounted)
    assert folders.lost_with_container(mounted / "new" / "run", mounts) is None
    for folder in (tmp_path / "run", mounted / "memory" / "run"):
        finding = folders.lost_with_container(folder, mounts)
        assert finding is not None
        assert str(folder) in finding.problem
        assert '-v "$PWD/data:/data"' in finding.remedy


def test_where_mounts_are_unknown_nothing_is_claimed(tmp_path: Path) -> None:
    assert folders.lost_with_container(tmp_path, tmp_path / "absent") is None


@pytest.mark.parametrize("inside", ["", "run", "deep/run"])
def test_a_file_where_a_folder_is_needed_is_named(tmp_path: Path, inside: str) -> None:
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(UnreachableError, match="taken is not a folder") as refused:
        check_folder(tmp_path / "taken" / inside)
    assert "another path" in refused.value.remedy
    assert "permission" not in refused.value.problem.lower()
