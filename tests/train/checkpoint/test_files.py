"""Checkpoints on disk."""

import errno
import os
from pathlib import Path
from typing import IO, Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.train.conftest import Fit
from voxmatrix.errors import DamagedFileError, UnreachableError
from voxmatrix.train.checkpoint import files as checkpoint_files
from voxmatrix.vits.checkpoint.checkpoint import read_checkpoint

CONTENT = {"weights": torch.arange(1000.0), "plain": {"step": 3, "names": ["a", "b"]}}


def test_what_is_written_is_read_again_without_unpickling_code(tmp_path: Path) -> None:
    checkpoint_files.write(tmp_path / "a.ckpt", CONTENT)
    read = torch.load(tmp_path / "a.ckpt", weights_only=True)
    assert torch.equal(read["weights"], CONTENT["weights"])
    assert read["plain"] == CONTENT["plain"]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("written") / "a.ckpt"
    checkpoint_files.write(path, CONTENT)
    return path.read_bytes()


@given(st.data())
def test_a_file_cut_short_anywhere_is_damaged(written: bytes, tmp_path_factory: Any, data: st.DataObject) -> None:
    path = tmp_path_factory.getbasetemp() / f"cut-{os.getpid()}.ckpt"
    path.write_bytes(written[: data.draw(st.integers(0, len(written) - 1))])
    with pytest.raises(DamagedFileError, match="truncated"):
        read_checkpoint(path)


@given(st.data())
def test_a_changed_byte_in_the_weights_is_found(written: bytes, tmp_path_factory: Any, data: st.DataObject) -> None:
    path = tmp_path_factory.getbasetemp() / f"changed-{os.getpid()}.ckpt"
    start = written.index(torch.arange(1000.0).numpy().tobytes())
    place = data.draw(st.integers(start, start + 3999))
    changed = bytearray(written)
    changed[place] ^= data.draw(st.integers(1, 255))
    path.write_bytes(changed)
    with pytest.raises(DamagedFileError, match="corrupt"):
        read_checkpoint(path)


class FullDisk:
    """A file on a disk with little space left."""

    def __init__(self, file: IO[bytes], left: int, error: int) -> None:
        self.file, self.left, self.error = file, left, error

    def write(self, data: bytes) -> int:
        self.left -= len(data)
        if self.left < 0:
            raise OSError(self.error, os.strerror(self.error))
        return self.file.write(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)

    def __enter__(self) -> "FullDisk":
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()


@pytest.mark.parametrize(("error", "word"), [(errno.ENOSPC, "free some space"), (errno.EROFS, "read-only")])
def test_a_full_disk_leaves_the_last_good_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: int, word: str
) -> None:
    path = tmp_path / "last.ckpt"
    checkpoint_files.write(path, CONTENT)
    good = path.read_bytes()
    real_open = Path.open
    monkeypatch.setattr(Path, "open", lambda self, *rest, **more: FullDisk(real_open(self, *rest, **more), 2000, error))

    with pytest.raises(UnreachableError, match=str(path)) as caught:
        checkpoint_files.write(path, CONTENT)

    monkeypatch.undo()
    assert word in caught.value.remedy
    assert path.read_bytes() == good
    assert [entry.name for entry in tmp_path.iterdir()] == ["last.ckpt"]


def test_an_error_that_is_not_the_disks_stays_what_it_is(tmp_path: Path) -> None:
    with pytest.raises((AttributeError, TypeError, RuntimeError)):
        checkpoint_files.write(tmp_path / "a.ckpt", {"thread": lambda: None})
    assert not list(tmp_path.iterdir())


def test_a_checkpoint_of_a_step_is_the_last_one_under_another_name(tmp_path: Path) -> None:
    checkpoint_files.write(tmp_path / "kept", CONTENT)
    (tmp_path / "last").write_bytes(b"old")
    checkpoint_files.same_file(tmp_path / "kept", tmp_path / "last")
    assert (tmp_path / "last").samefile(tmp_path / "kept")
    assert not list(tmp_path.glob(".*"))


def test_the_last_one_may_be_a_symbolic_link_whose_target_becomes_the_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "last").symlink_to(tmp_path / "disk" / "last")
    checkpoint_files.write(tmp_path / "kept", CONTENT)
    checkpoint_files.same_file(tmp_path / "kept", tmp_path / "last")
    assert (tmp_path / "last").is_symlink()
    assert (tmp_path / "disk" / "last").samefile(tmp_path / "kept")


def test_where_there_are_no_links_it_is_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    (tmp_path / "kept").write_bytes(b"weights")
    checkpoint_files.same_file(tmp_path / "kept", tmp_path / "last")
    assert (tmp_path / "last").read_bytes() == b"weights"
    assert not list(tmp_path.glob(".*"))


def test_only_the_newest_are_kept(tmp_path: Path) -> None:
    for step in (5, 100, 20, 1000):
        (tmp_path / checkpoint_files.step_name(step)).touch()
    (tmp_path / "best.ckpt").touch()
    checkpoint_files.keep_newest(tmp_path, 2)
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ["best.ckpt", checkpoint_files.step_name(100), checkpoint_files.step_name(1000)]


def test_an_empty_folder_holds_no_run(tmp_path: Path) -> None:
    assert checkpoint_files.newest_good(tmp_path, print) is None


def test_a_damaged_checkpoint_is_passed_over_aloud_for_the_one_before(run: Fit, tmp_path: Path) -> None:
    run(max_steps=4, checkpoint_every=2)
    last = tmp_path / "run" / "last.ckpt"
    content = last.read_bytes()
    last.unlink()  # it may be a link
    last.write_bytes(content[:-100])
    said: list[str] = []

    found = checkpoint_files.newest_good(tmp_path / "run", said.append)

    assert found is not None
    assert found[0].name in ("best.ckpt", checkpoint_files.step_name(4))
    assert len(said) == 1
    assert str(last) in said[0]
    assert found[0].name in said[0]


def test_when_every_checkpoint_is_damaged_that_is_said_with_the_way_out(run: Fit, tmp_path: Path) -> None:
    run(max_steps=2, checkpoint_every=2)
    for path in (tmp_path / "run").glob("*.ckpt"):
        path.write_bytes(b"no checkpoint")
    with pytest.raises(DamagedFileError) as caught:
        run(max_steps=3)
    assert "last.ckpt" in caught.value.problem
    assert "best.ckpt" in caught.value.problem
    assert "`fresh`" in caught.value.remedy
    assert run(max_steps=1, fresh=True).steps == 1


@pytest.mark.peers
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning", "ignore::UserWarning")
def test_a_checkpoint_of_ours_loads_in_pipers_trainer(run: Fit, tmp_path: Path) -> None:
    from piper.train.vits.lightning import VitsModel  # type: ignore[import-not-found,unused-ignore]

    from tests.train.synthetic import prepared_set

    result = run(prepared=prepared_set(tmp_path / "low", quality="x_low"), max_steps=1, batch_size=2)
    model = VitsModel.load_from_checkpoint(result.last, map_location="cpu", weights_only=True)
    theirs = {**model.model_g.state_dict(prefix="model_g."), **model.model_d.state_dict(prefix="model_d.")}
    ours = torch.load(result.last, weights_only=True)["state_dict"]
    assert ours.keys() == theirs.keys()
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)
