"""The family of remote voices: `remote:SERVER/VOICE`, in `voices/remote/SERVER/VOICE.toml`."""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote

from voxmatrix.errors import BadInputError
from voxmatrix.models.card import Capabilities, VoiceCard
from voxmatrix.models.device import GpuSupport, SpeakDevice, Warn
from voxmatrix.models.family import Family, OpenVoice
from voxmatrix.models.style import Runtime
from voxmatrix.remote.names import NAME, SUFFIX

_PREFIX = f"{NAME}:"


class RemoteFamily:
    """The voices of other servers."""

    name = NAME
    trainable = False
    language_names: Mapping[str, str] = {}
    library = None

    def find(self, folder: Path) -> Mapping[str, Path]:
        """Those that were listed when their server was added."""
        return {_id(path): path for path in sorted((folder / NAME).glob(f"*/*{SUFFIX}"))}

    def owns(self, path: Path) -> Path | None:
        """A file of a voice; the folder of a server stands for its first voice."""
        if path.is_dir():
            return min(path.glob(f"*{SUFFIX}"), default=None) if path.parent.name == NAME else None
        return path if path.suffix == SUFFIX and path.parent.parent.name == NAME else None

    def named(self, name: str) -> Path | None:
        """None: all have files. A name of this family says why it has none."""
        server, mark, voice = name.removeprefix(_PREFIX).partition("/")
        if not name.startswith(_PREFIX) or not mark:
            return None
        from voxmatrix.remote.servers import server_named

        known = server_named(server)
        raise BadInputError(
            f"the server {server} has no voice {voice!r}",
            f"choose a name of `voxmatrix voices list`, or list its voices again: voxmatrix voices remote add {server} "
            f"{known.url}",
        )

    def tidy(self) -> None:
        """Nothing: a voice is one file."""

    def uses_torch(self, path: Path) -> bool:
        """Never."""
        return False

    def card(self, path: Path) -> VoiceCard:
        """From the file of the voice. The server is not asked, and has to be known."""
        from voxmatrix.remote.servers import RemoteVoice, server_named

        voice = RemoteVoice.read(path)
        server_named(voice.server)
        return VoiceCard(
            id=_id(path),
            family=NAME,
            files=(path,),
            rate_hz=voice.rate_hz,
            languages=(voice.language,),
            title=f"{unquote(path.stem)} on {voice.server}",
            provenance={"server": voice.server, "model": voice.model},
            # Nobody here knows what speaks there. The key of the server stays on this computer.
            capabilities=Capabilities(speed=(0.25, 4.0), seed="none", portable=False, autoregressive=True),
        )

    def gpu_support(self) -> GpuSupport:
        """None: the server computes."""
        remedy = "leave out `device`: the server has its own"
        return GpuSupport(frozenset(), by="client of remote servers", remedy=remedy)

    def open(self, card: VoiceCard, device: SpeakDevice, runtime: Runtime, warn: Warn) -> OpenVoice:
        """Open a voice. The server is asked when it speaks."""
        from voxmatrix.remote.servers import RemoteVoice, server_named
        from voxmatrix.remote.voice import RemoteOpenVoice

        voice = RemoteVoice.read(card.path)
        return RemoteOpenVoice(card, voice, server_named(voice.server))


def _id(path: Path) -> str:
    return f"{_PREFIX}{path.parent.name}/{unquote(path.stem)}"


FAMILY: Family = RemoteFamily()
