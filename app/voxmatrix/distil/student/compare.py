"""Let a student say what was not learned, and compare it with its teacher."""

import time
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from voxmatrix.audio.pitch import pitch
from voxmatrix.audio.waves import Samples
from voxmatrix.distil.acceptance import Gate, Pair, at_most, check_words, failed
from voxmatrix.distil.compare import options_of, recogniser
from voxmatrix.distil.session import Show
from voxmatrix.distil.student.align import silent_frames
from voxmatrix.distil.student.corpus import HOP, RATE_HZ, TeacherSpeech
from voxmatrix.judge.sound import measure, suspected_failures
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.piper.engines.onnx import open_onnx
from voxmatrix.text.front import Sentence

#: How far apart the voices may be: in the length of all sentences, and in the middle of their pitch.
MAX_LONGER, MAX_CENTS = 0.1, 100.0
#: Sentences whose times are compared.
TIMED = 5
#: A sentence, what the teacher made of it, and the number of the speaker.
TeacherSentence = tuple[Sentence, TeacherSpeech, int]


def compare(
    said: Sequence[TeacherSentence], made: Path, config: VoiceConfig, near: Gate, show: Show
) -> tuple[list[Gate], list[Pair], float]:
    """The conditions, each sentence by both, and the CPU time of the student for some of them."""
    pairs, times = spoken_by_both(said, made, config, show)
    by_speaker = [
        [pair for pair, one in zip(pairs, said, strict=True) if one[2] == speaker]
        for speaker in range(config.num_speakers)
    ]
    gates = [near, *_gates(list(filter(None, by_speaker)))]
    recognise = recogniser(config.espeak_voice)
    if recognise and not failed(gates):
        with show("recognise", "recognising words", str, 0) as progress:
            gates.append(check_words(pairs, RATE_HZ, recognise, progress))
    return gates, pairs, sum(times[:TIMED])


def spoken_by_both(
    said: Sequence[TeacherSentence], made: Path, config: VoiceConfig, show: Show
) -> tuple[list[Pair], list[float]]:
    """Each sentence by both, without silence at its ends, and the CPU seconds of the student."""
    voice, pairs, times = open_onnx(made, config.num_speakers), [], []
    with show("compare", "comparing", str, 0) as progress:
        for number, (sentence, speech, speaker) in enumerate(said):
            began = time.process_time()
            begun = voice.begin(sentence.ids, options_of(config, speaker), number)
            wave = np.concatenate([segment() for segment in begun.segments])
            times.append(time.process_time() - began)
            pairs.append(Pair(sentence.text, _without_edges(speech.wave()), _without_edges(wave)))
            progress(number + 1, len(said))
    return pairs, times


def _without_edges(wave: Samples) -> Samples:
    """Speech with a frame of silence at both ends, since students have less of it than their teachers."""
    if not wave.any():
        return wave
    before, after = silent_frames(wave)
    return wave[(before - 1) * HOP : len(wave) - (after - 1) * HOP]


def _gates(by_speaker: Sequence[Sequence[Pair]]) -> list[Gate]:
    """Each speaks as long and as high as its teacher, and no sentence sounds like something else than speech."""
    pairs = list(chain.from_iterable(by_speaker))
    facts = [measure(pair.fast, RATE_HZ) for pair in pairs]
    failures = sum(map(bool, suspected_failures(facts, [len(pair.text) for pair in pairs])))
    return [
        at_most("sentences that are no speech", failures, 0),
        at_most("difference in length, as a share", max(map(_longer, by_speaker)), MAX_LONGER),
        at_most("difference in pitch, in cents", max(map(_higher_cents, by_speaker)), MAX_CENTS),
    ]


def _longer(pairs: Sequence[Pair]) -> float:
    original, fast = (sum(len(getattr(pair, voice)) for pair in pairs) for voice in ("original", "fast"))
    return abs(fast / original - 1)


def _higher_cents(pairs: Sequence[Pair]) -> float:
    pitches = [
        np.concatenate([pitch(getattr(pair, voice), RATE_HZ).hz for pair in pairs]) for voice in ("original", "fast")
    ]
    original, fast = (float(np.median(one[one > 0])) if one.any() else 1.0 for one in pitches)
    return abs(1200 * float(np.log2(fast / original)))
