"""A long text, spoken into a file."""

import textwrap
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from voxmatrix.files import write_text
from voxmatrix.serve.jobs.job import Work
from voxmatrix.serve.jobs.kinds.kind import Id, Name, Sources, VoiceRequest, exactly_one
from voxmatrix.serve.speech.fields import Cast


class SpeechJobRequest(VoiceRequest):
    """A text, or an uploaded file with one."""

    kind: Literal["speech"]
    text: Annotated[str, Field(min_length=1)] | None = None
    file: Id | None = None
    dialogue_voice: Name | None = None  # of what is in quotation marks; None: the server's
    emphasis_voice: Name | None = None  # of what is in *asterisks*
    cast: Cast = Field(default={})  # names in the text, and their voices
    normalize: bool = True
    format: Literal["mp3", "wav", "flac", "ogg", "opus", "m4a"] = "mp3"

    def work(self, sources: Sources, folder: Path) -> Work:
        """The words of `voxmatrix speak --file`."""
        exactly_one(self, "text", "file")
        voice = [*self.voice_words(sources), *self.quotation_words(sources, folder, self.cast, server=True)]
        voice += [] if self.normalize else ["--no-normalize"]
        if self.file is not None:
            text = sources.uploads.take(self.file, folder / "input")
            title = text.stem
        else:
            title = textwrap.shorten(self.text or "", 60, placeholder="…")
            text = folder / "input" / "text.txt"
            write_text(text, self.text or "")
        name = f"speech.{self.format}"
        voice += self.lexicon_words(sources, folder)
        return Work(
            title=title,
            words=("speak", f"--file={text}", f"--out={folder / name}", "--force", *voice),
            lane="speech",
            measure="speak",
            files=(name,),
            result=("sentences", "seconds", "rate_hz", "left_out"),
        )
