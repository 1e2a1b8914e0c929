"""Which clips are kept back to hear whether the voice learns or only remembers."""

import hashlib
from collections.abc import Sequence

from voxmatrix.dataset.prepared import Clip

#: One clip in this many is kept back, from MIN_CLIPS on; never more than MOST, because every validation reads them all.
ONE_IN = 20
MOST = 32
MIN_CLIPS = 8


def split(clips: Sequence[Clip]) -> tuple[tuple[Clip, ...], tuple[Clip, ...]]:
    """Clips to learn from, and clips to validate on (the same ones when there are too few to keep any back).

    Which are kept back depends on their content alone: adding a recording moves at most one.
    """
    if len(clips) < MIN_CLIPS:
        return tuple(clips), tuple(clips)
    count = min(MOST, max(1, len(clips) // ONE_IN))
    kept = set(sorted(range(len(clips)), key=lambda index: _key(clips[index]))[:count])
    learned = tuple(clip for index, clip in enumerate(clips) if index not in kept)
    return learned, tuple(clips[index] for index in sorted(kept))


def _key(clip: Clip) -> str:
    text = f"{clip.samples}|{clip.text}|{clip.speaker}"
    return hashlib.sha256(text.encode()).hexdigest()
