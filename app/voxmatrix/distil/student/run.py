"""The whole way from a teacher to a voice of Piper's: speak, align, learn, write, compare."""

import json
import shutil
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

import voxmatrix
from voxmatrix.distil.compare import recogniser
from voxmatrix.distil.result import Distilled
from voxmatrix.distil.session import Evaluated, Show, Tell, check_out, claim, interruptible, speech_seconds
from voxmatrix.distil.student.align import align, silent_frames
from voxmatrix.distil.student.batches import Scale, Utterance, scale_of, utterance
from voxmatrix.distil.student.compare import TeacherSentence
from voxmatrix.distil.student.corpus import HOP, RATE_HZ, TeacherSpeech, read_corpus
from voxmatrix.distil.student.export import read_student
from voxmatrix.distil.student.lesson import MADE, Lesson
from voxmatrix.distil.student.network import Sizes
from voxmatrix.distil.student.teacher import TURN, Teacher, check_teacher, speaker_of
from voxmatrix.distil.student.training import ADAPTING_RATE, RATE, Student, StudentTrainer
from voxmatrix.distil.student.waves import LOWEST_HZ
from voxmatrix.distil.texts import Texts, read_texts
from voxmatrix.distil.trainer import Limits, long_enough
from voxmatrix.errors import BadInputError
from voxmatrix.files import digest, read_errors, replacing
from voxmatrix.lock import locked
from voxmatrix.piper.config import STUDENT, VoiceConfig
from voxmatrix.text.front import Sentence
from voxmatrix.text.phonemes.espeak import espeak_version
from voxmatrix.text.symbols import NUM_SYMBOLS, default_map

#: Sentences on which the curve is measured.
WATCHED = 8
#: How much the rhythm varies by default.
_NOISE_W = 0.333


@dataclass(frozen=True, kw_only=True)
class TeachSettings:
    """What to do. `text` None: the bundled sentences, or `texts`, all that the teacher can say; `bf16`: see Training.

    `start` is the ONNX file of a student of the same sizes and one speaker, with whose weights this one begins.
    """

    teacher: Teacher
    out: Path
    text: Path | None = None
    texts: Texts | None = None
    start: Path | None = None
    limits: Limits = field(default_factory=Limits)
    sizes: Sizes = field(default_factory=Sizes)
    threads: int = 1
    bf16: bool = False
    force: bool = False
    fresh: bool = False


def teach(
    settings: TeachSettings, show: Show, tell: Tell = lambda words: None, evaluated: Evaluated | None = None
) -> Distilled:
    """Make a voice. An interrupted command continues where it was, and ends equal to one that was not interrupted.

    A voice is written however it sounds. If a condition does not hold, what was learned is kept: the same command
    learns further, and writes a better one. Somebody is told how long it will take, and where there are previews.

    Raises:
        BadInputError: the text or what the teacher says cannot be used.
        DamagedFileError: what an earlier command left is corrupt.
        UsageError: `out` exists, or its folder is of another teacher or in use.
        MemoryExhaustedError, UnreachableError, InterruptedRunError: what was learned so far is kept.
    """
    folder = settings.out.with_suffix(".distil")
    check_out(settings.out, folder / MADE, force=settings.force)
    teacher = settings.teacher
    config = _config(teacher)
    texts = settings.texts or read_texts(config, settings.text)
    with locked(folder, "distillation", "wait for it, or choose another `out`"):
        claim(folder, _source(settings), fresh=settings.fresh)
        order = _order(texts)
        torch.set_num_threads(settings.threads)
        with interruptible(f"what was done so far is kept in {folder}", "continue"):
            title = "reading recordings" if teacher.is_person else "speaking"
            with show("speak", title, lambda: "seconds of speech", 0) as progress:
                seconds = speech_seconds(settings.limits)
                teacher.speak([one for one, _ in order], folder, seconds, progress)
            spoken = read_corpus(folder)
            train, compared = _parted(order, spoken, len(teacher.speakers))
            if not settings.force:
                check_teacher(
                    [(one.text, speech.wave()) for one, speech, _ in compared],
                    recogniser(teacher.language),
                    is_person=teacher.is_person,
                )
            utterances, scales = _utterances(train, teacher, folder, show)
        lesson = Lesson(
            training=_training(utterances, settings),
            utterances=utterances,
            scales=scales,
            compared=compared,
            teacher=teacher,
            config=replace(config, made_by=_made_by(settings, spoken)),
            limits=settings.limits,
            folder=folder,
            out=settings.out,
            show=show,
            tell=tell,
            evaluated=evaluated,
        )
        distilled = lesson.finish()
    if not distilled.kept:
        shutil.rmtree(folder, ignore_errors=True)
    return distilled


def _source(settings: TeachSettings) -> str:
    """What is learned from, and by which network: the same for the same content."""
    text, start = (digest(path) if path else "" for path in (settings.text, settings.start))
    return json.dumps({**settings.teacher.facts, "text": text, "start": start, "sizes": asdict(settings.sizes)})


def _config(teacher: Teacher) -> VoiceConfig:
    return VoiceConfig(
        rate_hz=RATE_HZ,
        num_symbols=NUM_SYMBOLS,
        espeak_voice=teacher.language,
        espeak_version=espeak_version() or "",
        id_map=default_map("espeak"),
        quality=STUDENT,
        dataset=teacher.name,
        num_speakers=len(teacher.speakers),
        speaker_id_map={name: number for number, name in enumerate(teacher.speakers) if len(teacher.speakers) > 1},
        hop=HOP,
        noise_scale=0.0,  # nothing depends on it
        noise_w=_NOISE_W,
    )


def _order(texts: Texts) -> list[tuple[Sentence, bool]]:
    """All sentences, and whether each is only compared: among those to learn, so that there are both, however few."""
    compared, found = list(texts.compared), []
    for number, sentence in enumerate(texts.train):
        if number % (TURN - 1) == 0 and compared:
            found.append((compared.pop(0), True))
        found.append((sentence, False))
    return [*found, *((one, True) for one in compared)]


def _parted(
    order: Sequence[tuple[Sentence, bool]], spoken: Sequence[TeacherSpeech], speakers: int
) -> tuple[list[TeacherSentence], list[TeacherSentence]]:
    """The sentences to learn, and those to compare, as far as they were said."""
    said: tuple[list[TeacherSentence], list[TeacherSentence]] = ([], [])
    for place, ((one, only_compared), speech) in enumerate(zip(order, spoken, strict=False)):
        if speech.samples.any():
            said[only_compared].append((one, speech, speaker_of(place, speakers)))
    return said


def _utterances(
    said: Sequence[TeacherSentence], teacher: Teacher, folder: Path, show: Show
) -> tuple[list[Utterance], list[Scale]]:
    """What can be learned: sentences that have a pitch, and are long enough for their symbols."""
    usable = [(list(filter(None, one.ids)), speech, speaker) for one, speech, speaker in said]
    usable = [one for one in usable if _fits(len(one[0]), one[1])]
    of_speakers = [[speech for _, speech, speaker in usable if speaker == one] for one in range(len(teacher.speakers))]
    fewest, name = min((len(speeches), name) for speeches, name in zip(of_speakers, teacher.speakers, strict=True))
    needed = WATCHED // len(of_speakers) + 1
    if fewest < needed:
        raise BadInputError(
            f"{name} said {fewest} sentences with a pitch and a frame a symbol, and at least {needed} are needed",
            "record more sentences: some hundred are a good amount"
            if teacher.is_person
            else "give more text with `text=FILE`: a few hundred sentences are a good amount",
        )
    ids, speeches = [one for one, *_ in usable], [speech for _, speech, _ in usable]
    path = folder / "durations.npz"
    durations = _read_durations(path, [one.frames for one in speeches])
    if durations is None:
        with show("prepare", "aligning", str, 0) as progress:
            durations = align(ids, speeches, progress)
        with replacing(path) as file:
            np.savez(file, *durations)
    scales = list(map(scale_of, of_speakers))
    utterances = [
        utterance(numbers, frames, speech, scales[speaker], speaker)
        for (numbers, speech, speaker), frames in zip(usable, durations, strict=True)
    ]
    return utterances, scales


def _fits(symbols: int, speech: TeacherSpeech) -> bool:
    return speech.frames - sum(silent_frames(speech.wave())) >= symbols - 2 and speech.hz.max() > LOWEST_HZ


def _read_durations(path: Path, frames: Sequence[int]) -> list[NDArray[np.int64]] | None:
    """What an earlier command has aligned; None if there is nothing, it is damaged, or of less or more speech."""
    if not path.exists():
        return None
    with read_errors(path), suppress(ValueError, EOFError, zipfile.BadZipFile):
        with path.open("rb") as file, np.load(file) as content:
            found = [content[name] for name in content.files]
        return found if [one.sum() for one in found] == list(frames) else None
    return None


def _training(utterances: Sequence[Utterance], settings: TeachSettings) -> StudentTrainer:
    torch.manual_seed(0)  # here, whatever was computed before and need not be again
    student = Student(settings.sizes, len(settings.teacher.speakers))
    if settings.start:
        student.begin_with(read_student(settings.start))
    with long_enough(is_person=settings.teacher.is_person):
        return StudentTrainer(
            student,
            train=utterances[:-WATCHED],
            validation=utterances[-WATCHED:],
            rate=ADAPTING_RATE if settings.start else RATE,
            threads=settings.threads,
            bf16=settings.bf16,
        )


def _made_by(settings: TeachSettings, spoken: Sequence[TeacherSpeech]) -> dict[str, object]:
    """What the voice is made of: it carries the origin of its teacher."""
    return {
        "taught_by": f"voxmatrix {voxmatrix.__version__}",
        **settings.teacher.facts,
        **({"started_from": settings.start.stem, "start_sha256": digest(settings.start)} if settings.start else {}),
        "text_sha256": digest(settings.text) if settings.text else "",
        "sentences": len(spoken),
        "speech_seconds": sum(one.frames for one in spoken) * HOP // RATE_HZ,
    }
