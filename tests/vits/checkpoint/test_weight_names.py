from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from voxmatrix.tables.quality import qualities, quality
from voxmatrix.vits.checkpoint.checkpoint import piper_hyper_parameters, piper_state
from voxmatrix.vits.checkpoint.weight_names import from_piper, to_piper
from voxmatrix.vits.discriminator import MultiPeriodDiscriminator
from voxmatrix.vits.synthesizer import Synthesizer

LISTS = Path(__file__).parents[1] / "keys"
Shapes = dict[str, tuple[int, ...]]


def our_shapes(name: str, speakers: int) -> Shapes:
    with torch.device("meta"):
        state = piper_state(
            Synthesizer(quality(name), 256, speakers), MultiPeriodDiscriminator(quality(name).discriminator_divisor)
        )
    return {key: tuple(weight.shape) for key, weight in state.items()}


def listed_shapes(name: str) -> Shapes:
    lines = (LISTS / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("\t") for line in lines)
    return {key: tuple(int(size) for size in shape.strip("()").split(",") if size.strip()) for key, shape in pairs}


@pytest.mark.parametrize(
    ("listed", "name", "speakers"), [("medium", "medium", 1), ("high", "high", 1), ("medium_4_speakers", "medium", 4)]
)
def test_names_and_shapes_are_those_of_the_lists(listed: str, name: str, speakers: int) -> None:
    wanted = listed_shapes(listed)
    ours = our_shapes(name, speakers)
    if not any(key.startswith("model_d.") for key in wanted):
        ours = {key: shape for key, shape in ours.items() if key.startswith("model_g.")}
    assert ours == wanted


@pytest.mark.peers
@pytest.mark.parametrize(
    ("name", "speakers"), [("x_low", 1), ("low", 1), ("medium", 1), ("medium", 4), ("high", 1), ("high", 7)]
)
def test_names_and_shapes_are_those_of_pipers_trainer(piper_train: SimpleNamespace, name: str, speakers: int) -> None:
    sizes: dict[str, Any] = piper_hyper_parameters(quality(name), 256, speakers, batch_size=4)
    with torch.device("meta"):
        theirs = piper_train.lightning.VitsModel(**sizes, mos_metric=None).state_dict()
    assert our_shapes(name, speakers) == {key: tuple(weight.shape) for key, weight in theirs.items()}


@pytest.mark.parametrize("name", list(qualities()))
def test_names_go_to_piper_and_come_back(name: str) -> None:
    with torch.device("meta"):
        state = Synthesizer(quality(name), 256, 3).state_dict()
    there = to_piper(state)
    assert not any("parametrizations" in key for key in there)
    assert list(from_piper(there)) == list(state)
    assert from_piper(from_piper(there)).keys() == state.keys(), "names that are ours already stay as they are"
    assert to_piper(there).keys() == there.keys()


def test_every_quality_has_the_same_kinds_of_names() -> None:
    def kinds(name: str) -> set[str]:
        return {".".join("N" if part.isdigit() else part for part in key.split(".")) for key in our_shapes(name, 2)}

    assert kinds("tiny") == kinds("x_low") == kinds("medium")
