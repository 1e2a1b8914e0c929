"""A long text, spoken into a file."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from voxmatrix.files import write_text
from voxmatrix.serve.jobs.job import Work
from voxmatrix.serve.jobs.kinds.kind import Id, Sources, VoiceRequest, exactly_one
from voxmatrix.wording import quoted


class SpeechJobRequest(VoiceRequest):
    """A text, or an uploaded file with one."""

    kind: Literal["speech"]
    text: Annotated[str, Field(min_length=1)] | None = None
    file: Id | None = None
    format: Literal["mp3", "wav", "flac", "ogg", "opus", "m4a"] = "mp3"

    def default_title(self) -> str:
        """The beginning of the text."""
        return "Speech" if self.text is None else quoted(" ".join(self.text.split()))[1:-1]

    def work(self, sources: Sources, folder: Path) -> Work:
        """`speak --file`."""
        exactly_one(self, "text", "file")
        voice = self.voice_words(sources)
        if self.file is not None:
            text = sources.uploads.take(self.file, folder / "input")
        else:
            text = folder / "input" / "text.txt"
            write_text(text, self.text or "")
        name = f"speech.{self.format}"
        return Work(
            words=("speak", f"--file={text}", f"--out={folder / name}", "--force", *voice),
            lane="speech",
            measure="characters spoken",
            files=(name,),
            result=("sentences", "seconds", "rate_hz", "left_out"),
        )
