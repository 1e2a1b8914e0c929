"""A disk that is really full, in the middle of a training: a small file system of its own."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.train.conftest import Fit
from tests.train.runs import assert_bit_equal, content
from voxmatrix.errors import UnreachableError
from voxmatrix.train.checkpoint import files as checkpoint_files
from voxmatrix.vits.checkpoint.checkpoint import read_checkpoint

Disk = Callable[[int], Path]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    """Makes a file system that holds this many bytes."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = False

    def make(size: int) -> Path:
        nonlocal mounted
        words = ["-o", f"remount,size={size}"] if mounted else ["-t", "tmpfs", "-o", f"size={size}", "tmpfs"]
        subprocess.run(["mount", *words, str(place)], check=True)
        mounted = True
        return place

    yield make
    if mounted:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.mark.mount
@pytest.mark.parametrize("holds", [0.5, 1.5, 2.5, 3.5])
def test_a_full_disk_costs_no_good_checkpoint(run: Fit, disk: Disk, tmp_path: Path, holds: float) -> None:
    settings = {"max_steps": 8, "checkpoint_every": 2, "validate_every": 2}
    whole = run(out=tmp_path / "whole", **settings)
    out = disk(int(whole.last.stat().st_size * holds)) / "run"

    with pytest.raises(UnreachableError, match="No space left on device") as caught:
        run(out=out, **settings)

    assert caught.value.exit_code == 8 and "free some space" in caught.value.remedy
    kept = list(out.glob("*.ckpt"))
    assert bool(kept) == (holds > 1) and not list(out.glob(".*.part"))
    for path in kept:
        read_checkpoint(path)
    if kept:
        newest = checkpoint_files.newest(out)
        assert f"the last good checkpoint is {newest}" in caught.value.problem
        assert 0 < content(newest or out)["global_step"] < 8
    disk(2**30)  # more space, and the same command again
    assert_bit_equal(run(out=out, **settings).last, whole.last)
