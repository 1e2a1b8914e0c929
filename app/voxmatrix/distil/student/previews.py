"""What a student says while it learns: sentences that it does not learn from, beside those of its teacher."""

import io
from collections.abc import Sequence
from pathlib import Path

import torch

from voxmatrix.audio.waves import Samples
from voxmatrix.distil.student.compare import TeacherSentence
from voxmatrix.distil.student.corpus import RATE_HZ
from voxmatrix.distil.student.export import Voice
from voxmatrix.files import replacing

#: Sentences of each preview.
_SENTENCES = 3


class Previews:
    """Files in a folder that sort by sentence: 1-recorded.wav, 1-step-00500.wav, 1-step-01000.wav, 2-recorded.wav …"""

    def __init__(self, folder: Path, compared: Sequence[TeacherSentence], *, is_person: bool) -> None:
        self._folder, self._sentences = folder, compared[:_SENTENCES]
        self._original = "recorded" if is_person else "original"

    def write(self, voice: Voice, step: int) -> str:
        """Let the voice speak. Returns where it can be heard, for people."""
        self._folder.mkdir(exist_ok=True)
        name = f"step-{step:05}"
        for number, (sentence, speech, speaker) in enumerate(self._sentences, 1):
            original = self._folder / f"{number}-{self._original}.wav"
            if not original.exists():
                _write(original, speech.wave())
            ids, scales = torch.tensor([sentence.ids]), torch.tensor([0.0, 1.0, 0.0])
            sid = torch.tensor([speaker]) if len(voice.speakers) > 1 else None
            samples, _ = voice(ids, torch.tensor([ids.shape[1]]), scales, sid)
            _write(self._folder / f"{number}-{name}.wav", samples.flatten().numpy())
        beside = f"beside 1-{self._original}.wav …" if self._sentences else ""
        return f"{self._folder}: 1-{name}.wav to {len(self._sentences)}-{name}.wav, {beside}"


def _write(path: Path, samples: Samples) -> None:
    import soundfile

    data = io.BytesIO()
    soundfile.write(data, samples, RATE_HZ, format="WAV", subtype="PCM_16")
    with replacing(path) as file:
        file.write(data.getvalue())
