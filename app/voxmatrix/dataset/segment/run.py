"""Long recordings → pauses → recognised words → texts → a data set, in steps that are kept and not repeated."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from voxmatrix.audio.long import LongRecording
from voxmatrix.audio.waves import Samples
from voxmatrix.dataset.segment.at_times import cut_at
from voxmatrix.dataset.segment.cut import Cut, Part, cut
from voxmatrix.dataset.segment.faults import with_faults
from voxmatrix.dataset.segment.noise import STEP_SECONDS
from voxmatrix.dataset.segment.order import Heard, told_in_any_order
from voxmatrix.dataset.segment.output import Segment, check_output, write_output
from voxmatrix.dataset.segment.speakers import Likeness, with_speakers
from voxmatrix.dataset.segment.texts import Script, Told, told, told_at_times
from voxmatrix.errors import BadInputError
from voxmatrix.files import read_errors, replacing, storage_errors
from voxmatrix.lock import locked
from voxmatrix.progress import Activity, OnProgress
from voxmatrix.transcripts.label import Label

#: Of the network that finds speech.
_RATE_HZ = 16_000
_STEP_SAMPLES = round(STEP_SECONDS * _RATE_HZ)
_MIN_POWER = 1e-12
#: Those whose flatness tells noise from speech, of a spectrum of one step: 100 to 7,000 Hz.
_FLAT_BINS = slice(round(100 * STEP_SECONDS), round(7000 * STEP_SECONDS))


class ClipRecogniser(Protocol):
    """What hears words."""

    name: str

    def hear(self, samples: Samples, rate_hz: int) -> tuple[str, float]:
        """The words of a clip, and their probability."""
        ...


#: What a recording reads: a text, labels with their times, or None where it is not known.
SourceText = str | Sequence[Label] | None
#: The probability of speech in each step of blocks of samples at 16 kHz.
Activities = Callable[[Iterable[Samples]], Iterable[NDArray[np.float32]]]
#: Opens a progress bar, by what is done, its title, and what was done by an earlier command.
Show = Callable[[Activity, str, int], AbstractContextManager[OnProgress]]


@dataclass(frozen=True, kw_only=True)
class SegmentSettings:
    """What is to be cut, and how."""

    recordings: Sequence[Path]
    texts: Sequence[SourceText]  # none, one of each recording, or one that they read, if possible in their order
    language: str
    out: Path
    min_snr_db: float
    speakers: int | None = None  # 0: as many as there are; None: they are not told apart


def segment(
    settings: SegmentSettings,
    activity: Activities,
    recogniser: ClipRecogniser,
    likeness: Likeness | None,
    show: Show,
) -> list[Segment]:
    """Write the data set, and return all parts of the recordings: clips, and what was left out.

    `likeness` is needed to tell speakers apart.

    Raises:
        AudioError: a recording cannot be read.
        BadInputError: nobody speaks in the recordings, or other words than those of the texts.
        UsageError: the folder belongs to something else, or another process works there.
        UnreachableError: the disk is full.
    """
    check_output(settings.out)
    work = settings.out / ".segment"
    with locked(settings.out, "segmentation", "wait for it, or choose another `out`"), storage_errors(settings.out):
        work.mkdir(exist_ok=True)
        opened = [LongRecording(path, work) for path in settings.recordings]
        cuts = _cuts(opened, settings, work, activity, show)
        if not any(found.clips for found in cuts):
            raise _without_speech(settings, cuts)
        clips = [(one, clip) for one, found in zip(opened, cuts, strict=True) for clip in found.clips]
        heard = _heard(clips, recogniser, settings.language, work / "heard.jsonl", show)
        segments = _segments(settings, cuts, heard)
        if settings.speakers is not None and likeness is not None:
            segments = with_speakers(segments, opened, likeness, settings.speakers)
        written = write_output(settings.out, opened, with_faults(segments, opened))
    if all(one.reason for one in written):
        raise _without_clips(settings, written)
    return written


def _cuts(
    opened: Sequence[LongRecording], settings: SegmentSettings, work: Path, activity: Activities, show: Show
) -> list[Cut]:
    total, done = round(sum(one.seconds for one in opened)), 0.0
    cuts = []
    with show("check", "seconds searched for speech", 0) as on_progress:
        for recording, labels in zip(opened, _labels(settings), strict=True):
            _check_times(recording, labels)
            kept = work / f"{recording.key}.steps.npy"
            measured = _read_steps(kept)
            if measured is None:
                parts = []
                for part in _measured(recording, activity):
                    parts.append(part)
                    on_progress(round(done + sum(len(one) for one in parts) * STEP_SECONDS), total)
                measured = np.concatenate(parts)
                with replacing(kept) as file:
                    np.save(file, measured)
            done += recording.seconds
            on_progress(round(done), total)
            seconds, min_snr_db = recording.seconds, settings.min_snr_db
            if labels:
                cuts.append(cut_at(labels, measured, seconds, min_snr_db))
            else:
                probabilities, levels, flatness = measured.T
                cuts.append(cut(probabilities, levels, flatness, seconds, min_snr_db))
    return cuts


def _labels(settings: SegmentSettings) -> list[Sequence[Label]]:
    """The labels of each recording, none where it has a text without times."""
    labels = [() if text is None or isinstance(text, str) else text for text in settings.texts]
    return labels if len(labels) == len(settings.recordings) else [()] * len(settings.recordings)


def _check_times(recording: LongRecording, labels: Sequence[Label]) -> None:
    late = next((one for one in labels if one.start >= recording.seconds), None)
    if late is not None:
        raise BadInputError(
            f"{recording.path.name} ends at {recording.seconds:.1f} s, but a text begins at {late.start:.1f} s:"
            f" {late.text[:60]!r}",
            "choose the labels of this recording (`text`)",
        )


def _read_steps(path: Path) -> NDArray[np.float32] | None:
    """What an earlier command has measured; None if there is nothing, or it is damaged."""
    if path.exists():
        with suppress(ValueError, EOFError), read_errors(path):
            return np.load(path, allow_pickle=False)  # type: ignore[no-any-return]
    return None


def _measured(recording: LongRecording, activity: Activities) -> Iterator[NDArray[np.float32]]:
    """The probability of speech, the level and the flatness in dB of each step, some minutes at a time: (steps, 3)."""
    waiting: list[Samples] = []

    def kept() -> Iterator[Samples]:
        for block in recording.resampled(_RATE_HZ):
            waiting.append(block)
            yield block

    for probabilities in activity(kept()):
        samples = np.concatenate(waiting)
        count = len(probabilities) * _STEP_SAMPLES
        waiting[:] = [samples[count:]]
        steps = np.pad(samples[:count], (0, max(0, count - len(samples)))).reshape(-1, _STEP_SAMPLES)
        levels = 10 * np.log10(np.maximum(steps.var(axis=1), _MIN_POWER))
        yield np.stack([probabilities, levels, _flatness_db(steps)], axis=1).astype(np.float32)


def _flatness_db(steps: Samples) -> NDArray[np.float32]:
    """The spectral flatness of each step (steps, samples): the geometric mean of the bins beside their mean, in dB.

    Bins count by their frequency, so that noise which is louder at low frequencies is flat as well.
    """
    power = np.abs(np.fft.rfft(steps * np.hanning(_STEP_SAMPLES).astype(np.float32)))[:, _FLAT_BINS] ** 2
    power = np.maximum(power * np.arange(_STEP_SAMPLES)[_FLAT_BINS], _MIN_POWER)
    return np.asarray(10 * (np.log10(power).mean(1) - np.log10(power.mean(1))), np.float32)


def _without_speech(settings: SegmentSettings, cuts: Sequence[Cut]) -> BadInputError:
    left_out = [(reason, part.end - part.start) for found in cuts for part, reason in found.left_out]
    return BadInputError(
        f"there is no speech in {_names(settings)} that can be used ({_seconds(left_out)})",
        "name a recording of somebody who speaks without music or noise, or lower `min_snr`",
    )


def _without_clips(settings: SegmentSettings, segments: Sequence[Segment]) -> BadInputError:
    left_out = [(one.reason, one.seconds) for one in segments if one.text]
    remedy = "check that `text` is what is read in them" if settings.texts else "choose a larger model (`judge`)"
    return BadInputError(f"no clip of {_names(settings)} can be used ({_seconds(left_out)})", remedy)


def _names(settings: SegmentSettings) -> str:
    return ", ".join(path.name for path in settings.recordings)


def _seconds(left_out: Iterable[tuple[str, float]]) -> str:
    """How long is left out, by its reason."""
    sums: defaultdict[str, float] = defaultdict(float)
    for reason, seconds in left_out:
        sums[reason] += seconds
    return ", ".join(f"{reason}: {seconds:.1f} s" for reason, seconds in sums.items())


def _heard(
    clips: Sequence[tuple[LongRecording, Part]], recogniser: ClipRecogniser, language: str, ledger: Path, show: Show
) -> list[tuple[str, float]]:
    """What is heard in each clip. It is kept as soon as it is heard: the same command goes on where it was killed."""
    known = dict(_known(ledger))
    keys = [f"{one.key} {clip.start:.3f} {clip.end:.3f} {recogniser.name} {language}" for one, clip in clips]
    total = sum(clip.end - clip.start for _, clip in clips)
    done = sum(clip.end - clip.start for (_, clip), key in zip(clips, keys, strict=True) if key in known)
    with ledger.open("a", encoding="utf-8") as file, show("recognise", "seconds heard", round(done)) as on_progress:
        file.write("\n")  # behind what a killed process left
        for (recording, clip), key in zip(clips, keys, strict=True):
            if key not in known:
                text, confidence = recogniser.hear(recording.read(*clip), recording.rate_hz)
                known[key] = (text, confidence)
                file.write(json.dumps({"key": key, "text": text, "confidence": confidence}) + "\n")
                file.flush()
                done += clip.end - clip.start
            on_progress(round(done), round(total))
    return [known[key] for key in keys]


def _known(ledger: Path) -> Iterator[tuple[str, tuple[str, float]]]:
    if not ledger.exists():
        return
    for line in ledger.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            entry = json.loads(line)
            yield str(entry["key"]), (str(entry["text"]), float(entry["confidence"]))
        except (ValueError, KeyError, TypeError):
            continue  # the process was killed while it wrote


def _segments(settings: SegmentSettings, cuts: Sequence[Cut], heard: Sequence[tuple[str, float]]) -> list[Segment]:
    """All parts in order, with their texts."""
    remaining = iter(heard)
    some = [[next(remaining) for _ in found.clips] for found in cuts]
    said = iter([one for found in _told(settings, cuts, some) for one in found])
    segments: list[Segment] = []
    for number, found in enumerate(cuts):
        clips = [Segment(recording=number, start=start, end=end, **next(said)._asdict()) for start, end in found.clips]
        others = [
            Segment(recording=number, start=part.start, end=part.end, reason=reason) for part, reason in found.left_out
        ]
        segments += sorted([*clips, *others], key=lambda one: one.start)
    return segments


def _told(settings: SegmentSettings, cuts: Sequence[Cut], heard: Sequence[Heard]) -> list[list[Told]]:
    """What the clips of each recording say."""
    texts, language = settings.texts, settings.language
    if len(texts) != len(cuts) and texts and isinstance(texts[0], str):
        names = [path.name for path in settings.recordings]
        return told_in_any_order(heard, names, Script.of(texts[0], language), language)
    found = []
    for parts, some, text in zip(cuts, heard, texts or [None] * len(cuts), strict=True):
        if parts.texts:
            found.append(told_at_times(some, parts.texts, language))
        else:
            found.append(told(some, Script.of(text, language) if isinstance(text, str) else None, language))
    return found
