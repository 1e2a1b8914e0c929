"""The voices in Wyoming's words."""

from collections.abc import Iterable, Mapping

from wyoming.info import Attribution, Info, TtsProgram, TtsVoice, TtsVoiceSpeaker
from wyoming.tts import SynthesizeVoice

import voxmatrix
from voxmatrix.models.card import VoiceCard
from voxmatrix.serve.catalogue import (
    SPEAKER_MARK,
    UnknownVoiceError,
    VoiceList,
    announced_languages,
    find_voice,
)
from voxmatrix.serve.errors import ApiError

_OURS = Attribution(name="voxmatrix", url="")
_COUNTRY_LETTERS = 2


def info(voices: Mapping[str, VoiceCard]) -> Info:
    """What `describe` is answered with."""
    program = TtsProgram(
        name="voxmatrix",
        attribution=_OURS,
        installed=True,
        description="The voices of a voxmatrix server",
        version=voxmatrix.__version__,
        voices=[_described(voice, announced_languages(voice, voices)) for voice in voices.values()],
        supports_synthesize_streaming=True,
    )
    return Info(tts=[program])


def _described(voice: VoiceCard, languages: Iterable[str]) -> TtsVoice:
    return TtsVoice(
        name=voice.id,
        attribution=Attribution(name=voice.family, url=voice.source) if voice.source else _OURS,
        installed=True,
        description=voice.title or voice.id,
        version=voice.version or None,
        languages=list(map(language_code, languages)),
        speakers=[TtsVoiceSpeaker(name=name) for name in voice.speaker_names] or None,
    )


def language_code(espeak_voice: str) -> str:
    """A language of espeak-ng as Home Assistant writes it: en_US for en-us, sv for sv."""
    language, _, rest = espeak_voice.partition("-")
    country = rest.partition("-")[0]
    return f"{language}_{country.upper()}" if len(country) == _COUNTRY_LETTERS else language


def chosen_voice(voices: VoiceList, wanted: SynthesizeVoice | None) -> tuple[VoiceCard, str | None]:
    """The voice requested by name, or else by language, and its speaker. Without a request, the default one.

    Raises:
        ApiError: there is no such voice or speaker.
    """
    default = next(iter(voices.values()))
    if wanted is None or (wanted.name is None and wanted.language is None):
        return default, None
    if wanted.name is not None:
        mark = SPEAKER_MARK if wanted.speaker else ""
        try:
            return find_voice(voices, f"{wanted.name}{mark}{wanted.speaker or ''}")
        except UnknownVoiceError as error:
            raise ApiError(400, error.problem, param="voice", code="invalid_value") from error
    for same in (_code, _language):
        for voice in voices.values():
            if same(wanted.language or "") in [same(language_code(language)) for language in voice.languages]:
                return voice, None
    raise ApiError(400, "there is no voice of this language", param="voice", code="invalid_value")


def _code(code: str) -> str:
    return code.replace("-", "_").lower()


def _language(code: str) -> str:
    return _code(code).partition("_")[0]
