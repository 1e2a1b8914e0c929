import os
import threading
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from voxmatrix.dataset.cache import INDEX_NAME, STALE_SECONDS, Cache, Stamp
from voxmatrix.errors import DamagedFileError, UnreachableError


class Fact(NamedTuple):
    number: int = 0
    word: str = ""


class Newer:
    class Fact(NamedTuple):
        number: int = 0
        word: str = ""
        more: float = 0.0


def test_what_was_remembered_is_known_to_the_next_run(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(b"sound")
    stamp = Stamp.of(str(path))
    with Cache(tmp_path / "cache", fact=Fact) as cache:
        cache.store_file(str(path), stamp, "abc")
        cache.store("key", Fact(5, "å"))
    with Cache(tmp_path / "cache", fact=Fact) as cache:
        assert cache.lookup_files([str(path), str(tmp_path / "b.wav")]) == {str(path): (stamp, "abc")}
        assert cache.lookup(Fact, ["key", "other"]) == {"key": Fact(5, "å")}


def test_a_fact_of_other_fields_is_another_fact(tmp_path: Path) -> None:
    with Cache(tmp_path, fact=Fact) as cache:
        cache.store("key", Fact(5))
    with Cache(tmp_path, fact=Newer.Fact) as cache:
        assert cache.lookup(Newer.Fact, ["key"]) == {}


def test_a_stamp_changes_with_the_content(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(b"1")
    before = Stamp.of(str(path))
    path.write_bytes(b"2")
    os.utime(path, ns=(before.mtime_ns + 1, before.mtime_ns + 1))
    assert Stamp.of(str(path)) != before


def test_more_keys_than_sqlite_takes_at_once_are_looked_up(tmp_path: Path) -> None:
    with Cache(tmp_path, fact=Fact) as cache:
        for number in range(1300):
            cache.store(str(number), Fact(number))
        assert len(cache.lookup(Fact, map(str, range(5000)))) == 1300


def test_a_clip_is_held_when_all_of_it_is_there(tmp_path: Path) -> None:
    with Cache(tmp_path) as cache:
        path = Cache.clip_path(tmp_path, "abcdef")
        path.parent.mkdir(parents=True)
        assert not cache.holds_clip("abcdef", 1000)
        for samples in (0, 1, 1000, 123_456_789 // 1000):
            np.save(path, np.zeros(samples, np.int16))
            assert cache.holds_clip("abcdef", samples)
            assert not cache.holds_clip("abcdef", samples + 1)


def test_parts_of_killed_runs_are_removed_and_those_of_running_ones_left(tmp_path: Path) -> None:
    folder = Cache.clip_path(tmp_path, "abcdef").parent
    folder.mkdir(parents=True)
    old, new, clip = folder / ".old.npy.1.part", folder / ".new.npy.2.part", folder / "abcdef.npy"
    for path in (old, new, clip):
        path.touch()
    long_ago = time.time() - STALE_SECONDS - 1
    os.utime(old, (long_ago, long_ago))
    with Cache(tmp_path) as cache:
        cache.clean()
    assert not old.exists()
    assert new.exists()
    assert clip.exists()


@pytest.mark.parametrize("content", [b"this is no database" * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_index_is_said_and_can_be_put_aside(tmp_path: Path, content: bytes) -> None:
    (tmp_path / INDEX_NAME).write_bytes(content)
    with pytest.raises(DamagedFileError, match="damaged"):
        Cache(tmp_path)
    Cache.discard(tmp_path)
    with Cache(tmp_path, fact=Fact) as cache:
        assert not cache.lookup(Fact, ["key"])


def test_a_place_that_cannot_be_written_is_exit_code_8(tmp_path: Path) -> None:
    (tmp_path / INDEX_NAME).mkdir()
    with pytest.raises(UnreachableError, match="cannot use") as caught:
        Cache(tmp_path)
    assert caught.value.exit_code == 8


def test_a_file_in_the_way_of_the_folder_is_exit_code_8(tmp_path: Path) -> None:
    (tmp_path / "home").touch()
    for folder in (tmp_path / "home", tmp_path / "home" / "cache"):
        with pytest.raises(UnreachableError, match="cannot write"):
            Cache(folder)


def test_threads_share_one_cache(tmp_path: Path) -> None:
    with Cache(tmp_path, fact=Fact) as cache:

        def store(start: int) -> None:
            for number in range(start, start + 200):
                cache.store(str(number), Fact(number))
                assert cache.lookup(Fact, [str(number)])

        threads = [threading.Thread(target=store, args=(start,)) for start in range(0, 800, 200)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(cache.lookup(Fact, map(str, range(800)))) == 800
