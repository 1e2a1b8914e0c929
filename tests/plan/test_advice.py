"""What is advised on a training, by its recordings."""

from dataclasses import replace

from voxmatrix.plan.advice import Intended, advise

_SCRATCH = Intended(
    seconds=180,
    clips=80,
    batch=32,
    learning_rate=2e-4,
    steps=3000,
    steps_per_epoch=3,
    fine_tuned=False,
    on_gpu=False,
)


def test_little_speech_from_scratch_is_told_what_is_better() -> None:
    public, usual, few, batch = advise(_SCRATCH)
    assert "less than 5 hours" in public and "voices search --checkpoints" in public and "voxmatrix distil" in public
    assert "2,000 epochs, here 6,000 steps" in usual
    assert "3,000 steps from scratch are too few" in few
    assert "`batch_size=16`" in batch
    assert "distil" not in advise(replace(_SCRATCH, on_gpu=True))[0]


def test_much_speech_from_scratch_only_needs_to_know_how_long() -> None:
    much = replace(_SCRATCH, seconds=36_000, clips=9000, steps=282_000, steps_per_epoch=282)
    assert advise(much) == ["usual from scratch are 2,000 epochs, here 564,000 steps"]


def test_fine_tuning_has_its_own_length_and_learning_rate() -> None:
    tuned = replace(_SCRATCH, seconds=1500, clips=300, fine_tuned=True, steps_per_epoch=10)
    (usual,) = advise(tuned)
    assert "1,000 epochs, here 10,000 steps" in usual and "`patience=20`" in usual
    assert advise(replace(tuned, learning_rate=1e-3))[1].endswith("fine-tuning is 0.0002, here it is 0.001")
