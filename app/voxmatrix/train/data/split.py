"""Split clips into training and validation."""

import hashlib
from collections.abc import Sequence

from voxmatrix.dataset.prepared import Clip

#: One clip in this many is for validation, from MIN_CLIPS on; at most MAX_VALIDATION, since each validation uses all.
ONE_IN = 20
MAX_VALIDATION = 32
MIN_CLIPS = 8


def split(clips: Sequence[Clip]) -> tuple[tuple[Clip, ...], tuple[Clip, ...]]:
    """Clips for training and clips for validation (both are all clips if there are too few).

    The choice depends only on the content of the clips: adding a recording moves at most one.
    """
    if len(clips) < MIN_CLIPS:
        return tuple(clips), tuple(clips)
    count = min(MAX_VALIDATION, max(1, len(clips) // ONE_IN))
    held_out = set(sorted(range(len(clips)), key=lambda index: _key(clips[index]))[:count])
    training = tuple(clip for index, clip in enumerate(clips) if index not in held_out)
    return training, tuple(clips[index] for index in sorted(held_out))


def _key(clip: Clip) -> str:
    text = f"{clip.samples}|{clip.text}|{clip.speaker}"
    return hashlib.sha256(text.encode()).hexdigest()
