"""A long text, spoken into a file."""

import textwrap
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from voxmatrix.files import write_text
from voxmatrix.serve.jobs.job import Work
from voxmatrix.serve.jobs.kinds.kind import Id, Name, Sources, VoiceRequest, exactly_one, named_voice


class SpeechJobRequest(VoiceRequest):
    """A text, or an uploaded file with one."""

    kind: Literal["speech"]
    text: Annotated[str, Field(min_length=1)] | None = None
    file: Id | None = None
    dialogue_voice: Name | None = None  # of what is in quotation marks; None: the server's
    emphasis_voice: Name | None = None  # of what is in *asterisks*
    normalize: bool = True
    format: Literal["mp3", "wav", "flac", "ogg", "opus", "m4a"] = "mp3"

    def work(self, sources: Sources, folder: Path) -> Work:
        """The words of `voxmatrix speak --file`."""
        exactly_one(self, "text", "file")
        voice = [*self.voice_words(sources), *self._quotation_words(sources, folder)]
        voice += [] if self.normalize else ["--no-normalize"]
        if self.file is not None:
            text = sources.uploads.take(self.file, folder / "input")
            title = text.stem
        else:
            title = textwrap.shorten(self.text or "", 60, placeholder="…")
            text = folder / "input" / "text.txt"
            write_text(text, self.text or "")
        name = f"speech.{self.format}"
        return Work(
            title=title,
            words=("speak", f"--file={text}", f"--out={folder / name}", "--force", *voice, *self.lexicon_words(folder)),
            lane="speech",
            measure="speak",
            files=(name,),
            result=("sentences", "seconds", "rate_hz", "left_out"),
        )

    def _quotation_words(self, sources: Sources, folder: Path) -> list[str]:
        """Words for the voices of quotations, and a cast with them: their speakers may be named.

        Raises:
            ApiError: there is no such voice.
        """
        words, cast = [], ""
        for field in ("dialogue_voice", "emphasis_voice"):
            if name := getattr(self, field) or getattr(sources.settings, field):
                voice, speaker = named_voice(sources, name, field)
                words.append(f"--{field.replace('_', '-')}={field}")
                cast += f"{field}|{voice.path.absolute()}{'' if speaker is None else f'|{speaker}'}\n"
        if not cast:
            return []
        write_text(folder / "cast.txt", cast)
        return [f"--cast={folder / 'cast.txt'}", *words]
