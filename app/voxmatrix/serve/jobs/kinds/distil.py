"""Jobs that teach a small voice from recordings."""

from pathlib import Path
from typing import Literal

from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.jobs.job import Work
from voxmatrix.serve.jobs.kinds.kind import Sources, VoiceName, check_new, number, voice_files, voice_path
from voxmatrix.serve.jobs.kinds.recordings import RecordingsRequest


class DistilJobRequest(RecordingsRequest):
    """Recordings of one person, and the name of the voice. Without `minutes`, it learns until it is good."""

    kind: Literal["distil"]
    name: VoiceName
    minutes: number(0.1, 10_000.0) | None = None  # type: ignore[valid-type]

    def work(self, sources: Sources, folder: Path) -> Work:
        """The words of `voxmatrix distil`."""
        out = voice_path(self.name)
        learned = out.with_suffix(".distil")
        check_new(sources, self.name)
        if learned.exists():
            message = f"another job teaches {self.name}: resume or delete it, or choose another name"
            raise ApiError(409, message, param="name", code="voice_exists")
        data = self.data(sources, folder, "minutes")
        return Work(
            title=self.name,
            words=("distil", *data.words, f"--out={out}"),
            lane="device cpu",
            measure="learn",
            files=(*voice_files(self.name), str(learned / "previews" / "*.wav")),
            leftovers=(str(learned),),
            result=("steps", "gates"),
            unpack=data.unpack,
        )
