"""The learning of a student: previews on the way, the voice at its end, and its comparison with the teacher."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path

import torch

from voxmatrix.compute.memory import memory_errors
from voxmatrix.distil.acceptance import at_most, failed
from voxmatrix.distil.result import Distilled
from voxmatrix.distil.session import Evaluated, Show, Tell, interruptible, keep_written, learn, out_of_memory, restore
from voxmatrix.distil.student.batches import Scale, Utterance
from voxmatrix.distil.student.compare import TIMED, TeacherSentence, compare
from voxmatrix.distil.student.corpus import RATE_HZ
from voxmatrix.distil.student.durations import least_frames, pace_of, predicted_frames
from voxmatrix.distil.student.export import Voice, write_student
from voxmatrix.distil.student.previews import Previews
from voxmatrix.distil.student.teacher import Teacher
from voxmatrix.distil.student.training import Student, StudentTrainer
from voxmatrix.distil.student.variance import widen
from voxmatrix.distil.trainer import Limits
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.piper.export.export import write_voice
from voxmatrix.piper.export.metadata import metadata
from voxmatrix.train.checkpoint.files import write as write_checkpoint

#: The voice in the folder of its learning, before it is compared.
MADE = "student.onnx"
#: How far the mel bands of both may be apart, with the same durations and pitch: with 0.4, 95 % of the words of a
#: student were heard.
MAX_MEL_DISTANCE = 0.4
#: How near they are, while the rate is still high, when it is time to finish: as those of the default voice after 5,000
#: steps, whose DistilMOS was 4.1. With 0.4, a person's voice is there, but not the naturalness (2.9).
GOOD_MEL_DISTANCE = 0.3
#: Sentences from which the pace is taken.
_PACED = 200


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """What is learned, how long, and where the voice is written. What was learned is kept in `folder`."""

    training: StudentTrainer
    utterances: Sequence[Utterance]
    scales: Sequence[Scale]
    compared: Sequence[TeacherSentence]
    teacher: Teacher
    config: VoiceConfig  # of the voice, but for the steps
    limits: Limits
    folder: Path
    out: Path
    show: Show
    tell: Tell
    evaluated: Evaluated | None = None

    def finish(self) -> Distilled:
        """Learn to the end, and write the voice.

        If the sound is near enough, and something else does not hold, it learns on until it gets no better, unless
        minutes or steps were given.
        """
        with self._memory_errors():
            restore(self.training, self._checkpoint)
        position = self.training.position
        if position.rejected:
            position.go_on()
        while True:
            with self._memory_errors():
                learn(
                    self.training,
                    self.limits,
                    self._checkpoint,
                    self.show,
                    tell=self.tell,
                    preview=self._preview,
                    evaluated=self.evaluated,
                )
            distilled = self._written()
            if distilled.kept is None:
                return distilled
            keep_written(self.folder, self.out)
            position.rejected = True
            write_checkpoint(self._checkpoint, self.training.state())
            if self.limits.steps or self.limits.minutes or not position.is_good(self.limits):
                return distilled
            self.tell(f"{distilled.lacking}: it learns on until it gets no better")
            position.go_on()

    @property
    def _checkpoint(self) -> Path:
        return self.folder / "state.ckpt"

    def _memory_errors(self) -> AbstractContextManager[None]:
        return memory_errors(partial(out_of_memory, torch.device("cpu"), self.folder))

    def _preview(self) -> None:
        position = self.training.position
        previews = Previews(self.folder / "previews", self.compared, is_person=self.teacher.is_person)
        with self.training.with_ema_weights() as student:
            heard = previews.write(self._voice(student), position.step)
        self.tell(f"to hear it after {position.seconds / 60:.0f} minutes ({position.step:,} steps): {heard}")

    def _voice(self, student: Student) -> Voice:
        count = len(self.scales)
        of_speakers = [[one for one in self.utterances if one.speaker == number][:_PACED] for number in range(count)]
        predicted = [predicted_frames(student.rhythm, own) for own in of_speakers]
        paces = list(map(pace_of, predicted, of_speakers))
        least = least_frames(list(chain(*predicted)), [one.ids for one in chain(*of_speakers)])
        if self.utterances[0].speech.filters is None:  # what was learned from filters is not averaged
            student = deepcopy(student)
            widen(student.sound, self.utterances)
        return Voice(student, self.scales, paces, least)

    def _written(self) -> Distilled:
        """Write the voice with averaged weights, and compare it."""
        training, made = self.training, self.folder / MADE
        steps = training.position.step
        config = replace(self.config, made_by={**self.config.made_by, "steps": steps})
        with training.with_ema_weights() as student:
            voice = self._voice(student)
        write_student(voice, metadata(config), made)
        with interruptible(f"what was learned is kept in {self.folder}", "compare"):
            near = at_most("distance of mel bands, in the same rhythm", training.evaluate()[0], MAX_MEL_DISTANCE)
            gates, pairs, spent = compare(self.compared, made, config, near, self.show)
            before = self.teacher.cpu_seconds([one.text for one, *_ in self.compared[:TIMED]])
        write_voice(made, config, self.out)
        return Distilled(
            out=self.out,
            gates=gates,
            times_as_fast=before and before / spent,
            steps=steps,
            pairs=pairs,
            rate_hz=RATE_HZ,
            of_person=self.teacher.is_person,
            kept=self.folder if failed(gates) else None,
            best_step=training.position.best_step if training.position.is_flat() else 0,
        )
