"""`fresh` moves a run aside: its links lead to the same files as before."""

from pathlib import Path

from voxmatrix.train.previous_runs import move_aside


def test_links_lead_to_the_same_files_as_before(tmp_path: Path) -> None:
    out, store = tmp_path / "run", tmp_path / "store"
    for folder in (out / "samples", store):
        folder.mkdir(parents=True)
    for path in (out / "step-1.ckpt", out / "samples" / "1.wav", store / "last.ckpt"):
        path.write_text(path.name)
    links = {
        "last.ckpt": "../store/last.ckpt",
        "there.ckpt": str(store / "last.ckpt"),
        "best.ckpt": "step-1.ckpt",
        "whole.ckpt": str(out / "step-1.ckpt"),
        "samples/last.ckpt": "../../store/last.ckpt",
        "samples/best.ckpt": "../step-1.ckpt",
        "sounds": "samples",
        "later.ckpt": "../store/later.ckpt",
        "loop": "loop",
    }
    for name, target in links.items():
        (out / name).symlink_to(target)
    move_aside(out)
    (store / "later.ckpt").write_text("later")
    old = out / "previous-1"
    assert list(out.iterdir()) == [old]
    for name in ("last.ckpt", "there.ckpt", "samples/last.ckpt"):
        assert (old / name).read_text() == "last.ckpt"
    for name in ("best.ckpt", "whole.ckpt", "samples/best.ckpt"):
        assert (old / name).read_text() == "step-1.ckpt"
    assert (old / "sounds" / "1.wav").read_text() == "1.wav"
    assert (old / "later.ckpt").read_text() == "later"  # which was missing when it was moved
    assert (old / "loop").is_symlink()
    for name, target in links.items():
        assert (old / name).readlink().is_absolute() == Path(target).is_absolute()


def test_runs_that_were_moved_aside_before_stay(tmp_path: Path) -> None:
    (tmp_path / "last.ckpt").write_text("1")
    move_aside(tmp_path)
    (tmp_path / "last.ckpt").write_text("2")
    (tmp_path / "first.ckpt").symlink_to("previous-1/last.ckpt")
    move_aside(tmp_path)
    assert (tmp_path / "previous-1" / "last.ckpt").read_text() == "1"
    assert (tmp_path / "previous-2" / "last.ckpt").read_text() == "2"
    assert (tmp_path / "previous-2" / "first.ckpt").read_text() == "1"
