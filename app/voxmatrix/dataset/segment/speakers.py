"""Who speaks in each clip: clips whose voices are alike are of one speaker."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from voxmatrix.audio.long import LongRecording
from voxmatrix.audio.waves import Samples
from voxmatrix.dataset.segment.output import Segment

#: Speech at a sample rate → a vector of length 1; the product of two is their likeness.
Likeness = Callable[[Samples, int], NDArray[np.float32]]
#: Clips of one speaker are so much alike on average, and the halves of a clip at least.
_SAME, SAME_HALVES = 0.82, 0.65
#: Shorter halves tell nothing.
MIN_HALF_SECONDS = 2.0
#: Clips that speakers are found by; the others are of the one they are most like.
_MAX_COMPARED = 400


def with_speakers(
    segments: Sequence[Segment], opened: Sequence[LongRecording], likeness: Likeness, count: int
) -> list[Segment]:
    """Clips with a speaker each, `speaker1` for the one who speaks most; those in which two speak are left out.

    `count` is how many there are, 0 if it is not known.
    """
    found = list(segments)
    places, voices = [], []
    for place, one in enumerate(found):
        if not one.text:
            continue
        recording = opened[one.recording]
        samples = recording.read(one.start, one.end)
        if one.seconds >= 2 * MIN_HALF_SECONDS and not one.reason:
            first, second = (likeness(half, recording.rate_hz) for half in np.array_split(samples, 2))
            if float(first @ second) < SAME_HALVES:
                found[place] = replace(one, reason="two-speakers")
        places.append(place)
        voices.append(likeness(samples, recording.rate_hz))
    if not places:
        return found
    speakers = clusters(np.stack(voices), count)
    seconds = np.bincount(speakers, [found[place].seconds for place in places])
    rank = np.argsort(np.argsort(-seconds))
    for place, speaker in zip(places, speakers.tolist(), strict=True):
        found[place] = replace(found[place], speaker=f"speaker{rank[speaker] + 1}")
    return found


def clusters(voices: NDArray[np.float32], count: int) -> NDArray[np.intp]:
    """The number of the speaker of each voice (n, vector): average linkage until `count` are left, or they differ."""
    some = voices[np.linspace(0, len(voices) - 1, min(len(voices), _MAX_COMPARED)).astype(int)]
    groups = [[number] for number in range(len(some))]
    sums = some @ some.T
    sizes = np.ones(len(some))
    while len(groups) > max(count, 1):
        alike = sums / np.outer(sizes, sizes)
        np.fill_diagonal(alike, -np.inf)
        one, other = sorted(divmod(int(alike.argmax()), len(groups)))
        if count == 0 and alike[one, other] < _SAME:
            break
        groups[one] += groups.pop(other)
        sizes[one] += sizes[other]
        sums[one] += sums[other]
        sums[:, one] += sums[:, other]
        sums, sizes = np.delete(np.delete(sums, other, 0), other, 1), np.delete(sizes, other)
    centres = np.stack([some[group].mean(0) for group in groups])
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    nearest: NDArray[np.intp] = np.argmax(voices @ centres.T, axis=1)
    return nearest
