"""The voices that requests can name. A name is looked up in a listing and never becomes part of a path."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from voxmatrix.errors import BadInputError, Finding, VoxmatrixError
from voxmatrix.models.card import LANGUAGE_MARK, VoiceCard
from voxmatrix.models.device import Warn
from voxmatrix.models.family import Family
from voxmatrix.voices.families import families, family_named
from voxmatrix.voices.in_memory import FileVersion, file_version
from voxmatrix.voices.resolve import check_files, default_finding, installed, is_own, locate
from voxmatrix.voices.titles import titles
from voxmatrix.wording import did_you_mean

#: OpenAI's voices, and its models: clients that know only these get the default voice.
BUILT_IN = frozenset(
    ("alloy", "ash", "ballad", "coral", "echo", "fable", "onyx", "nova", "sage", "shimmer", "verse", "marin", "cedar")
)
MODELS = ("tts-1", "tts-1-hd", "gpt-4o-mini-tts")
#: Separates the name of a voice from that of one of its speakers.
SPEAKER_MARK = ":"
#: The number of a speaker has fewer.
_DIGITS = 10
#: Of a server none of whose voices says what it speaks.
_LANGUAGE = "en"
#: What may be the name of a mixture; nothing that leads out of a folder.
_MIXTURE = re.compile(r"(?=.*[+(])(?:\w+/)?[\w+(). -]{1,200}", re.ASCII)


class UnknownVoiceError(VoxmatrixError):
    """There is no voice, or no speaker, of this name."""


class VoiceList(dict[str, VoiceCard]):
    """Voices by name, the default one first, and other names for them, in small letters."""

    def __init__(self, voices: Mapping[str, VoiceCard], aliases: Mapping[str, str]) -> None:
        super().__init__(voices)
        self.aliases = aliases


class Catalogue:
    """The default voice, and the voices in the voice folders. Thread-safe."""

    def __init__(
        self,
        named: Path | None,
        has_failed: Callable[[VoiceCard], bool],
        warn: Warn,
        aliases: Mapping[str, str] | None = None,
    ) -> None:
        """`named` is the default voice; without it, that is the first one that has not failed to load. `aliases` are
        other names of voices.

        Raises:
            BadInputError: there is no voice, that of an alias is missing, or the config of `named` is missing or wrong.
            DamagedFileError: a file of `named` is corrupt.
        """
        self._aliases = {alias.casefold(): name for alias, name in (aliases or {}).items()}
        found = locate(named or "")
        self._named = None if named is None else found
        self._has_failed = has_failed
        self._warn = warn
        self._known: dict[Path, tuple[FileVersion, VoiceCard, str]] = {}
        self._warned: set[str] = set()
        if named is not None:
            self._card(*found)
        elif finding := default_finding():
            warn(finding)
        voices = self.voices()
        for alias, name in self._aliases.items():
            try:
                find_voice(VoiceList(voices, {}), name)
            except UnknownVoiceError as error:
                raise BadInputError(f"`alias` is {alias}={name}: {error.problem}", error.remedy) from error

    def check_names(self, settings: Mapping[str, str]) -> None:
        """Check the voices that settings name, by the names of the settings.

        Raises:
            BadInputError: there is no such voice.
        """
        for setting, name in settings.items():
            try:
                if name:
                    find_voice(self.voices(), name)
            except UnknownVoiceError as error:
                raise BadInputError(f"`{setting}` is {name!r}: {error.problem}", error.remedy) from error

    @property
    def default(self) -> VoiceCard:
        """The voice of requests that name none."""
        return self._named_card() or next(iter(self.voices().values()))

    def voices(self) -> VoiceList:
        """All voices by name, the default one first. Those that are incomplete are left out, with a warning.

        Raises:
            BadInputError: there is none.
        """
        found = self._listed()
        if self.is_fixed:  # else the included voice that would be the default stands before the user's own
            found = dict(sorted(found.items(), key=lambda item: not is_own(item[1].path)))
        default = self._named_card() or min(found.values(), key=lambda card: bool(self.problem(card)), default=None)
        if default is None:
            raise BadInputError("no voice can be used", "add one to the folder of voices, or set `voice`")
        return VoiceList({default.id: default} | found | {default.id: default}, self._aliases)

    @property
    def is_fixed(self) -> bool:
        """Whether the settings name the default voice."""
        return self._named is not None

    def problem(self, card: VoiceCard) -> str:
        """Why a voice cannot be loaded, as far as is known; "" if nothing is."""
        known = self._known.get(card.path)
        return "it cannot be loaded" if self._has_failed(card) else known[2] if known else ""

    def _named_card(self) -> VoiceCard | None:
        """The card of the named voice; the last one while its files are being replaced."""
        if self._named is None:
            return None
        known = self._known[self._named[1]]
        try:
            return self._card(*self._named)
        except (VoxmatrixError, OSError):
            self._known[self._named[1]] = known
            return known[1]

    def _listed(self) -> dict[str, VoiceCard]:
        found = {}
        for name, (family, path) in installed().items():
            try:
                card = self._card(family, path)
            except (VoxmatrixError, OSError) as error:
                self._warn_once(name, error)
                continue
            if _is_in_its_folder(card):
                found[name] = card
        return found

    def _warn_once(self, name: str, error: VoxmatrixError | OSError) -> None:
        problem = f"the voice {name} is left out: {error.problem if isinstance(error, VoxmatrixError) else error}"
        if problem not in self._warned:
            self._warned.add(problem)
            remedy = error.remedy if isinstance(error, VoxmatrixError) else ""
            self._warn(Finding(problem=problem, remedy=remedy, severity="warning"))

    def _card(self, family: Family, path: Path) -> VoiceCard:
        """The card of a voice, made again only when a file of it has changed."""
        known = self._known.get(path)
        if known is None or known[0] != file_version(known[1]):
            card = family.card(path)
            try:
                check_files(card)
                problem = ""
            except VoxmatrixError as error:
                problem = "it is damaged"
                said = f"the voice {card.id} cannot be used: {error.problem}"
                self._warn(Finding(problem=said, remedy=error.remedy, severity="warning"))
            known = file_version(card), card, problem
        self._known[path] = known
        return known[1]


def announced_languages(card: VoiceCard, voices: Mapping[str, VoiceCard]) -> list[str]:
    """The languages that a voice is announced with, the main one first, as espeak-ng names them.

    One that does not say what it speaks is announced with that of the first of the server's voices that does.
    """
    own = [language for language in card.languages if language]
    return own or [next((voice.language for voice in voices.values() if voice.language), _LANGUAGE)]


def find_voice(voices: VoiceList, name: str) -> tuple[VoiceCard, str | None]:
    """The voice of this name, or NAME:SPEAKER, and the speaker.

    OpenAI's names stand for the first voice. A name can be that of a mixture, which a family makes, and end with a
    language: af_heart@e.

    Raises:
        UnknownVoiceError: there is no such voice or speaker; the message lists what exists.
    """
    name = voices.aliases.get(name.casefold(), name)
    whole = _listed_name(name, voices)
    if whole is not None:
        return voices[whole], None
    given, mark, language = name.partition(LANGUAGE_MARK)
    if mark:
        voice, speaker = find_voice(voices, given)
        return in_language(voice, language), speaker
    if made := mixture(name):
        return made, None
    if name.lower() in BUILT_IN:
        first = next(iter(voices.values()))
        return next(_namesakes(voices, first, name.lower()), first), None
    given, _, speaker = name.rpartition(SPEAKER_MARK)
    base = _listed_name(given, voices)
    if base is None:
        meant = did_you_mean(name, voices, titles())
        raise UnknownVoiceError(f"there is no such voice; {meant and f'{meant} Or '}choose one of: {', '.join(voices)}")
    # Clients keep the number 0 of a voice that has one speaker.
    is_number = speaker.isdecimal() and len(speaker) < _DIGITS and int(speaker) < voices[base].num_speakers
    found = _listed_name(speaker, voices[base].speaker_names) or (speaker if is_number else None)
    if found is None:
        known = ", ".join(voices[base].speaker_names[:50]) or "none: it has one speaker"
        raise UnknownVoiceError(f"the voice {base} has no such speaker; its speakers are {known}")
    return voices[base], found


def in_language(voice: VoiceCard, language: str) -> VoiceCard:
    """The voice as it speaks a language: a tag such as en, en-GB, or a family's name. Its own changes nothing.

    Raises:
        UnknownVoiceError: it does not speak this language.
    """
    tag = language_tag(language).replace("_", "-").lower()
    if tag and f"{voice.language}-".startswith(f"{tag}-"):
        return voice
    family = family_named(voice.family)
    try:
        path = family.named(f"{voice.id}{LANGUAGE_MARK}{tag}")
    except BadInputError as error:
        raise UnknownVoiceError(error.problem, error.remedy) from error
    if path is None:
        raise UnknownVoiceError(f"the voice {voice.id} speaks {voice.language} only")
    return family.card(path)


def language_tag(name: str) -> str:
    """The language that a family has this name for, as espeak-ng names it; other names stay as they are."""
    names = (family.language_names for family in families())
    return next((known[name.lower()] for known in names if name.lower() in known), name)


def _namesakes(voices: VoiceList, first: VoiceCard, name: str) -> Iterator[VoiceCard]:
    """Voices of the first one's kind that have one of OpenAI's names: kokoro/am_echo. `alloy` is the first itself."""
    kind, mark, _ = first.id.partition("/")
    if mark and name != "alloy":
        yield from (card for known, card in voices.items() if known.startswith(kind) and known.endswith(f"_{name}"))


def mixture(name: str) -> VoiceCard | None:
    """A voice that is made of others, such as af_heart+af_bella; None for a name that means none.

    Raises:
        UnknownVoiceError: a part of it is missing, or cannot be used.
    """
    if not _MIXTURE.fullmatch(name):
        return None
    for family in families():
        for full in (name, f"{family.name}/{name}"):
            try:
                if path := family.named(full):
                    return family.card(path)
            except BadInputError as error:
                raise UnknownVoiceError(error.problem, error.remedy) from error
    return None


def _listed_name(name: str, names: Iterable[str]) -> str | None:
    """The name as it is listed. One that differs only in capitals, or lacks its family, is meant if no other does.

    OpenAI's names are sent by every client: they mean no voice that another server calls so.
    """
    wanted, names = name.casefold(), list(names)
    alike = [listed for listed in names if listed.casefold() == wanted]
    if wanted not in BUILT_IN:
        alike = alike or [listed for listed in names if listed.casefold().endswith(f"/{wanted}")]
    return name if name in alike else alike[0] if len(alike) == 1 else None


def _is_in_its_folder(card: VoiceCard) -> bool:
    """Whether no file of the voice is a link that leads out of the folder of voices."""
    links = [file for file in card.files if file.is_symlink()]
    return all(link.resolve().parent == card.path.parent.resolve() for link in links)
