"""A new voice from the weights of another."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.train.conftest import Fit
from tests.train.runs import Notes
from tests.train.synthetic import MINI, prepared_set
from voxmatrix.dataset.prepared import PreparedSet
from voxmatrix.errors import BadInputError, DamagedFileError, UsageError
from voxmatrix.tables.quality import qualities
from voxmatrix.tables.training import memory_table


@pytest.fixture
def source(run: Fit, tmp_path: Path) -> Path:
    return run(out=tmp_path / "source", max_steps=3).last


def state(path: Path) -> dict[str, torch.Tensor]:
    return torch.load(path, weights_only=True)["state_dict"]  # type: ignore[no-any-return]


@pytest.fixture
def untouched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps change nothing: what was copied is seen in the checkpoint."""
    from voxmatrix.train.step import stepper

    monkeypatch.setattr(stepper, "update", lambda *_: None)


@pytest.mark.usefixtures("untouched")
def test_all_weights_are_taken_over_with_fresh_optimisers_from_epoch_nought(
    run: Fit, source: Path, prepared: PreparedSet
) -> None:
    notes = Notes()
    result = run(start_from=source, max_steps=1, progress=notes, prepared=replace(prepared, language="sv", digest="x"))
    ours = torch.load(result.last, weights_only=True)
    assert all(torch.equal(weight, ours["state_dict"][name]) for name, weight in state(source).items())
    assert ours["voxmatrix"]["progress"]["step"] == 1
    assert not any(ours["voxmatrix"]["optimisers"]["generator"].values())
    assert ours["epoch"] == 0
    assert notes.starts[-1].came_from.startswith(f"starting from {source} (")
    assert "; new: " not in notes.starts[-1].came_from


def test_a_fine_tuning_goes_on_like_any_run_and_does_not_start_over(run: Fit, source: Path) -> None:
    run(start_from=source, max_steps=2)
    notes = Notes()
    assert run(start_from=source, max_steps=3, progress=notes).steps == 3
    assert run(max_steps=4).steps == 4
    assert notes.starts[-1].came_from == "resuming from last.ckpt, step 2"
    with pytest.raises(UsageError, match="from was"):
        run(start_from=source.with_name("best.ckpt"), max_steps=5)


@pytest.mark.usefixtures("untouched")
def test_a_voice_of_one_speaker_becomes_one_of_three(run: Fit, source: Path, tmp_path: Path) -> None:
    notes = Notes()
    several = prepared_set(tmp_path / "several", speakers=("ann", "bob", "cyd"))
    result = run(start_from=source, max_steps=1, prepared=several, progress=notes)
    ours, theirs = state(result.last), state(source)
    assert torch.equal(ours["model_g.dec.conv_pre.weight"], theirs["model_g.dec.conv_pre.weight"])
    assert ours["model_g.emb_g.weight"].size(0) == 3
    assert "; new: " in notes.starts[-1].came_from


@pytest.mark.usefixtures("untouched")
def test_symbols_take_their_embeddings_with_them_to_other_ids(run: Fit, source: Path, prepared: PreparedSet) -> None:
    shifted = {symbol: [255 - number for number in ids] for symbol, ids in prepared.id_map.items()}
    result = run(start_from=source, max_steps=1, prepared=replace(prepared, id_map=shifted))
    name = "model_g.enc_p.emb.weight"
    ours, theirs = state(result.last)[name], state(source)[name]
    for symbol in "abc":
        assert torch.equal(ours[shifted[symbol][0]], theirs[prepared.id_map[symbol][0]])


def piper_style(source: Path, change: Callable[[dict[str, Any]], None] = lambda _: None) -> Path:
    """A checkpoint without anything of ours in it."""
    raw = torch.load(source, weights_only=True)
    del raw["voxmatrix"]
    change(raw)
    path = source.with_name("piper.ckpt")
    torch.save(raw, path)
    return path


def test_a_checkpoint_of_piper_will_do_also_without_discriminators(run: Fit, source: Path) -> None:
    def drop_discriminators(raw: dict[str, Any]) -> None:
        raw["state_dict"] = {n: w for n, w in raw["state_dict"].items() if n.startswith("model_g.")}

    notes = Notes()
    assert run(start_from=piper_style(source), max_steps=1, progress=notes).steps == 1
    assert run(start_from=piper_style(source, drop_discriminators), max_steps=1, fresh=True, progress=notes).steps == 1
    assert "the discriminators" in notes.starts[-1].came_from


def test_another_rate_is_refused_with_the_quality_to_choose(
    run: Fit, source: Path, monkeypatch: pytest.MonkeyPatch, prepared: PreparedSet
) -> None:
    monkeypatch.setitem(qualities(), "mini22", replace(MINI, name="mini22", rate_hz=22050))
    monkeypatch.setitem(memory_table().qualities, "mini22", memory_table().qualities["tiny"])
    with pytest.raises(BadInputError, match="16000 Hz") as caught:
        run(start_from=source, prepared=replace(prepared, quality="mini22", rate_hz=22050))
    assert "`quality=mini`" in caught.value.remedy


def test_another_quality_is_refused(run: Fit, source: Path, prepared: PreparedSet) -> None:
    with pytest.raises(BadInputError, match="quality mini"):
        run(start_from=source, prepared=replace(prepared, quality="tiny"))


def test_a_file_that_is_not_there_or_no_checkpoint_is_said_before_training(run: Fit, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"nowhere\.ckpt"):
        run(start_from=tmp_path / "nowhere.ckpt")
    (tmp_path / "text.ckpt").write_text("hello")
    with pytest.raises(DamagedFileError, match=r"text\.ckpt"):
        run(start_from=tmp_path / "text.ckpt")


def test_a_foreign_checkpoint_lying_in_the_folder_is_no_run_to_go_on_with(run: Fit, source: Path) -> None:
    path = piper_style(source)
    (path.parent.parent / "run").mkdir()
    path.rename(path.parent.parent / "run" / "last.ckpt")
    with pytest.raises(DamagedFileError, match="format None") as caught:
        run()
    assert "`from`" in caught.value.remedy
