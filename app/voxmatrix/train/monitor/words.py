"""Which share of the words of some sentences is not heard when the voice speaks them, by faster-whisper."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from voxmatrix.dataset.prepared import Clip
from voxmatrix.judge.hearing import Recogniser, word_errors
from voxmatrix.train.data.batches import Collate
from voxmatrix.train.monitor.samples import first_text, spoken
from voxmatrix.train.step.step import Networks

#: Sentences that are heard, and seconds of speech in their recordings: less than a minute with the model base.
_MOST, _MOST_SECONDS = 8, 40.0


@dataclass(frozen=True, kw_only=True)
class WordCheck:
    """Speaks the sentences, always with the same noise, and hears them."""

    clips: tuple[Clip, ...]
    collate: Collate
    device: torch.device
    rate_hz: int
    language: str
    recogniser: Recogniser

    def __call__(self, networks: Networks) -> float:
        """The words that are missing, added or others, by the words of the texts: 0 is best, 1 or more is none."""
        wrong = words = 0
        for clip in self.clips:
            batch = self.collate([(clip, torch.zeros(1))]).to(self.device)
            wave = spoken(networks, first_text(batch), batch.speaker, self.rate_hz).cpu().numpy()
            errors, count = word_errors(clip.text, self.recogniser.hear(wave, self.rate_hz).text, self.language)
            wrong, words = wrong + errors, words + count
        return wrong / max(1, words)


def heard_clips(validation: Sequence[Clip], training: Sequence[Clip], rate_hz: int) -> tuple[Clip, ...]:
    """The clips whose texts are heard: those that are not learned from, and others if these are few."""
    chosen: dict[str, Clip] = {}
    seconds = 0.0
    for clip in (*validation, *training):
        length = clip.samples / rate_hz
        if clip.id not in chosen and (not chosen or seconds + length <= _MOST_SECONDS):
            chosen[clip.id] = clip
            seconds += length
        if len(chosen) == _MOST:
            break
    return tuple(chosen.values())
