"""The recording in a request for speech that a voice is to imitate, by the names that other servers have for it."""

import base64
import binascii
import re
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field

from voxmatrix.errors import BadInputError, UsageError
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.reference import Reference
from voxmatrix.serve.errors import ApiError
from voxmatrix.voices.clone import once

#: Of vLLM-Omni.
RECORDING, WORDS = "ref_audio", "ref_text"
#: What else such fields are called in servers of Chatterbox, XTTS, F5-TTS, CosyVoice, GPT-SoVITS, IndexTTS and others:
#: speaker_wav, audio_prompt_path, referenceAudio … Some of them name files of those servers.
_WORD = "audio|clip|clone|file|filename|path|prompt|recording|ref[a-z]*|sample|speaker|speech|spk|url|voice|wav"
_RECORDINGS = re.compile(
    r"references|(?=.*(?:clone|prompt|ref|sample|speaker|spk|voice))"
    r"(?=.*(?:audio|clip|file|path|prompt|recording|reference|sample|speech|url|wav))"
    rf"(?:{_WORD})(?:_(?:{_WORD}))+"
)
_WORDS = re.compile("(?:prompt|refer|ref|reference)_(?:text|transcript|transcription)")
#: Fields that name who speaks, which is said in `voice` here, or give numbers that stand for a voice.
_SPEAKERS = re.compile(r"(?:character|speaker|spk|voice)s?(?:_id|_name|_embedding)?|reference_id|ref_audio_\d")
MAX_BYTES = 4 * 2**20
#: As base 64 in a `data:` URL.
MAX_CHARACTERS = MAX_BYTES * 4 // 3 + 256
#: A recording takes memory while it is checked.
_one_at_a_time = threading.Lock()


def with_usual_names(body: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a request, those for a recording and its words with the names that this server has for them."""
    given: dict[str, Any] = {}
    for name, value in body.items():
        if _RECORDINGS.fullmatch(_snake(name)):
            given.setdefault(RECORDING, value[0] if isinstance(value, list) and len(value) == 1 else value)
        else:
            given[WORDS if _WORDS.fullmatch(_snake(name)) else name] = value
    return given


def _snake(name: str) -> str:
    """The name of a field in the usual spelling: ref_audio for refAudio and ref-audio."""
    return re.sub("(?<=[a-z])(?=[A-Z])", "_", name).replace("-", "_").lower()


class ReferenceFields(BaseModel):
    """The fields of a request that say what a voice imitates."""

    ref_audio: str = ""  # a recording, in base 64, alone or in a `data:` URL
    ref_text: Annotated[str, Field(max_length=5000)] = ""  # what is said in it
    consent: Annotated[str, Field(max_length=256)] = ""  # the name of its speaker, who agrees to be imitated

    def reference(self, voice: VoiceCard, voices: Mapping[str, VoiceCard]) -> Reference | None:
        """The recording that the voice is to imitate; None if there is none. No file or address is opened.

        Raises:
            ApiError: another field says who speaks, the voice imitates nothing, nobody consents, or the recording is
                not good enough.
        """
        check_others(self.model_extra or {})
        if not self.ref_audio:
            return None
        wanted = voice.capabilities.clones
        if wanted is None:
            raise _not_cloning(voice, voices)
        content = _decoded(self.ref_audio)
        with tempfile.TemporaryDirectory(prefix="voxmatrix-", ignore_cleanup_errors=True) as folder, _one_at_a_time:
            path = Path(folder) / RECORDING
            path.write_bytes(content)
            try:
                return once(path, wanted, self.consent, self.ref_text)
            except (BadInputError, UsageError) as error:
                message = f"{error.problem}; {error.remedy}".replace(f"{folder}/", "")
                param = RECORDING if self.consent.strip() else "consent"
                message = message.replace("`transcript=", f"`{WORDS}=")
                raise ApiError(400, message, param=param, code="invalid_value") from error


def check_others(others: Mapping[str, Any]) -> None:
    """Check that none of the fields without an effect says who speaks.

    Raises:
        ApiError: one does.
    """
    for name, value in others.items():
        if _SPEAKERS.fullmatch(_snake(name)):
            message = f"{name} has no effect here: leave it out, and name who speaks in voice, as NAME or NAME:SPEAKER"
            raise ApiError(400, message, param=name, code="invalid_value")
        if _RECORDINGS.fullmatch(_snake(name)) or (isinstance(value, str) and value[:11].lower() == "data:audio/"):
            message = f"{name} has no effect here: send a recording that is to be imitated as {RECORDING} of a request"
            raise ApiError(400, message, param=name, code="invalid_value")


def _not_cloning(voice: VoiceCard, voices: Mapping[str, VoiceCard]) -> ApiError:
    able = [one.id for one in voices.values() if one.capabilities.clones is not None]
    choice = (
        f"choose one that does: {', '.join(able)}" if able else "install an engine that does, and make a voice of it"
    )
    message = f"the voice {voice.id} imitates no recording; leave out {RECORDING}, or {choice}"
    return ApiError(400, message, param=RECORDING, code="invalid_value")


def _decoded(recording: str) -> bytes:
    if len(recording) > MAX_CHARACTERS:
        message = f"{RECORDING} has more than {MAX_BYTES:,} bytes; send some seconds of it, or as FLAC or mp3"
        raise ApiError(400, message, param=RECORDING, code="string_above_max_length")
    head, comma, encoded = recording.partition(",")
    is_url = bool(comma) and head[:5].lower() == "data:" and head[-7:].lower() == ";base64"
    try:
        return base64.b64decode(encoded if is_url else recording, validate=True)
    except (binascii.Error, ValueError) as error:
        message = (
            f"{RECORDING} is no recording in base 64, alone or as data:audio/wav;base64,…; files and addresses are not"
            " opened"
        )
        raise ApiError(400, message, param=RECORDING, code="invalid_value") from error
