"""A reader finds the old file or the new one, never half of one."""

import errno
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Barrier

import pytest

from voxmatrix.errors import UnreachableError, UsageError
from voxmatrix.files import digest, read_text_or_empty, remove_unfinished, replacing, replacing_path, write_text


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


def test_another_error_of_the_system_is_not_renamed(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="strange"), replacing(tmp_path / "a"):
        raise OSError(errno.EIO, "strange")


def test_the_digest_is_sha256(tmp_path: Path) -> None:
    write_text(tmp_path / "a", "abc")

    assert digest(tmp_path / "a").startswith("ba7816bf")


def test_what_a_killed_process_leaves_is_known_by_its_number(tmp_path: Path) -> None:
    paths = [tmp_path / "[a].txt", tmp_path / "a.txt"]

    with suppress(FileNotFoundError), replacing(paths[0]), replacing(paths[1]):
        remove_unfinished(paths[0], os.getpid() + 1)
        assert len(list(tmp_path.iterdir())) == 2
        remove_unfinished(paths[0], os.getpid())
        (left,) = tmp_path.iterdir()
        assert left.name.startswith(".a.txt.")


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
