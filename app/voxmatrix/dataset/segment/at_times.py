"""Where a recording is cut whose labels say when each of its texts is said. Pure."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from voxmatrix.dataset.segment.cut import (
    MARGIN_SECONDS,
    Cut,
    Part,
    behind_noise,
    bounds_of,
    cut,
    is_speech,
    others,
    part_of,
)
from voxmatrix.dataset.segment.noise import STEP_SECONDS, level, noisy
from voxmatrix.transcripts.label import Label, joined_text

#: A label is cut into several clips if it is longer: `prepare` takes no longer ones.
_MAX_LABEL_SECONDS = 20.0


def cut_at(labels: Sequence[Label], measured: NDArray[np.float32], seconds: float, min_snr_db: float) -> Cut:
    """The clips of a recording at given times, and what of their texts each has; otherwise as `cut`.

    Silence around the words is added, as far as there is any. Labels between which nobody pauses are one clip; what is
    longer than a clip of `prepare` then is cut in its pauses. `measured`: for each step the probability of speech, the
    level and the flatness, (steps, 3).
    """
    probabilities, levels_dbfs, flatness_db = measured.T
    speech = is_speech(probabilities, levels_dbfs)
    loud = level(levels_dbfs[speech]) if speech.any() else -np.inf
    spoken = _spoken(labels, speech, levels_dbfs)
    spans = [behind_noise(speech, levels_dbfs, *span, min_snr_db) for _, span in spoken]
    in_noise, _ = noisy(spans, speech, levels_dbfs, flatness_db, min_snr_db)
    clips: list[Part] = []
    left_out: list[tuple[Part, str]] = []
    texts: list[tuple[int, str]] = []
    for (label, _), span, is_noisy in zip(spoken, spans, in_noise, strict=True):
        part = part_of(span, seconds)
        inside = [part]
        if part.end - part.start > _MAX_LABEL_SECONDS:
            inner = [each[slice(*span)] for each in (probabilities, levels_dbfs, flatness_db)]
            found = cut(inner[0], inner[1], inner[2], part.end - part.start, min_snr_db)
            inside = [_moved(one, part.start) for one in found.clips]
            left_out += [(_moved(one, part.start), why) for one, why in found.left_out]
        elif is_noisy:
            left_out.append((part, "noise"))
            continue
        clips += inside
        texts.append((len(inside), label.text))
    for part, why in others(clips, left_out, levels_dbfs, loud, seconds):
        somebody = speech[round(part.start / STEP_SECONDS) : round(part.end / STEP_SECONDS)].any()
        left_out.append((part, "no-label" if somebody else why))
    return Cut(clips, sorted(left_out), texts)


def _moved(part: Part, seconds: float) -> Part:
    return Part(part.start + seconds, part.end + seconds)


def _spoken(
    labels: Sequence[Label], speech: NDArray[np.bool_], levels: NDArray[np.float32]
) -> list[tuple[Label, tuple[int, int]]]:
    """The labels in which somebody speaks, and their steps with the silence around them."""
    joined = _without_cuts_in_words(labels, speech)
    spans = bounds_of([_steps(one, len(speech)) for one in joined], levels)
    return [(one, span) for one, span in zip(joined, spans, strict=True) if speech[slice(*span)].any()]


def _steps(label: Label, count: int) -> tuple[int, int]:
    start = min(round(label.start / STEP_SECONDS), count)
    return start, min(max(round(label.end / STEP_SECONDS), start + 1), count)


def _without_cuts_in_words(labels: Sequence[Label], speech: NDArray[np.bool_]) -> list[Label]:
    """The labels, those joined that follow one another while somebody speaks, as the lines of subtitles do."""
    joined: list[Label] = []
    for label in labels:
        if joined:
            before = joined[-1]
            end, start = round(before.end / STEP_SECONDS), round(label.start / STEP_SECONDS)
            if start - end <= MARGIN_SECONDS / STEP_SECONDS and speech[max(end - 2, 0) : max(start, end) + 2].all():
                joined[-1] = Label(before.start, max(before.end, label.end), joined_text([before, label]))
                continue
        joined.append(label)
    return joined
