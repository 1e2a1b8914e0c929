"""A folder of recordings → clips ready to be learned from, and everything that is wrong with the others."""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from voxmatrix.dataset.cache import Cache
from voxmatrix.dataset.checks import check_recordings, usable
from voxmatrix.dataset.find import find
from voxmatrix.dataset.prepared import Clip, MeasuredRecording, PreparedSet, PrepareSettings, TooFewRecordingsError
from voxmatrix.dataset.processing import ProcessedRecording, Processor
from voxmatrix.dataset.pronunciation import Pronunciation
from voxmatrix.dataset.recording import Recording
from voxmatrix.dataset.sound import SoundFacts
from voxmatrix.errors import DamagedFileError
from voxmatrix.progress import OnProgress
from voxmatrix.tables.quality import quality
from voxmatrix.text.symbols import IdMap, default_map, map_for, to_ids
from voxmatrix.transcripts.problem import Problem

#: One to learn from and one to validate with.
LEAST_CLIPS = 2


def prepare(data: Path, settings: PrepareSettings, on_progress: OnProgress | None = None) -> PreparedSet:
    """Check every recording of `data`, fill the cache, and return what can be learned from.

    Raises:
        BadInputError: `data` has no known layout; or (TooFewRecordingsError) too few recordings are good.
        MissingProgramError: espeak-ng is needed and not installed.
        UnreachableError: the cache cannot be written.
    """
    recordings, problems = find(data, settings.profile, settings.prompt_list)
    made = _make(recordings, settings, on_progress)
    id_map = _table(made, settings.phoneme_type)
    numbered = [to_ids(one.spoken.phonemes, id_map) for one in made]
    problems += check_recordings(made, [missing for _, missing in numbered], settings)
    prepared = _prepared(made, [ids for ids, _ in numbered], problems, id_map, settings)
    _check_enough(data, prepared)
    return prepared


def _make(
    recordings: Sequence[Recording], settings: PrepareSettings, on_progress: OnProgress | None
) -> list[ProcessedRecording]:
    try:
        return _make_with_index(recordings, settings, on_progress)
    except DamagedFileError:
        Cache.discard(settings.cache)
        return _make_with_index(recordings, settings, on_progress)


def _make_with_index(
    recordings: Sequence[Recording], settings: PrepareSettings, on_progress: OnProgress | None
) -> list[ProcessedRecording]:
    with Cache(settings.cache, soundfacts=SoundFacts, spoken=Pronunciation) as cache:
        cache.clean()
        maker = Processor(cache, quality(settings.quality).rate_hz, settings.language, settings.phoneme_type)
        return maker.make(recordings, settings.workers, on_progress)


def _table(made: Sequence[ProcessedRecording], phoneme_type: str) -> IdMap:
    return map_for(one.spoken.phonemes for one in made) if phoneme_type == "text" else default_map(phoneme_type)


def _prepared(
    made: Sequence[ProcessedRecording],
    ids: Sequence[list[int]],
    problems: list[Problem],
    id_map: IdMap,
    settings: PrepareSettings,
) -> PreparedSet:
    good = {id(one) for one in usable(made, problems)}
    speakers = sorted({one.recording.speaker for one in made if id(one) in good and one.recording.speaker})
    several = len(speakers) > 1
    clips = [
        Clip(
            id=one.recording.id,
            speaker=one.recording.speaker if several else None,
            text=one.recording.text,
            ids=tuple(numbers),
            samples=one.sound.samples,
            path=Cache.clip_path(settings.cache, one.sound_key),
        )
        for one, numbers in zip(made, ids, strict=True)
        if id(one) in good
    ]
    clips.sort(key=lambda clip: clip.id)
    return PreparedSet(
        clips=tuple(clips),
        problems=tuple(sorted(problems, key=_order)),
        measured=tuple(_measured(one, id(one) in good) for one in made),
        speakers=tuple(speakers) if several else (),
        quality=quality(settings.quality).name,
        rate_hz=quality(settings.quality).rate_hz,
        language=settings.language,
        phoneme_type=settings.phoneme_type,
        id_map=id_map,
        digest=_digest(clips, id_map, settings),
    )


def _order(problem: Problem) -> tuple[str, str, int, str]:
    """Errors first, then as the lines of the transcript follow each other."""
    name, _, line = problem.place.rpartition(":")
    return (problem.severity, name or line, int(line) if name and line.isdecimal() else 0, problem.id)


def _measured(made: ProcessedRecording, used: bool) -> MeasuredRecording:
    recording = made.recording
    return MeasuredRecording(
        id=recording.id,
        place=recording.line,
        speaker=recording.speaker,
        text=recording.text,
        seconds=made.sound.trimmed_seconds,
        characters=made.spoken.characters,
        used=used,
    )


def _digest(clips: Sequence[Clip], id_map: IdMap, settings: PrepareSettings) -> str:
    learned = hashlib.sha256(json.dumps([settings.quality, settings.language, settings.phoneme_type, id_map]).encode())
    for clip in clips:  # a clip's path is the digest of its sound
        learned.update(repr((clip.id, clip.speaker, clip.ids, clip.path.name)).encode())
    return learned.hexdigest()


def _check_enough(data: Path, prepared: PreparedSet) -> None:
    left = len(prepared.clips)
    if left >= LEAST_CLIPS:
        return
    kinds = Counter(problem.kind for problem in prepared.problems if problem.severity == "error")
    why = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()) or "there are no more"
    raise TooFewRecordingsError(
        f"{left} of the recordings in {data} can be used, and at least {LEAST_CLIPS} are needed ({why})",
        "mend what is named above, and run the same command again",
        prepared,
    )
