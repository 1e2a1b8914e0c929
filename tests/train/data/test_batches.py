"""The order of batches, and how clips become tensors."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.dataset.prepared import Clip, PreparedSet
from voxmatrix.errors import DamagedFileError
from voxmatrix.train.data.batches import ClipDataset, Collate, Schedule, StepPlan

schedules = st.builds(
    Schedule,
    samples=st.lists(st.integers(8192, 400_000), min_size=1, max_size=60).map(tuple),
    batch_size=st.integers(1, 16),
    accumulation=st.integers(1, 4),
    max_batch_samples=st.sampled_from([0, 50_000, 500_000]),
    seed=st.integers(0, 10),
)


def clips_of(steps: list[StepPlan]) -> list[int]:
    return [clip for step in steps for batch in step.batches for clip in batch]


@given(schedules, st.integers(0, 5))
def test_every_clip_is_learned_from_once_an_epoch(schedule: Schedule, epoch: int) -> None:
    assert sorted(clips_of(schedule.epoch(epoch))) == list(range(len(schedule.samples)))


@given(schedules, st.integers(0, 5))
def test_no_batch_is_larger_than_asked_unless_one_clip_alone_is(schedule: Schedule, epoch: int) -> None:
    for step in schedule.epoch(epoch):
        assert 1 <= len(step.batches) <= schedule.accumulation
        for batch in step.batches:
            assert 1 <= len(batch) <= schedule.batch_size
            padded = len(batch) * max(schedule.samples[clip] for clip in batch)
            assert not schedule.max_batch_samples or padded <= schedule.max_batch_samples or len(batch) == 1


@given(schedules, st.integers(0, 3), st.integers(0, 30))
def test_a_schedule_goes_on_in_the_middle_of_an_epoch_as_if_it_had_never_stopped(
    schedule: Schedule, epoch: int, taken: int
) -> None:
    taken %= len(schedule.epoch(epoch))
    whole: Iterator[StepPlan] = islice(schedule.steps_from(epoch, 0), taken, taken + 20)
    assert list(whole) == list(islice(schedule.steps_from(epoch, taken), 20))


@given(schedules)
def test_a_loader_gets_the_batches_of_the_steps(schedule: Schedule) -> None:
    steps = list(islice(schedule.steps_from(0, 0), 10))
    expected = [list(batch) for step in steps for batch in step.batches]
    assert list(islice(schedule.indices_from(0, 0), len(expected))) == expected


def test_the_last_step_of_an_epoch_says_so() -> None:
    schedule = Schedule(samples=(9000,) * 10, batch_size=4, accumulation=1, max_batch_samples=0, seed=1)
    assert [step.last for step in schedule.epoch(0)] == [False, False, True]
    assert [step.index for step in schedule.epoch(0)] == [0, 1, 2]


def test_batches_are_of_even_size_rather_than_leaving_a_small_rest() -> None:
    schedule = Schedule(samples=(9000,) * 9, batch_size=4, accumulation=1, max_batch_samples=0, seed=1)
    assert [len(step.batches[0]) for step in schedule.epoch(0)] == [3, 3, 3]


def test_epochs_differ_and_seeds_differ() -> None:
    samples = tuple(range(10_000, 110_000, 1000))
    one = Schedule(samples=samples, batch_size=8, accumulation=1, max_batch_samples=0, seed=1)
    other = Schedule(samples=samples, batch_size=8, accumulation=1, max_batch_samples=0, seed=2)
    assert clips_of(one.epoch(0)) != clips_of(one.epoch(1))
    assert clips_of(one.epoch(0)) != clips_of(other.epoch(0))


def test_clips_of_a_batch_are_about_as_long_as_each_other() -> None:
    samples = tuple(int(n) for n in np.random.default_rng(1).integers(10_000, 400_000, 400))
    schedule = Schedule(samples=samples, batch_size=16, accumulation=1, max_batch_samples=0, seed=1)
    batches = [batch for step in schedule.epoch(3) for batch in step.batches]
    padded = sum(len(batch) * max(samples[clip] for clip in batch) for batch in batches)
    assert padded < 1.25 * sum(samples)  # at random it would be about twice as much


def test_waves_and_texts_are_padded_with_zeros(prepared: PreparedSet) -> None:
    dataset = ClipDataset(prepared.clips)
    batch = Collate(())([dataset[0], dataset[5]])

    short, long = prepared.clips[0], prepared.clips[5]
    assert batch.wave.shape == (2, long.samples)
    assert batch.wave.abs().max() <= 1
    assert batch.wave[0, short.samples :].abs().sum() == 0
    assert batch.text[0, : len(short.ids)].tolist() == list(short.ids)
    assert batch.text_lengths.tolist() == [len(short.ids), len(long.ids)]
    assert batch.frames.tolist() == [short.samples // 256, long.samples // 256]
    assert batch.size[:2] == (2, len(short.ids) + len(long.ids))
    assert batch.size.n_frames == short.samples // 256 + long.samples // 256
    assert batch.speaker is None


def test_speakers_are_numbers_in_the_order_of_the_set() -> None:
    clip = Clip(id="a", speaker="bob", text="a", ids=(1, 0, 2), samples=9000, path=Path("unused"))
    batch = Collate(("alice", "bob"))([(clip, torch.zeros(9000))])
    assert batch.speaker is not None
    assert batch.speaker.tolist() == [1]


def test_a_batch_moves_as_a_whole(prepared: PreparedSet) -> None:
    batch = Collate(())([ClipDataset(prepared.clips)[0]]).to(torch.device("meta"))
    assert batch.wave.device.type == batch.text.device.type == batch.frames.device.type == "meta"


@pytest.mark.parametrize("damage", [b"", b"not an array", None])
def test_a_recording_that_cannot_be_read_any_more_is_named(prepared: PreparedSet, damage: bytes | None) -> None:
    path = prepared.clips[3].path
    if damage is None:
        path.unlink()
    else:
        path.write_bytes(damage)
    with pytest.raises(DamagedFileError, match="c003"):
        ClipDataset(prepared.clips)[3]
