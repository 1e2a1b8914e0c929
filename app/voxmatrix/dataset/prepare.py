"""Turn a folder of recordings into training clips, and report the problems of the others."""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from voxmatrix.audio.measures.measures import Measures
from voxmatrix.dataset.cache import Cache
from voxmatrix.dataset.checks import check_recordings, usable
from voxmatrix.dataset.find import find
from voxmatrix.dataset.folder import Recording
from voxmatrix.dataset.listening import NOBODY, Heard, LikenessVector, Listeners, listen
from voxmatrix.dataset.prepared import Clip, MeasuredRecording, PreparedSet, PrepareSettings, TooFewRecordingsError
from voxmatrix.dataset.processing import ProcessedRecording, Processor
from voxmatrix.dataset.pronunciation import Pronunciation
from voxmatrix.dataset.sound import SoundFacts
from voxmatrix.errors import DamagedFileError
from voxmatrix.progress import OnProgress
from voxmatrix.tables.quality import quality
from voxmatrix.tables.training import MIN_SECONDS
from voxmatrix.text.symbols import IdMap, default_map, map_for, to_ids
from voxmatrix.transcripts.lines import Problem

#: One for training and one for validation.
MIN_CLIPS = 2


def prepare(
    data: Path,
    settings: PrepareSettings,
    on_progress: OnProgress | None = None,
    listeners: Listeners = NOBODY,
) -> PreparedSet:
    """Check the recordings of `data`, fill the cache, and return the clips for training.

    `listeners` hear the words and the speakers of those that are good otherwise.

    Raises:
        BadInputError: `data` has no supported layout, or (TooFewRecordingsError) too few recordings are usable.
        MissingProgramError: espeak-ng is needed and not installed.
        UnreachableError: the cache cannot be written.
    """
    recordings, problems = find(data, settings.profile, settings.prompt_list)
    first, second = _halves(on_progress) if listeners.recogniser else (on_progress, None)
    items = _process(recordings, settings, first)
    id_map = _id_map(items, settings.phoneme_type)
    mapped = [to_ids(item.spoken.phonemes, id_map) for item in items]
    problems += check_recordings(items, [missing for _, missing in mapped], settings)
    if listeners != NOBODY:
        with Cache(settings.cache, heard=Heard, likeness=LikenessVector) as cache:
            good, language = usable(items, problems), settings.language
            problems += listen(good, listeners, cache, language, known=problems, on_progress=second)
    prepared = _prepared(items, [ids for ids, _ in mapped], problems, id_map, settings)
    _check_enough(data, prepared)
    return prepared


def _halves(on_progress: OnProgress | None) -> tuple[OnProgress, OnProgress]:
    """Progress of the first and the second half of the work."""
    report = on_progress or (lambda done, total: None)
    return (lambda done, total: report(done, 2 * total)), (lambda done, total: report(total + done, 2 * total))


def check_amount(data: Path, prepared: PreparedSet) -> None:
    """Check that there is enough speech for a voice.

    Raises:
        TooFewRecordingsError: there is less than a minute.
    """
    if round(prepared.seconds) < MIN_SECONDS:
        raise TooFewRecordingsError(
            f"{data} has {prepared.seconds:.0f} s of usable speech; less than {MIN_SECONDS} s are too few for a voice",
            "record at least 10 minutes, or add `force` to use these recordings anyway",
            prepared,
        )


def _process(
    recordings: Sequence[Recording], settings: PrepareSettings, on_progress: OnProgress | None
) -> list[ProcessedRecording]:
    try:
        return _process_with_cache(recordings, settings, on_progress)
    except DamagedFileError:
        Cache.discard(settings.cache)
        return _process_with_cache(recordings, settings, on_progress)


def _process_with_cache(
    recordings: Sequence[Recording], settings: PrepareSettings, on_progress: OnProgress | None
) -> list[ProcessedRecording]:
    with Cache(settings.cache, soundfacts=SoundFacts, spoken=Pronunciation, measures=Measures) as cache:
        cache.clean()
        rate_hz = quality(settings.quality).rate_hz
        processor = Processor(cache, rate_hz, settings.language, settings.phoneme_type, measured=settings.ears)
        return processor.process(recordings, settings.workers, on_progress)


def _id_map(items: Sequence[ProcessedRecording], phoneme_type: str) -> IdMap:
    return map_for(item.spoken.phonemes for item in items) if phoneme_type == "text" else default_map(phoneme_type)


def _prepared(
    items: Sequence[ProcessedRecording],
    ids: Sequence[list[int]],
    problems: list[Problem],
    id_map: IdMap,
    settings: PrepareSettings,
) -> PreparedSet:
    good = {id(item) for item in usable(items, problems)}
    speakers = sorted({item.recording.speaker for item in items if id(item) in good and item.recording.speaker})
    several = len(speakers) > 1
    clips = [
        Clip(
            id=item.recording.id,
            speaker=item.recording.speaker if several else None,
            text=item.recording.text,
            ids=tuple(item_ids),
            samples=item.sound.samples,
            path=Cache.clip_path(settings.cache, item.sound_key),
        )
        for item, item_ids in zip(items, ids, strict=True)
        if id(item) in good
    ]
    clips.sort(key=lambda clip: clip.id)
    return PreparedSet(
        clips=tuple(clips),
        problems=tuple(sorted(problems, key=_order)),
        measured=tuple(_measured(item, id(item) in good) for item in items),
        speakers=tuple(speakers) if several else (),
        quality=quality(settings.quality).name,
        rate_hz=quality(settings.quality).rate_hz,
        language=settings.language,
        phoneme_type=settings.phoneme_type,
        id_map=id_map,
        digest=_digest(clips, id_map, settings),
    )


def _order(problem: Problem) -> tuple[str, str, int, str]:
    """Sort key: errors first, then in the order of the transcript's lines."""
    name, _, line = problem.place.rpartition(":")
    return (problem.severity, name or line, int(line) if name and line.isdecimal() else 0, problem.id)


def _measured(item: ProcessedRecording, used: bool) -> MeasuredRecording:
    recording = item.recording
    return MeasuredRecording(
        id=recording.id,
        place=recording.line,
        path=str(recording.path),
        speaker=recording.speaker,
        text=recording.text,
        seconds=item.sound.trimmed_seconds,
        characters=item.spoken.characters,
        used=used,
    )


def _digest(clips: Sequence[Clip], id_map: IdMap, settings: PrepareSettings) -> str:
    digest = hashlib.sha256(json.dumps([settings.quality, settings.language, settings.phoneme_type, id_map]).encode())
    # Texts instead of their phonemes, which a new version may improve: a run can then still be resumed. A clip's file
    # name is the digest of its sound.
    for clip in clips:
        digest.update(repr((clip.id, clip.speaker, clip.text, clip.path.name)).encode())
    return digest.hexdigest()


def _check_enough(data: Path, prepared: PreparedSet) -> None:
    count = len(prepared.clips)
    if count >= MIN_CLIPS:
        return
    kinds = Counter(problem.kind for problem in prepared.problems if problem.severity == "error")
    why = ", ".join(f"{number} {kind}" for kind, number in kinds.most_common()) or "there are no more"
    raise TooFewRecordingsError(
        f"{count} of the recordings in {data} can be used, but at least {MIN_CLIPS} are required ({why})",
        "fix the problems above and run the same command again",
        prepared,
    )
