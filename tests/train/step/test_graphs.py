"""Steps as CUDA graphs have the gradients of steps without them. A tape stands for the graph."""

import weakref
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import torch
from torch import Tensor

from tests.train.conftest import Fit
from tests.train.runs import Notes, assert_bit_equal
from tests.train.step import tape
from tests.train.synthetic import MINI
from voxmatrix.dataset.prepared import PreparedSet
from voxmatrix.tables.quality import HOP
from voxmatrix.train import run as run_module
from voxmatrix.train.checkpoint import state as state_module
from voxmatrix.train.config import LOSSES
from voxmatrix.train.data.batches import Batch, ClipDataset, Collate
from voxmatrix.train.data.synthetic import synthetic_batch, synthetic_networks
from voxmatrix.train.step import graphs as module
from voxmatrix.train.step.graphs import StepGraphs
from voxmatrix.train.step.step import (
    Networks,
    PartGradients,
    PartSettings,
    Shares,
    gradients,
    make_optimisers,
    update,
)

CPU = torch.device("cpu")
Result = tuple[list[Tensor | None], list[Tensor]]


@pytest.fixture(autouse=True)
def _tapes(monkeypatch: pytest.MonkeyPatch) -> None:
    tape.install(monkeypatch)


@pytest.fixture
def networks() -> Networks:
    return synthetic_networks(MINI, CPU)


@pytest.fixture
def warnings() -> list[str]:
    return []


@pytest.fixture
def graphs(warnings: list[str]) -> StepGraphs:
    return StepGraphs(device=CPU, warn=warnings.append)


def clips(frames: int, symbols: int, count: int = 3, loudness: float = 1.0) -> Batch:
    batch = synthetic_batch(count, frames * HOP, symbols)
    lengths = [frames - number for number in range(count)]
    return replace(batch, wave=batch.wave * loudness, frames=torch.tensor(lengths), frames_each=tuple(lengths))


def weights(networks: Networks) -> list[torch.nn.Parameter]:
    return [*networks.discriminator.parameters(), *networks.generator.parameters()]


def learned(
    networks: Networks,
    batches: Sequence[Batch],
    compute: PartGradients | None,
    *,
    seed: int = 1,
    scaler: torch.amp.GradScaler | None = None,
    **options: Any,
) -> Result:
    """Gradients and losses of one step, which then ends as `update` ends it."""
    losses = gradients(
        networks,
        scaler or torch.amp.GradScaler("cpu", enabled=False),
        batches,
        seeds=[seed + number for number in range(len(batches))],
        autocast=nullcontext,
        compute=compute,
        **options,
    )
    found = [None if weight.grad is None else weight.grad.clone() for weight in weights(networks)]
    for weight in weights(networks):
        weight.grad = None
    return found, [losses[name] for name in LOSSES]


def assert_same(ours: Result, theirs: Result) -> None:
    for mine, other in zip(ours[0], theirs[0], strict=True):
        assert (mine is None) == (other is None)
        if mine is not None and other is not None:
            torch.testing.assert_close(mine, other, rtol=1e-4, atol=1e-6 + 1e-5 * float(other.abs().max()))
    for loss, other in zip(ours[1], theirs[1], strict=True):
        torch.testing.assert_close(loss, other)


def test_the_second_batch_of_a_size_is_captured_and_others_are_replayed_with_their_own_clips_and_seed(
    networks: Networks, graphs: StepGraphs, warnings: list[str]
) -> None:
    for number, frames in enumerate((64, 64, 128, 64, 128, 64, 128)):
        batch = clips(frames, 32, loudness=1 + number)
        expected = learned(networks, [batch], None, seed=number)
        assert_same(learned(networks, [batch], graphs, seed=number), expected)
    assert [graph.graph.replays for graph in graphs.graphs.values()] == [3, 2]
    assert not warnings


def test_batches_that_add_up_and_parts_of_them_have_shares_of_their_own_at_each_replay(
    networks: Networks, graphs: StepGraphs
) -> None:
    def halves(batch: Batch) -> Iterable[Batch]:
        return (batch.part(0, 2), batch.part(2, 3))

    for symbols in (32, 32, 64, 32):
        batches = [clips(64, 32), clips(64, symbols, 4)]
        expected = learned(networks, batches, None, split=halves)
        assert_same(learned(networks, batches, graphs, split=halves), expected)
    assert len(graphs.graphs) == 4, "the halves of both batches"


def test_without_the_discriminators_only_the_generator_learns(networks: Networks, graphs: StepGraphs) -> None:
    batch = clips(64, 32)
    optimisers = make_optimisers(networks, 1e-3, CPU, half=False)
    for adversarial in (False, False, False, True, True, True):
        expected = learned(networks, [batch], None, adversarial=adversarial)
        assert_same(learned(networks, [batch], graphs, adversarial=adversarial), expected)
        before = [weight.detach().clone() for weight in networks.discriminator.parameters()]
        scaler = torch.amp.GradScaler("cpu", enabled=False)
        gradients(networks, scaler, [batch], seeds=[1], autocast=nullcontext, adversarial=adversarial, compute=graphs)
        update(networks, optimisers, clip_norm=1.0)
        after = list(networks.discriminator.parameters())
        assert all(torch.equal(*pair) for pair in zip(before, after, strict=True)) is not adversarial
    assert len(graphs.graphs) == 2


def test_the_scale_of_half_precision_is_that_of_the_moment(networks: Networks, graphs: StepGraphs) -> None:
    batch = clips(64, 32)
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    for scale in (8.0, 8.0, 8.0, 2.0, 4.0):
        if scaler._scale is not None:
            scaler._scale.fill_(scale)
        expected = learned(networks, [batch], None, scaler=scaler)
        assert_same(learned(networks, [batch], graphs, scaler=scaler), expected)
    assert graphs.graphs


def test_a_replay_starts_few_kernels_beside_the_graph(
    networks: Networks, graphs: StepGraphs, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tools.bench.launches import launches

    batch = clips(64, 32)
    for _ in range(2):
        learned(networks, [batch], graphs)
    monkeypatch.setattr(tape.Tape, "replay", lambda _self: None)
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    count = launches(lambda: gradients(networks, scaler, [batch], seeds=[1], autocast=nullcontext, compute=graphs))
    assert count <= 10, "inputs, shares, clearing the gradients and keeping the losses"


@pytest.mark.parametrize("limit", [{"MAX_GRAPHS": 1}, {"MIN_FREE_BYTES": 1 << 50}])
def test_graphs_are_few_and_leave_memory_free(
    networks: Networks, graphs: StepGraphs, monkeypatch: pytest.MonkeyPatch, limit: dict[str, int]
) -> None:
    for name, value in limit.items():
        monkeypatch.setattr(module, name, value)
    for frames in (64, 64, 128, 128, 128):
        batch = clips(frames, 32)
        assert_same(learned(networks, [batch], graphs), learned(networks, [batch], None))
    assert len(graphs.graphs) == 1


def test_a_step_that_cannot_be_captured_is_computed_without_a_graph_and_the_reason_is_shown(
    networks: Networks, graphs: StepGraphs, warnings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = Mock()

    compute = module.part_gradients

    def waits(settings: PartSettings, batch: Batch, shares: Shares) -> dict[str, Tensor]:
        losses = compute(settings, batch, shares)
        if settings.adversarial:
            losses["mel"].item()
        return losses

    monkeypatch.setattr(torch.cuda, "default_generators", [generator])
    batch = clips(64, 32)
    monkeypatch.setattr(torch, "Generator", Mock())
    for _ in range(2):
        learned(networks, [batch], graphs, adversarial=False)
    monkeypatch.setattr(module, "part_gradients", waits)
    for _ in range(3):
        assert_same(learned(networks, [batch], graphs), learned(networks, [batch], None))
    assert not graphs.graphs, "those captured before would draw other random numbers than their seed's"
    assert len(warnings) == 1
    assert "(operation not permitted when stream is capturing)" in warnings[0]
    generator.graphsafe_set_state.assert_called_once()


def test_all_work_of_the_device_is_on_one_stream_and_waits_for_what_was_on_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cuda = Mock()
    for name in ("Stream", "set_stream", "current_stream"):
        monkeypatch.setattr(torch.cuda, name, getattr(cuda, name))
    module.open_graphs(CPU, Mock())
    stream = cuda.Stream.return_value
    stream.wait_stream.assert_called_once_with(cuda.current_stream.return_value)
    cuda.set_stream.assert_called_once_with(stream)


def test_a_checkpoint_waits_for_the_device(run: Fit, monkeypatch: pytest.MonkeyPatch) -> None:
    device = Mock()
    monkeypatch.setattr(state_module, "backend", lambda _device: device)
    run(max_steps=1)
    device.synchronize.assert_called_with(CPU)


@pytest.fixture
def run_with_graphs(run: Fit, monkeypatch: pytest.MonkeyPatch) -> Fit:
    """Train with graphs on the CPU."""
    monkeypatch.setattr(run_module, "open_devices", lambda *_: [CPU])
    monkeypatch.setattr(torch.cuda, "Stream", Mock())
    monkeypatch.setattr(torch.cuda, "set_stream", Mock())
    return partial(run, graphs="on", max_steps=8, accumulation=2, batch_size=2)


def test_a_training_with_graphs_is_that_without_them_and_resumes_as_it(
    run_with_graphs: Fit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    captured = run_with_graphs(out=tmp_path / "captured")
    run_with_graphs(out=tmp_path / "resumed", max_steps=5)
    resumed = run_with_graphs(out=tmp_path / "resumed")
    counted = Mock(wraps=tape.Tape.replay)
    monkeypatch.setattr(module, "MAX_GRAPHS", 0)
    monkeypatch.setattr(tape.Tape, "replay", counted)
    plain = run_with_graphs(out=tmp_path / "plain")
    assert not counted.called
    assert_bit_equal(captured.last, plain.last)
    assert_bit_equal(captured.last, resumed.last)


def test_a_training_that_runs_out_of_memory_gives_up_its_graphs_first(
    run_with_graphs: Fit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes, alive = Notes(), []
    compute = StepGraphs.__call__

    def full(self: StepGraphs, *inputs: Any, **options: Any) -> dict[str, Tensor]:
        alive.append(weakref.ref(self))
        if len(alive) > 6:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return compute(self, *inputs, **options)

    plenty = run_with_graphs(out=tmp_path / "plenty")
    monkeypatch.setattr(StepGraphs, "__call__", full)
    tight = run_with_graphs(out=tmp_path / "tight", progress=notes)
    assert_bit_equal(tight.last, plenty.last)
    assert ["CUDA graphs are now off" in warning for warning in notes.warnings] == [True]
    assert alive[0]() is None, "their memory is released"


def test_batches_for_graphs_are_padded_to_few_sizes(prepared: PreparedSet) -> None:
    dataset = ClipDataset(prepared.clips)
    items = [dataset[number] for number in range(4)]
    plain, padded = Collate(())(items), Collate((), for_graphs=True)(items)
    assert plain.wave.size(1) % HOP or plain.text.size(1) % 32
    assert (padded.wave.size(1) % (64 * HOP), padded.text.size(1) % 32) == (0, 0)
    assert padded.wave.size(1) - plain.wave.size(1) < 64 * HOP
    assert padded.size == plain.size
    assert torch.equal(padded.wave[:, : plain.wave.size(1)], plain.wave)
    assert not padded.wave[:, plain.wave.size(1) :].any()
