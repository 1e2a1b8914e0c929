"""A run in memory, and what of it a file holds."""

import io
from pathlib import Path

import pytest
import torch

from tests.train.asking import preflight, settings
from tests.train.conftest import Fit
from voxmatrix.dataset.prepared import PreparedSet
from voxmatrix.errors import DamagedFileError
from voxmatrix.train.checkpoint import files as checkpoint_files
from voxmatrix.train.monitor.progress import QuietProgress
from voxmatrix.train.run import open_run
from voxmatrix.vits.checkpoint.checkpoint import read_checkpoint


def test_a_checkpoint_holds_tensors_and_plain_values_alone(run: Fit) -> None:
    read = torch.load(io.BytesIO(run(max_steps=1).last.read_bytes()), weights_only=True)

    def plain(value: object) -> bool:
        if isinstance(value, dict):
            return all(plain(key) and plain(inner) for key, inner in value.items())
        if isinstance(value, list | tuple):
            return all(plain(inner) for inner in value)
        return value is None or isinstance(value, torch.Tensor | str | int | float | bool)

    assert plain(read)
    assert set(read) == {
        "state_dict",
        "hyper_parameters",
        "epoch",
        "global_step",
        "pytorch-lightning_version",
        "voxmatrix",
    }


def test_adams_averages_stand_under_the_names_of_their_weights(run: Fit) -> None:
    read = torch.load(run(max_steps=1).last, weights_only=True)
    averages = read["voxmatrix"]["optimisers"]["discriminator"]
    assert averages["discriminators.1.conv_post.bias"]["exp_avg"].shape == (1,)


def test_a_format_of_another_time_is_refused_with_the_way_to_use_its_weights(
    run: Fit, prepared: PreparedSet, tmp_path: Path
) -> None:
    last = run(max_steps=1).last
    content = torch.load(last, weights_only=True)
    content["voxmatrix"]["format"] = 99
    checkpoint_files.write(last, content)
    with pytest.raises(DamagedFileError, match="format 99") as caught:
        run(max_steps=2)
    assert "`from`" in caught.value.remedy


def test_what_is_restored_is_what_was_saved(run: Fit, prepared: PreparedSet, tmp_path: Path) -> None:
    result = run(max_steps=3)
    again = settings(result.out, threads=1, max_steps=9)
    state = open_run(prepared, again, QuietProgress(), preflight()).state
    before, after = torch.load(result.last, weights_only=True), state.content()
    assert after["voxmatrix"]["progress"] == before["voxmatrix"]["progress"]
    assert all(torch.equal(after["state_dict"][name], weight) for name, weight in before["state_dict"].items())
    assert read_checkpoint(result.last).quality == "mini"
