"""The family of Kokoro's voices: `voices/kokoro` has the network and, in a folder `voices`, a file for each voice."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voxmatrix.config import home, voice_folders
from voxmatrix.errors import BadInputError
from voxmatrix.kokoro.names import GENDERS, LANGUAGES, NAME, WITHOUT_PHONEMES
from voxmatrix.kokoro.styles import SUFFIX, is_size, language_letter, mix, parts_of
from voxmatrix.models.card import LANGUAGE_MARK, Capabilities, VoiceCard
from voxmatrix.models.device import GpuSupport, SpeakDevice, Warn
from voxmatrix.models.family import Family, OpenVoice
from voxmatrix.models.style import Runtime
from voxmatrix.wording import choice

if TYPE_CHECKING:
    from voxmatrix.models.library import Library

RATE_HZ = 24_000
#: The best one by the grades of its authors, so it is the first (hexgrad/Kokoro-82M, VOICES.md).
_FIRST = "af_heart"
_MIB = 2**20
#: Memory of an open voice: the network, and what a long sentence takes (onnxruntime 1.31: 290 MiB for 88 MiB).
_MEMORY_PER_BYTE, _MEMORY_MIB = 2.0, 120.0


class KokoroFamily:
    """The voices of Kokoro."""

    name = NAME
    trainable = False
    language_names: Mapping[str, str] = {letter: language for letter, (language, _) in LANGUAGES.items()}

    @property
    def library(self) -> "Library[Any]":
        """The voices of the public release."""
        from voxmatrix.kokoro.install import LIBRARY

        return LIBRARY

    def find(self, folder: Path) -> Mapping[str, Path]:
        """Those in `kokoro/voices`, if their network is in `kokoro`."""
        if _network_in(folder / NAME) is None:
            return {}
        files = (folder / NAME / "voices").glob(f"*{SUFFIX}")
        spoken = [path for path in files if path.stem[:1] in LANGUAGES]
        return {f"{NAME}/{path.stem}": path for path in sorted(spoken, key=_order)}

    def owns(self, path: Path) -> Path | None:
        """A file of styles; or the folder of the network, which stands for the first voice."""
        if path.is_dir():
            found = list(self.find(path.parent).values()) if path.name == NAME else []
            return found[0] if found else None
        return path if path.suffix == SUFFIX and is_size(path.stat().st_size) else None

    def named(self, name: str) -> Path | None:
        """A mixture: kokoro/af_heart+af_bella, kokoro/af_heart(2)+af_bella(1); or in Spanish: kokoro/af_heart@e."""
        prefix, _, rest = name.partition("/")
        if prefix != NAME:
            return None
        voices, _, tag = rest.partition(LANGUAGE_MARK)
        shares = parts_of(voices) or ({voices: 1.0} if tag else {})
        if not shares:
            return None
        known = {path.stem: path for folder in reversed(voice_folders()) for path in self.find(folder).values()}
        if missing := [part for part in shares if part not in known]:
            raise BadInputError(
                f"there is no voice {NAME}/{missing[0]} for {name}", f"choose among: {choice(missing[0], known)}"
            )
        letter = _letter(tag) if tag else voices[0]
        if voices in known and letter == voices[0]:
            return known[voices]
        stem, other = (voices, "") if letter == voices[0] else (f"{voices}{LANGUAGE_MARK}{letter}", letter)
        return mix(stem, {known[part]: share for part, share in shares.items()}, home() / "cache" / NAME, other)

    def tidy(self) -> None:
        """Nothing: the network stays for voices that are installed again."""

    def uses_torch(self, path: Path) -> bool:
        """Never."""
        return False

    def card(self, path: Path) -> VoiceCard:
        """By the name of the file: af_heart is an American voice, and female."""
        language, words = _language(path)
        network = _network_of(path)
        gender = GENDERS.get(path.stem[1:2], "")
        return VoiceCard(
            id=f"{NAME}/{path.stem}",
            family=NAME,
            files=(path, network),
            rate_hz=RATE_HZ,
            languages=(language,),
            capabilities=Capabilities(speed=(0.25, 4.0), phonemes=True, may_teach=True),
            title=f"{_title(path.stem)}: {words}{gender and ', '}{gender}",
            gender=gender,
            license="Apache-2.0",
            source="https://github.com/hexgrad/kokoro",
            version="1.0",
            memory_mib=network.stat().st_size * _MEMORY_PER_BYTE / _MIB + _MEMORY_MIB,
        )

    def gpu_support(self) -> GpuSupport:
        """What the installed onnxruntime has a provider for."""
        from voxmatrix.inference.provider import INSTALL, served_kinds

        return GpuSupport(kinds=served_kinds(), by="onnxruntime", remedy=INSTALL)

    def open(self, card: VoiceCard, device: SpeakDevice, runtime: Runtime, warn: Warn) -> OpenVoice:
        """Open a voice; its network loads in the background."""
        from voxmatrix.kokoro.voice import KokoroVoice

        return KokoroVoice(card, device, runtime, warn)


def _order(path: Path) -> tuple[bool, str]:
    return path.stem != _FIRST, path.stem


def _title(stem: str) -> str:
    """Heart for af_heart; Heart + Bella for a mixture."""
    parts = stem.partition(LANGUAGE_MARK)[0].split("+")
    return " + ".join(part.partition("_")[2].partition("(")[0].title() or part for part in parts)


def _letter(tag: str) -> str:
    """The letter of a language that is given as that, or as espeak-ng names it.

    Raises:
        BadInputError: Kokoro does not speak it, or not here.
    """
    tags = {language: letter for letter, (language, _) in LANGUAGES.items()} | {"ja": "j", "zh": "z"}
    letter = tags.get(tag.casefold().replace("_", "-"), tag.casefold())
    if letter not in LANGUAGES:
        known = ", ".join(f"{key} ({language})" for key, (language, _) in LANGUAGES.items())
        wanted = WITHOUT_PHONEMES.get(letter, repr(tag))
        raise BadInputError(f"Kokoro's voices do not speak {wanted} here, only {known}", "choose one of these")
    return letter


def _language(path: Path) -> tuple[str, str]:
    letter = language_letter(path)
    if letter in WITHOUT_PHONEMES:
        raise BadInputError(
            f"the voice {path.stem} speaks {WITHOUT_PHONEMES[letter]}, whose pronunciation needs a program of its own",
            f"choose a voice of another language: {', '.join(words for _, words in LANGUAGES.values())}",
        )
    if letter not in LANGUAGES:
        raise BadInputError(
            f"{path} does not say its language: the names of Kokoro's voices begin with one of {', '.join(LANGUAGES)}",
            "rename it, e.g. to af_mine.bin for an American voice",
        )
    return LANGUAGES[letter]


def _network_of(path: Path) -> Path:
    """The network of a voice: beside it or one folder up, or that of the installed voices."""
    folders = [path.parent, path.parent.parent, *(folder / NAME for folder in voice_folders())]
    for folder in folders:
        if found := _network_in(folder):
            return found
    raise BadInputError(
        f"the network of the voice {path} is missing", f"put kokoro-v1.0.int8.onnx into {voice_folders()[0] / NAME}"
    )


def _network_in(folder: Path) -> Path | None:
    """The largest, which is the most exact one."""
    return max(folder.glob("*.onnx"), key=lambda path: path.stat().st_size, default=None)


FAMILY: Family = KokoroFamily()
