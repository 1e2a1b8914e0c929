"""The voices that requests can name. A name is looked up in a listing and never becomes part of a path."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from voxmatrix.errors import VoxmatrixError
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.piper.files import checkpoint_config, config_path, find_voice, installed_voices

#: OpenAI's voices, and its models: clients that know only these get the default voice.
BUILT_IN = frozenset(
    ("alloy", "ash", "ballad", "coral", "echo", "fable", "onyx", "nova", "sage", "shimmer", "verse", "marin", "cedar")
)
MODELS = ("tts-1", "tts-1-hd", "gpt-4o-mini-tts")
#: Separates the name of a voice from that of one of its speakers.
SPEAKER_MARK = ":"


@dataclass(frozen=True, kw_only=True)
class ListedVoice:
    """A voice that can be named."""

    id: str
    path: Path
    config: VoiceConfig

    @property
    def speakers(self) -> list[str]:
        """The names of its speakers, or their numbers; empty if it has one."""
        if self.config.num_speakers == 1:
            return []
        return list(self.config.speaker_id_map) or [str(number) for number in range(self.config.num_speakers)]


class UnknownVoiceError(VoxmatrixError):
    """There is no voice, or no speaker, of this name."""


class Catalogue:
    """The default voice, and the voices in the voice folders."""

    def __init__(self, default: Path) -> None:
        """List `default` first.

        Raises:
            BadInputError: there is no such voice, or its config is missing or invalid.
            DamagedFileError: a file of it is corrupt.
        """
        self._known: dict[tuple[Path, int], VoiceConfig] = {}
        path = find_voice(default)
        name = path.stem if path.suffix == ".onnx" else path.absolute().parent.name
        config = self._config(path) if path.suffix == ".onnx" else _checkpoint_config(path)
        self.default = ListedVoice(id=name, path=path, config=config)

    def voices(self) -> dict[str, ListedVoice]:
        """All voices by name, the default one first. Those that are incomplete or corrupt are left out."""
        found = {self.default.id: self.default}
        for path in installed_voices():
            if path.stem in found or not _is_in_its_folder(path):
                continue
            try:
                found[path.stem] = ListedVoice(id=path.stem, path=path, config=self._config(path))
            except VoxmatrixError:
                continue  # `voxmatrix voices list` says what is wrong with it
        return found

    def _config(self, path: Path) -> VoiceConfig:
        """The config of an exported voice, read again only when the file has changed."""
        file = config_path(path)
        key = file, file.stat().st_mtime_ns if file.exists() else 0
        if key not in self._known:
            self._known[key] = VoiceConfig.read(file)
        return self._known[key]


def find(voices: Mapping[str, ListedVoice], name: str) -> tuple[ListedVoice, str | None]:
    """The voice of this name, or NAME:SPEAKER, and the speaker. OpenAI's names stand for the first voice.

    Raises:
        UnknownVoiceError: there is no such voice or speaker; the message lists what exists.
    """
    if name in voices:
        return voices[name], None
    if name in BUILT_IN:
        return next(iter(voices.values())), None
    base, mark, speaker = name.rpartition(SPEAKER_MARK)
    if not mark or base not in voices:
        raise UnknownVoiceError(f"there is no such voice; choose one of: {', '.join(voices)}")
    if speaker not in voices[base].speakers:
        known = ", ".join(voices[base].speakers[:50]) or "none: it has one speaker"
        raise UnknownVoiceError(f"the voice {base} has no such speaker; its speakers are {known}")
    return voices[base], speaker


def _checkpoint_config(path: Path) -> VoiceConfig:
    from voxmatrix.vits.checkpoint.checkpoint import read_checkpoint

    return checkpoint_config(path, read_checkpoint(path))


def _is_in_its_folder(path: Path) -> bool:
    """Whether neither file of the voice is a link that leads out of the folder of voices."""
    links = [file for file in (path, config_path(path)) if file.is_symlink()]
    return all(link.resolve().parent == path.parent.resolve() for link in links)
