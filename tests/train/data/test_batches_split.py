"""Which clips are kept back."""

from pathlib import Path

from voxmatrix.dataset.prepared import Clip
from voxmatrix.train.data.batches import MAX_VALIDATION, MIN_CLIPS, split


def clips(count: int) -> list[Clip]:
    return [
        Clip(id=str(n), speaker=None, text=f"text {n}", ids=(1, 0, 2), samples=9000 + n, path=Path(f"{n}.npy"))
        for n in range(count)
    ]


def test_a_few_clips_are_learned_from_and_validated_on() -> None:
    learned, kept = split(clips(MIN_CLIPS - 1))
    assert len(learned) == len(kept) == MIN_CLIPS - 1


def test_from_eight_clips_on_at_least_one_is_kept_back() -> None:
    learned, kept = split(clips(MIN_CLIPS))
    assert (len(learned), len(kept)) == (MIN_CLIPS - 1, 1)


def test_none_is_in_both_and_none_is_lost() -> None:
    everything = clips(200)
    learned, kept = split(everything)
    assert len(kept) == 10
    assert sorted([*learned, *kept], key=everything.index) == everything


def test_large_sets_keep_back_no_more_than_validation_can_hear() -> None:
    assert len(split(clips(5000))[1]) == MAX_VALIDATION


def test_the_choice_depends_on_content_and_not_on_order() -> None:
    everything = clips(60)
    assert set(split(everything)[1]) == set(split(everything[::-1])[1])


def test_one_more_clip_moves_at_most_one() -> None:
    before, after = set(split(clips(59))[1]), set(split(clips(60))[1])
    assert len(before - after) <= 1
