"""Somebody's recordings as a teacher, who says what was read and nothing else."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path

import numpy as np

from voxmatrix.audio.waves import INT16_MAX
from voxmatrix.dataset.prepared import Clip, PreparedSet
from voxmatrix.distil.student.compare import TeacherSentence
from voxmatrix.distil.student.corpus import HOP, RATE_HZ, TeacherSpeech, speech_of, write_corpus
from voxmatrix.distil.texts import Texts, texts_of
from voxmatrix.errors import BadInputError
from voxmatrix.progress import OnProgress
from voxmatrix.text.front import Sentence

#: Added before and after each clip, whose own silence is trimmed: the aligner wants some.
_SILENCE_SECONDS = 6 * HOP / RATE_HZ


class RecordedTeacher:
    """The recordings of one person, a `Teacher`. `texts` is what was read."""

    is_person = True

    def __init__(self, name: str, prepared: PreparedSet) -> None:
        """Learn from the clips of `prepared`.

        Raises:
            BadInputError: they are of several people.
        """
        if prepared.speakers:
            raise BadInputError(
                f"the recordings are of {len(prepared.speakers)} people: {', '.join(prepared.speakers[:5])}",
                "put those of each into a folder of their own: one person teaches a voice",
            )
        self.name, self.language, self.speakers = name, prepared.language, (name,)
        self.facts: Mapping[str, str] = {
            "teacher": name,
            "teacher_sha256": prepared.digest,
            "note": "Taught by recordings of a person.",
        }
        self._rate_hz = prepared.rate_hz
        self._takes: defaultdict[str, list[Clip]] = defaultdict(list)
        for clip in prepared.clips:
            self._takes[clip.text].append(clip)
        texts = texts_of([Sentence(text=text, ids=takes[0].ids) for text, takes in self._takes.items()])
        self.texts = Texts(train=self._all_takes(texts.train), compared=self._all_takes(texts.compared))

    def _all_takes(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        """Each sentence as often as it was read: all takes of a text are learned from, or all are compared with."""
        return [sentence for sentence in sentences for _ in self._takes[sentence.text]]

    def speak(self, sentences: Sequence[Sentence], folder: Path, wanted_seconds: float, progress: OnProgress) -> None:
        """See `Teacher`. All of it is used, however little is wanted."""

        unread = {text: cycle(takes) for text, takes in self._takes.items()}
        clips = [next(unread[sentence.text]) for sentence in sentences]

        def say(places: range, _missing_seconds: float) -> list[TeacherSpeech]:
            return [self._heard(clips[place]) for place in places]

        seconds = sum(clip.samples / self._rate_hz + 2 * _SILENCE_SECONDS for clip in clips)
        write_corpus(folder, len(sentences), say, seconds, progress)

    def compared(self) -> list[TeacherSentence]:
        """What is not learned from, as it was read."""
        unread = {text: cycle(takes) for text, takes in self._takes.items()}
        return [(one, self._heard(next(unread[one.text])), 0) for one in self.texts.compared]

    def _heard(self, clip: Clip) -> TeacherSpeech:
        wave = np.load(clip.path).astype(np.float32) / INT16_MAX
        return speech_of(np.pad(wave, round(_SILENCE_SECONDS * self._rate_hz)), self._rate_hz)

    def cpu_seconds(self, texts: Sequence[str]) -> None:
        """People need none."""
