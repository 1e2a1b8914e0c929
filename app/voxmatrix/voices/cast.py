"""Several voices in one text: a table of names, and an open voice that speaks with all of them."""

import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from voxmatrix.audio.waves import Samples
from voxmatrix.closing import Closeable
from voxmatrix.errors import BadInputError, Finding
from voxmatrix.files import entries
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.family import OpenVoice, PendingSamples, TimedWord, Utterance
from voxmatrix.models.style import Role, Style
from voxmatrix.text.markup import tagged
from voxmatrix.text.passages import voice_names, with_script_tags, with_tags
from voxmatrix.text.spoken import SpokenText
from voxmatrix.voices.resolve import resolve

_FORMAT = "write NAME|voice or NAME|voice|speaker on every line; # begins a comment"


def read_cast(path: Path) -> dict[str, Role]:
    """Read a UTF-8 file with a line `NAME|voice` or `NAME|voice|speaker` for each name in `[voice:NAME]`.

    Of a table of who speaks in a book (`cast_table`), those with a voice, by all their names.

    Raises:
        BadInputError: it cannot be read, a line has another form, a name is listed twice, or there is no such voice.
    """
    from voxmatrix.voices.cast_table import SUFFIX, read_table

    if path.suffix == SUFFIX:
        people = read_table(path).by_name
        return {name: role_from(person.voice) for name, person in people.items() if person.voice}
    roles: dict[str, Role] = {}
    for place, line in entries(path):
        name, voice, speaker = ([part.strip() for part in line.split("|")] + ["", ""])[:3]
        if not name or not voice or line.count("|") > 2:
            raise BadInputError(f"{place}: {line!r} is not a name and a voice", _FORMAT)
        if name.casefold() in roles:
            raise BadInputError(f"{place}: {name!r} is listed twice", "remove one of the lines")
        roles[name.casefold()] = role_of(resolve(voice), speaker or None)
    return roles


def role_from(text: str) -> Role:
    """The role of `voice` or `voice|speaker`.

    Raises:
        BadInputError: there is no such voice, or it has no such speaker.
    """
    voice, _, speaker = text.partition("|")
    return role_of(resolve(voice.strip()), speaker.strip() or None)


def role_of(voice: VoiceCard, speaker: str | None = None) -> Role:
    """A voice, or a speaker of it, for a name in a text.

    Raises:
        BadInputError: the voice has no such speaker.
    """
    voice.speaker(speaker)
    return Role(str(voice.path), speaker, voice.digest)


def with_voices_of(style: Style, text: str, voice: VoiceCard | None = None, *, speakers: Collection[str] = ()) -> Style:
    """The style with the voices that a text names, and no others: those of the cast, else voices by their own names.

    Speakers of a script who are not in the cast have the `voice` of the text. Those of quotations stay. Of `speakers`,
    whom the text has beside its words, those in the cast stay, and the others have none.

    Raises:
        BadInputError: there is no such voice.
    """
    text = with_tags(tagged(text), _of_lines(style))
    named = voice_names(text) | ({style.dialogue_voice, style.emphasis_voice} - {""})
    roles = {name: style.cast[name] for name in map(str.casefold, speakers) if name in style.cast}
    for name in named | (voice_names(script_tags(text, voice)) if voice else set()):
        of_script = role_of(voice) if voice and name not in named else None
        roles[name.casefold()] = style.cast.get(name.casefold()) or of_script or _voice_called(name)
    return replace(style, cast=roles)


def with_quotation_voices(style: Style, dialogue: str, emphasis: str = "") -> Style:
    """The style with a voice for what is in quotation marks, and one for what is in *asterisks*; "": none.

    Each is a name of the cast, or that of a voice.

    Raises:
        BadInputError: there is no such voice.
    """
    roles = {
        name.casefold(): style.cast.get(name.casefold()) or role_of(resolve(name))
        for name in (dialogue, emphasis)
        if name
    }
    return replace(style, dialogue_voice=dialogue, emphasis_voice=emphasis, cast={**style.cast, **roles})


def unused_names(style: Style, text: str, speakers: Collection[str] = ()) -> tuple[Finding, ...]:
    """A warning of the names in a cast that neither the text uses nor any of its `speakers` has."""
    names = {*voice_names(with_tags(text, _of_lines(style))), *speakers, style.dialogue_voice, style.emphasis_voice}
    unused = style.cast.keys() - set(map(str.casefold, names))
    if not unused:
        return ()
    problem = f"the text does not use {', '.join(sorted(unused))} of the cast"
    remedy = "write [voice:NAME], or NAME: at the beginning of a line; a book must spell the names as the cast does"
    return (Finding(problem=problem, remedy=remedy, severity="warning"),)


def script_tags(text: str, voice: VoiceCard, style: Style | None = None) -> str:
    """A text whose lines that begin with a name and a colon begin with a tag instead: names of the style's cast.

    A voice whose model speaks scripts has those of `Speaker 1:`, too.
    """
    text = with_tags(text, _of_lines(style)) if style else text
    return with_script_tags(text) if voice.capabilities.speakers_in_one_text > 1 else text


def _of_lines(style: Style) -> set[str]:
    """The names that may stand before lines."""
    return set(style.cast) - {"", style.dialogue_voice.casefold(), style.emphasis_voice.casefold()}


def _voice_called(name: str) -> Role:
    try:
        return role_of(resolve(name))
    except BadInputError as error:
        raise BadInputError(
            f"the text has [voice:{name}], and {error.problem}",
            f"write a line {name}|VOICE into the file of `cast`, or remove the tag",
        ) from error


class CastVoice(Closeable):
    """A voice that speaks what has no name, and opens those of a style's cast when they are first heard.

    Its sample rate is that of the first voice; what others say is resampled.
    """

    def __init__(self, voice: OpenVoice, open_role: Callable[[VoiceCard], OpenVoice]) -> None:
        """`voice` is closed with this one; those that `open_role` opens as well."""
        self._voice = voice
        self._open_role = open_role
        self._others: dict[str, OpenVoice] = {}
        self._lock = threading.Lock()
        self.card = voice.card

    @property
    def parallel(self) -> int:
        """Those of the first voice."""
        return self._voice.parallel

    @property
    def is_loaded(self) -> bool:
        """Whether the first voice is."""
        return self._voice.is_loaded

    @property
    def processes(self) -> Collection[int]:
        """Those of all voices that have spoken."""
        with self._lock:
            return [one for voice in (self._voice, *self._others.values()) for one in voice.processes]

    def load(self) -> None:
        """Load the first voice."""
        self._voice.load()

    def say(self, text: SpokenText, style: Style, seed: int | None) -> Utterance:
        """Begin to speak a sentence in its voice.

        Raises:
            BadInputError: the cast lacks it, or it cannot be used.
            And what the voice raises.
        """
        role = style.cast.get(text.voice.casefold())
        if role is None and not text.voice:
            return self._voice.say(text, style, seed)
        if role is None:
            raise BadInputError(f"there is no voice {text.voice!r}", "name one in the cast, or remove the tag")
        voice = self._opened(role)
        knobs = {name: value for name, value in style.knobs.items() if name in voice.card.capabilities.knobs}
        own = replace(style, speaker=role.speaker, knobs=knobs, reference=None)
        voice.card.check(own)
        return _resampled(voice.say(text, own, seed), voice.card.rate_hz, self.card.rate_hz)

    def warnings(self) -> tuple[Finding, ...]:
        """Of all voices that have spoken."""
        with self._lock:
            voices = [self._voice, *self._others.values()]
        return tuple(dict.fromkeys(finding for voice in voices for finding in voice.warnings()))

    def close(self) -> None:
        """Close all of them."""
        with self._lock:
            for voice in (self._voice, *self._others.values()):
                voice.close()

    def _opened(self, role: Role) -> OpenVoice:
        with self._lock:
            if role.voice not in self._others:
                self._others[role.voice] = self._open_role(resolve(role.voice))
            return self._others[role.voice]


def _resampled(utterance: Utterance, rate_hz: int, wanted_hz: int) -> Utterance:
    if rate_hz == wanted_hz or not utterance.segments:
        return utterance

    def segment() -> Samples:
        import soxr

        whole = np.concatenate([segment() for segment in utterance.segments])
        samples: Samples = soxr.resample(whole, rate_hz, wanted_hz).astype(np.float32)
        return samples

    def words() -> Sequence[TimedWord]:
        def place(samples: int) -> int:
            return samples * wanted_hz // rate_hz

        return [TimedWord(word.text, place(word.start), place(word.end)) for word in utterance.words()]

    segments: list[PendingSamples] = [segment]
    return replace(utterance, segments=segments, words=words)
