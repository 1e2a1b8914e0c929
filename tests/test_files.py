"""A reader finds the old file or the new one, never half of one."""

import errno
import os
import re
import ssl
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Barrier
from urllib.error import URLError

import pytest

from voxmatrix.errors import BadInputError, UnreachableError, UsageError
from voxmatrix.files import (
    check_not_folder,
    digest,
    read_errors,
    read_text_or_empty,
    remove_leftovers,
    remove_unfinished,
    replacing,
    replacing_path,
    storage_errors,
    write_text,
)


def test_a_block_that_ends_well_replaces_the_file(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "a.txt"
    write_text(path, "one")
    write_text(path, "två")

    assert path.read_text(encoding="utf-8") == "två"
    assert [entry.name for entry in path.parent.iterdir()] == ["a.txt"]


def test_a_block_that_fails_leaves_the_old_file_and_no_trace(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_text(path, "old")

    with pytest.raises(RuntimeError), replacing(path) as file:
        file.write(b"new")
        raise RuntimeError

    assert path.read_text(encoding="utf-8") == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.txt"]


def test_a_full_disk_is_named_with_its_mend(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_text(path, "old")

    with pytest.raises(UnreachableError, match=r"a\.txt") as caught, replacing(path):
        raise OSError(errno.ENOSPC, "No space left on device")

    assert caught.value.exit_code == 8
    assert "space" in caught.value.remedy
    assert path.read_text(encoding="utf-8") == "old"


@pytest.mark.parametrize("name", ["file/a.txt", "file/deep/a.txt", "x" * 300])
def test_a_place_that_cannot_be_is_named_with_its_mend(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UnreachableError, match="cannot write") as caught:
        write_text(tmp_path / name, "new")
    assert "choose" in caught.value.remedy
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("name", ["folder", ".", ""])
def test_a_folder_is_refused_before_anything_is_done(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="is a folder"), replacing(Path(name)):
        pytest.fail("the block is not entered")
    assert [entry.name for entry in tmp_path.iterdir()] == ["folder"]


#: Of Linux; on other systems some have other numbers or none.
ERRNOS = sorted(set(errno.errorcode) - {errno.EPIPE, errno.ESHUTDOWN, errno.ECONNABORTED, errno.ECONNREFUSED,
                                        errno.ECONNRESET})  # fmt: skip


@pytest.mark.parametrize("number", ERRNOS, ids=errno.errorcode.get)
def test_every_error_of_the_system_is_named_with_its_mend(number: int, tmp_path: Path) -> None:
    problem = re.escape(f"cannot write {tmp_path / 'a'}: {os.strerror(number)}")
    with pytest.raises(UnreachableError, match=problem) as written, replacing(tmp_path / "a"):
        raise OSError(number, os.strerror(number))
    assert written.value.remedy and list(tmp_path.iterdir()) == []
    with pytest.raises((BadInputError, UnreachableError), match="cannot read") as read, read_errors(tmp_path / "a"):
        raise OSError(number, os.strerror(number))
    missing = ("ENOENT", "EISDIR", "ENOTDIR", "EACCES", "EPERM", "ENAMETOOLONG", "ELOOP")
    assert read.value.remedy and read.value.exit_code == (3 if errno.errorcode[number] in missing else 8)


def test_errors_of_networks_and_libraries_pass_as_they_are(tmp_path: Path) -> None:
    for error in (ConnectionResetError(errno.ECONNRESET, ""), ssl.SSLError(1, "no"), URLError("no"), OSError("no")):
        for context in (storage_errors, read_errors):
            with pytest.raises(type(error)), context(tmp_path):
                raise error


def test_the_digest_is_sha256(tmp_path: Path) -> None:
    write_text(tmp_path / "a", "abc")

    assert digest(tmp_path / "a").startswith("ba7816bf")


def test_what_a_killed_process_leaves_is_known_by_its_number(tmp_path: Path) -> None:
    paths = [tmp_path / "[a].txt", tmp_path / "a.txt"]

    with suppress(UnreachableError), replacing(paths[0]), replacing(paths[1]):
        remove_unfinished(paths[0], os.getpid() + 1)
        assert len(list(tmp_path.iterdir())) == 2
        remove_unfinished(paths[0], os.getpid())
        (left,) = tmp_path.iterdir()
        assert left.name.startswith(".a.txt.")


def test_what_killed_processes_had_half_written_is_removed(tmp_path: Path) -> None:
    (tmp_path / ".last.ckpt.123.part").write_bytes(b"half")
    (tmp_path / "last.ckpt").write_bytes(b"whole")
    remove_leftovers(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["last.ckpt"]


def test_threads_that_write_the_same_file_do_not_disturb_each_other(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    together = Barrier(8)

    def write(number: int) -> None:
        with replacing(path) as file:
            together.wait(60)
            file.write(f"{number}".encode() * 1000)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))

    assert len(set(path.read_text(encoding="utf-8"))) == 1 and list(tmp_path.iterdir()) == [path]


def test_containers_that_share_a_folder_do_not_disturb_each_other_though_their_processes_have_the_same_numbers(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.txt"

    with replacing(path) as one:
        one.write(b"one")
        with replacing(path) as other:  # the same process and thread
            other.write(b"other")

    assert path.read_text(encoding="utf-8") == "one" and list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_not_there_reads_as_empty(tmp_path: Path) -> None:
    assert read_text_or_empty(tmp_path / "absent") == ""
    assert read_text_or_empty(tmp_path) == ""


def test_another_program_writes_a_file_that_appears_when_it_is_complete(tmp_path: Path) -> None:
    target = tmp_path / "out" / "a.txt"
    with replacing_path(target) as beside:
        assert beside.parent == target.parent and not target.exists()
        beside.write_text("new", encoding="utf-8")
    assert target.read_text(encoding="utf-8") == "new"
    with pytest.raises(ZeroDivisionError), replacing_path(target) as beside:
        beside.write_text("half", encoding="utf-8")
        raise ZeroDivisionError
    assert target.read_text(encoding="utf-8") == "new" and [path.name for path in target.parent.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("before", ["old", None], ids=["target", "dangling"])
@pytest.mark.parametrize("relative", [True, False])
def test_a_link_stays_and_its_target_is_written(before: str | None, relative: bool, tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    target, link = tmp_path / "disk" / "a.txt", tmp_path / "here" / "link.txt"
    link.parent.mkdir()
    link.symlink_to(Path("..", "disk", "a.txt") if relative else target)
    (tmp_path / "second.txt").symlink_to(link)
    if before:
        target.write_text(before)

    write_text(tmp_path / "second.txt", "new")

    assert target.read_text() == "new"
    assert not target.is_symlink() and link.is_symlink() and (tmp_path / "second.txt").is_symlink()
    assert [entry.name for folder in ("disk", "here") for entry in (tmp_path / folder).iterdir()] == [
        "a.txt",
        "link.txt",
    ]


def test_a_block_that_fails_leaves_the_target_of_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    target.write_text("old")
    link.symlink_to(target)

    with pytest.raises(RuntimeError), replacing(link) as file:
        file.write(b"new")
        raise RuntimeError

    assert link.is_symlink() and target.read_text() == "old"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["link.txt", "target.txt"]


def test_a_file_in_a_linked_folder_is_written_there(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "disk", target_is_directory=True)
    write_text(tmp_path / "link" / "a.txt", "new")
    assert (tmp_path / "disk" / "a.txt").read_text() == "new"
    assert (tmp_path / "link").is_symlink()


def test_links_that_form_a_loop_are_refused_before_the_work_and_stay(tmp_path: Path) -> None:
    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    first.symlink_to(second)
    second.symlink_to(first)
    for path in (first, second):
        with pytest.raises(UsageError, match="leads to itself"):
            check_not_folder(path)
        with pytest.raises(UsageError, match="leads to itself"):
            write_text(path, "new")
    assert first.is_symlink() and second.is_symlink()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_replaced(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe.wav", tmp_path / "link.wav"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        with pytest.raises(UsageError, match="a device or a pipe"):
            write_text(path, "new")
    assert pipe.is_fifo()


def test_what_a_killed_process_leaves_of_the_target_of_a_link_is_removed(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    link = tmp_path / "a.wav"
    link.symlink_to(tmp_path / "disk" / "b.wav")
    with pytest.raises(RuntimeError), replacing_path(link) as beside:
        left = beside.with_name(beside.name)
        kept = left.with_suffix(".kept")
        beside.rename(kept)
        raise RuntimeError
    kept.rename(left)

    remove_unfinished(link, os.getpid())

    assert not list((tmp_path / "disk").iterdir())


def test_the_folder_is_flushed_after_the_file_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed: list[tuple[bool, bool]] = []  # whether it is a folder, and whether the file had its name
    monkeypatch.setattr(
        os, "fsync", lambda number: flushed.append((stat.S_ISDIR(os.fstat(number).st_mode), (tmp_path / "a").exists()))
    )
    write_text(tmp_path / "a", "new")
    assert flushed == [(False, False), (True, True)]


def test_a_folder_that_cannot_be_flushed_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fsync(number: int) -> None:
        if stat.S_ISDIR(os.fstat(number).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(os, "fsync", fsync)
    write_text(tmp_path / "a", "new")
    assert (tmp_path / "a").read_text() == "new"
