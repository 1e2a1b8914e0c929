"""What mends a folder that may not be written depends on who owns it, in whose eyes, and on what else forbids it."""

import os
import sys
from pathlib import Path, PosixPath

import pytest

from voxmatrix.errors import UnreachableError
from voxmatrix.files import replacing
from voxmatrix.ownership import Process, explain, this_process

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither owners by number nor modes")

STRANGER = Process(user=1000, groups=frozenset({0}))
ROOTLESS = Process(user=1000, groups=frozenset({0}), mapped=True)
PODMAN = Process(user=1000, groups=frozenset({0}), mapped=True, podman=True)


class Place(PosixPath):
    """A folder whose owner and mode are as the test says."""

    status: os.stat_result

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        return self.status


def folder(owner: int, mode: int = 0o755, group: int = 0) -> Path:
    place = Place("/data")
    place.status = os.stat_result((0o040000 | mode, 0, 0, 0, owner, group, 0, 0, 0, 0))
    return place


def test_a_folder_of_somebody_else_is_given_or_the_container_runs_as_yourself() -> None:
    problem, remedy = explain(folder(1234), STRANGER)
    assert problem == "/data belongs to user 1234, and this is user 1000"
    assert remedy.startswith("run sudo chown -R 1000 on that folder")
    assert 'add --user "$(id -u):0" (with Compose: VOXMATRIX_UID=$(id -u))' in remedy


@pytest.mark.parametrize("process", [ROOTLESS, PODMAN])
def test_in_a_rootless_container_its_user_0_is_who_started_it(process: Process) -> None:
    problem, remedy = explain(folder(0), process)
    assert problem == "/data belongs to user 0, and this is user 1000 of a rootless container"
    assert remedy.startswith("add --user 0:0 (with Compose: VOXMATRIX_UID=0)")
    assert "chown" not in remedy


def test_what_another_user_of_a_rootless_container_wrote_is_written_as_that_user() -> None:
    assert explain(folder(4321), ROOTLESS)[1] == "add --user 4321:0 (with Compose: VOXMATRIX_UID=4321)"
    remedy = explain(folder(4321), PODMAN)[1]
    assert remedy.startswith("add --user 4321:0 (with Compose: VOXMATRIX_UID=4321), or on the host run podman unshare")
    assert remedy.endswith("add --user 0:0 (with Compose: VOXMATRIX_UID=0)")


def test_what_belongs_to_nobody_in_a_rootless_container_is_given_on_the_host() -> None:
    problem, remedy = explain(folder(65534), ROOTLESS)
    assert "a user who is not in the container" in problem
    assert remedy.startswith('on the host run sudo chown -R "$(id -u)"') and "--user 0:0" in remedy


def test_a_mode_that_keeps_its_own_owner_out_is_changed_and_nobody_is_given_anything() -> None:
    for process in (STRANGER, ROOTLESS):
        assert explain(folder(1000, 0o555), process) == (
            "/data is yours, but its mode is 555",
            "run chmod u+rwX /data",
        )


@pytest.mark.parametrize(("owner", "mode", "group"), [(1000, 0o755, 0), (0, 0o775, 0), (7, 0o757, 7)])
def test_where_the_mode_allows_it_something_else_forbids_it(owner: int, mode: int, group: int) -> None:
    place = folder(owner, mode, group)
    problem, remedy = explain(place, STRANGER)
    assert "access list" in problem and "SELinux" not in problem
    assert "chown" not in remedy and ":Z" not in remedy
    problem, remedy = explain(place, Process(user=1000, groups=frozenset({0}), selinux=True))
    assert "SELinux" in problem
    assert '-v "$PWD/data:/data:Z"' in remedy


def computer(root: Path, *, uid_map: str, label: str = "", mark: bool = False) -> Path:
    for name, text in {"uid_map": uid_map, "attr/current": label}.items():
        path = root / "proc/self" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    if mark:
        (root / "run").mkdir()
        (root / "run/.containerenv").touch()
    return root


@pytest.mark.parametrize(
    ("uid_map", "mapped"),
    [
        ("         0          0 4294967295\n", False),
        ("         0       1001          1\n         1     100000      65536\n", True),  # podman 4.3 of Debian 12
        ("      1000       1000          1\n", True),
    ],
)
def test_users_are_mapped_unless_all_are_themselves(tmp_path: Path, uid_map: str, mapped: bool) -> None:
    process = this_process(computer(tmp_path, uid_map=uid_map), {})
    assert (process.mapped, process.podman, process.selinux) == (mapped, False, False)
    assert process.user == os.getuid() and os.getgid() in process.groups


def test_podman_is_known_by_its_file_or_where_a_read_only_container_has_none_by_its_variable(tmp_path: Path) -> None:
    root = computer(tmp_path, uid_map="0 0 4294967295")
    assert this_process(root, {"container": "podman"}).podman
    assert not this_process(root, {"container": "oci"}).podman
    assert this_process(computer(root, uid_map="0 0 4294967295", mark=True), {}).podman


@pytest.mark.parametrize(
    ("label", "selinux"),
    [
        ("system_u:system_r:container_t:s0:c123,c456\0", True),
        ("docker-default (enforce)\n", False),
        ("unconfined\n", False),
    ],
)
def test_selinux_is_known_by_its_label_which_apparmor_does_not_write(tmp_path: Path, label: str, selinux: bool) -> None:
    assert this_process(computer(tmp_path, uid_map="0 0 4294967295", label=label), {}).selinux is selinux


def test_a_system_without_proc_maps_nobody(tmp_path: Path) -> None:
    process = this_process(tmp_path, {})
    assert not (process.mapped or process.podman or process.selinux)


def test_the_folder_is_named_and_not_the_file_in_it_that_would_be_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file may belong to this user, who may not write a new one beside it."""
    (tmp_path / "a.txt").touch()

    def refused(path: Path) -> None:
        raise PermissionError(13, os.strerror(13), str(path))

    monkeypatch.setattr(Path, "touch", refused)
    monkeypatch.setattr("voxmatrix.ownership.this_process", lambda: Process(user=os.getuid() + 1, groups=frozenset()))
    with pytest.raises(UnreachableError) as error, replacing(tmp_path / "a.txt"):
        pass
    assert f"; {tmp_path} belongs to user {os.getuid()}, and this is user {os.getuid() + 1}" in error.value.problem
