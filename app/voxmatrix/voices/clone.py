"""A voice of seconds: a recording that an engine imitates is checked, kept once, and gets a name."""

import hashlib
import io
import re
import wave
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from voxmatrix.audio.load import read
from voxmatrix.audio.measures.measure import measure
from voxmatrix.audio.pauses import best_stretch
from voxmatrix.audio.pitch import pitch
from voxmatrix.audio.waves import Samples, trim
from voxmatrix.config import voice_folders
from voxmatrix.dataset.segment.speakers import MIN_HALF_SECONDS, SAME_HALVES
from voxmatrix.dataset.sound_checks import SILENT_DBFS, clipping, faults
from voxmatrix.errors import BadInputError, Finding, UsageError
from voxmatrix.external.family import voice_path
from voxmatrix.external.installed import Engine, find_engine, installed_weights
from voxmatrix.external.manifest import ReferenceTable
from voxmatrix.external.voice_file import REFERENCES, Consent, KeptReference, VoiceFile, now, write_voice_file
from voxmatrix.files import replacing
from voxmatrix.models.reference import Cloning, Reference

#: What the user states, about the speaker of the recording.
STATEMENT = "The voice in this recording is that of {name}, who agrees that software imitates it."
#: Recordings are kept at this rate: engines take less.
_RATE_HZ = 48_000
MAX_SECONDS = 120.0
#: Where the pitch of speakers is compared: its rate, frames of 10 ms, how many of them have a pitch, and how many
#: stretches there are of each. Between two people there is a gap; the ratios are 3 and 6 semitones.
_PITCH_RATE_HZ, _STRETCH_FRAMES, _LEAST_VOICED, _LEAST_STRETCHES, _GAP, _TWO_PITCHES = 16_000, 200, 0.3, 2, 1.19, 1.41
#: What to do where `are_speakers_compared` is false.
COMPARE_SPEAKERS = "listen to it; to have speakers compared: pip install --no-deps resemblyzer"
#: Faults that matter in the clips of a training: what is imitated is cut at a pause, and starts with the speech.
_HARMLESS = ("cut-off", "no-speech", "long-pause", "offset")
_NAME = re.compile(r"\w[\w.-]{0,63}")


@dataclass(frozen=True, kw_only=True)
class CloneRequest:
    """What is to be imitated by which engine."""

    name: str
    engine: str
    recording: Path
    speaker: str  # who consents
    transcript: str = ""
    weights: str = ""  # "": the only ones that are installed
    language: str = ""  # "": the main one of the engine


@dataclass(frozen=True, kw_only=True)
class Cloned:
    """A new voice."""

    id: str
    path: Path
    seconds: float  # of its recording that are imitated
    findings: tuple[Finding, ...]


def clone(request: CloneRequest) -> Cloned:
    """Check a recording, keep it with the statement of consent, and write a voice of the engine.

    Raises:
        BadInputError: the engine is not installed or imitates nobody, or the recording is not good enough.
        UsageError: the name is taken or invalid, nobody consents, or the transcript is missing.
        UnreachableError: the folder of voices cannot be written to.
    """
    _check_consent(request.speaker)
    engine, weights, reference = _engine_of(request.engine, request.weights)
    place = voice_path(engine.name, request.name)
    _check_request(request, reference, place)
    language = _language_of(request, engine.manifest.can.languages)
    speech, findings = _examined(request.recording, reference, request.transcript)
    _, samples = best_stretch(speech, _RATE_HZ, *reference.seconds)
    statement = Consent(statement=STATEMENT.format(name=request.speaker), by=request.speaker, at=now())
    voice = VoiceFile(
        engine=engine.name,
        weights=weights,
        language=language,
        title=request.name,
        reference=KeptReference(sha256=keep_recording(samples), transcript=request.transcript),
        consent=statement,
    )
    write_voice_file(place, voice)
    seconds = len(samples) / _RATE_HZ
    return Cloned(id=f"{engine.name}/{request.name}", path=place, seconds=seconds, findings=tuple(findings))


def check_recording(path: Path, engine: str, weights: str = "", transcript: str = "") -> tuple[float, list[Finding]]:
    """The seconds of speech in a recording, and all that is wrong with it for an engine, errors and warnings.

    Raises:
        BadInputError: the engine is not installed or imitates nobody, or the file is no recording.
        UsageError: the engine has several weights.
    """
    _, _, reference = _engine_of(engine, weights)
    samples, findings = _examine(path, reference, transcript)
    return len(samples) / _RATE_HZ, findings


def once(recording: Path, wanted: Cloning, speaker: str, transcript: str = "") -> Reference:
    """A recording that is imitated for one text and not kept, after the same checks.

    Raises:
        BadInputError: it cannot be read, or is not good enough.
        UsageError: nobody consents, or the transcript is missing.
    """
    _check_consent(speaker)
    if wanted.transcript == "required" and not transcript:
        raise _without_transcript()
    transcript = "" if wanted.transcript == "none" else transcript
    speech, _ = _examined(recording, wanted, transcript)
    _, samples = best_stretch(speech, _RATE_HZ, *wanted.seconds)
    return Reference(hashlib.sha256(samples.tobytes()).hexdigest(), samples, _RATE_HZ, transcript)


def _check_consent(speaker: str) -> None:
    if not speaker.strip():
        raise UsageError("a voice is imitated only if its speaker agrees", "name the speaker who does: `consent=NAME`")


def _examined(path: Path, wanted: ReferenceTable | Cloning, transcript: str) -> tuple[Samples, list[Finding]]:
    """What `_examine` returns.

    Raises:
        BadInputError: it cannot be read, or there is an error among the findings.
    """
    samples, findings = _examine(path, wanted, transcript)
    errors = [finding for finding in findings if finding.severity == "error"]
    if errors:
        remedies = dict.fromkeys(error.remedy for error in errors)
        raise BadInputError("; ".join(error.problem for error in errors), "; ".join(remedies))
    return samples, findings


def _examine(path: Path, wanted: ReferenceTable | Cloning, transcript: str) -> tuple[Samples, list[Finding]]:
    """The speech of a recording, 48 kHz, without silence at both ends, and what is wrong with it.

    Raises:
        BadInputError: it cannot be read, or is too long.
    """
    if not path.exists():
        remedy = "give a recording of one person, some seconds long: `reference=FILE`"
        raise BadInputError(f"there is no recording {path}", remedy)
    sound = read(path, _RATE_HZ, max_seconds=MAX_SECONDS)
    measured = measure(sound.samples, _RATE_HZ)
    if measured.speech_dbfs < SILENT_DBFS:
        problem = f"{path.name} is silent: its loud parts are at {measured.speech_dbfs:.0f} dBFS"
        return sound.samples[:0], [_error(problem, "record it again, near the microphone")]
    samples = trim(sound.samples, _RATE_HZ)
    seconds, (least, used) = len(samples) / _RATE_HZ, wanted.seconds
    findings: list[Finding] = []
    if seconds < least:
        problem = f"{path.name} has {seconds:.1f} s of speech, and the engine needs {least:g} s"
        findings.append(_error(problem, "record some sentences more"))
    elif seconds > used and transcript:
        problem = (
            f"{path.name} has {seconds:.1f} s of speech, and the engine hears {used:g} s of it: less than is written"
        )
        remedy = f"choose a recording of at most {used:g} s, or leave out the transcript"
        findings.append(_error(problem, remedy))
    elif seconds > used:
        begin, best = best_stretch(samples, _RATE_HZ, least, used)
        which = f"from second {begin:.1f} on, which are the clearest" if begin else "from the first one on"
        problem = f"only {len(best) / _RATE_HZ:.1f} s of {seconds:.1f} s are imitated, {which}"
        findings.append(_warning(problem, "nothing needs to be done"))
    clipped = clipping(sound.clipped_fraction, measured.flat_tops)
    for fault in filter(None, (clipped, *faults(measured))):
        if fault.kind not in _HARMLESS:
            problem = f"{path.name}: {fault.problem}"
            findings.append(Finding(problem=problem, remedy=fault.remedy, severity=fault.severity))
    if not any(finding.severity == "error" for finding in findings):
        findings += _several_speakers(path, samples)
    return samples, findings


def are_speakers_compared() -> bool:
    """Whether the package that tells speakers apart is installed; else two of a similar pitch are one."""
    return find_spec("resemblyzer") is not None


def _several_speakers(path: Path, samples: Samples) -> list[Finding]:
    """Compare both halves of a recording; without the package that tells speakers apart, their pitches."""
    if len(samples) < 2 * MIN_HALF_SECONDS * _RATE_HZ:
        return []
    if not are_speakers_compared():
        voices = _two_pitches(samples)
        if voices is None:
            return []
        low, high = voices
        problem = f"{path.name} seems to have two speakers: one at {low:.0f} Hz, and one at {high:.0f} Hz"
        return [_warning(problem, f"choose a recording of one person, or {COMPARE_SPEAKERS}")]
    from voxmatrix.judge.likeness import SpeakerEncoder

    encoder = SpeakerEncoder()
    first, second = (encoder.embedding(half, _RATE_HZ) for half in np.array_split(samples, 2))
    if (alike := float(first @ second)) >= SAME_HALVES:
        return []
    problem = f"{path.name} seems to have several speakers: the likeness of its halves is {alike:.2f}"
    return [_error(problem, f"choose a recording of one person, whose halves have more than {SAME_HALVES}")]


def _two_pitches(samples: Samples) -> tuple[float, float] | None:
    """The pitches of two groups of stretches of speech, in Hz, if one person would hardly have both.

    The medians of five synthetic voices were each within 5 semitones, in exclamations and questions, too. Two people
    of a similar pitch are not told apart.
    """
    size = _RATE_HZ // _PITCH_RATE_HZ
    hz = pitch(samples[: len(samples) // size * size].reshape(-1, size).mean(1), _PITCH_RATE_HZ).hz
    stretches = [hz[begin : begin + _STRETCH_FRAMES] for begin in range(0, len(hz), _STRETCH_FRAMES // 2)]
    voiced = [one[one > 0] for one in stretches]
    medians = np.sort([np.median(one) for one in voiced if len(one) >= _STRETCH_FRAMES * _LEAST_VOICED])
    groups = [
        (medians[:place], medians[place:]) for place in range(_LEAST_STRETCHES, len(medians) + 1 - _LEAST_STRETCHES)
    ]
    pairs = [(float(np.median(low)), float(np.median(high))) for low, high in groups if high[0] >= low[-1] * _GAP]
    return next(((low, high) for low, high in pairs if high >= low * _TWO_PITCHES), None)


def _engine_of(name: str, wanted: str) -> tuple[Engine, dict[str, str], ReferenceTable]:
    """The engine as it is for the weights that the voice will have, those, and what it needs of a recording."""
    engine, found = find_engine(name), installed_weights(name)
    if wanted:
        found = {known: digest for known, digest in found.items() if known == wanted}
    if len(found) > 1:
        raise UsageError(f"the engine {name} has several weights", f"choose `weights`: {', '.join(found)}")
    if not found and (wanted or engine.manifest.weights):
        named = wanted or engine.manifest.weights[0].id
        remedy = f"voxmatrix engines install {name} --weights {named}"
        raise BadInputError(f"the weights {named} are not installed", remedy)
    engine = find_engine(name, found)
    if engine.manifest.can.reference is None:
        raise BadInputError(f"the engine {name} does not imitate recordings", "choose another engine")
    return engine, found, engine.manifest.can.reference


def _check_request(request: CloneRequest, wanted: ReferenceTable, place: Path) -> None:
    if _NAME.fullmatch(request.name) is None:
        raise UsageError(f"{request.name!r} is no name of a voice", "choose letters, digits, dots and dashes")
    if place.exists():
        raise UsageError(f"there is already a voice {place.parent.name}/{request.name}", "choose another name")
    if wanted.transcript == "required" and not request.transcript:
        raise _without_transcript()
    if wanted.transcript == "none" and request.transcript:
        raise UsageError("this engine does not read the words of a recording", "leave out `transcript`")


def _without_transcript() -> UsageError:
    return UsageError("this engine needs the words of the recording", "write them: `transcript=WORDS`")


def _language_of(request: CloneRequest, languages: Sequence[str]) -> str:
    language = request.language.lower().replace("_", "-") or languages[0]
    if not any(language.partition("-")[0] == known.partition("-")[0] for known in languages):
        raise UsageError(f"`language` is {request.language}", f"choose one of: {', '.join(languages)}")
    return language


def keep_recording(samples: Samples) -> str:
    """Write a recording to its place, unless it is there, and return its checksum."""
    content = io.BytesIO()
    with wave.open(content, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(_RATE_HZ)
        sound.writeframes(np.clip(np.rint(samples * 32767), -32768, 32767).astype("<i2").tobytes())
    sha256 = hashlib.sha256(content.getvalue()).hexdigest()
    path = voice_folders()[0] / REFERENCES / f"{sha256}.wav"
    if not path.exists():
        with replacing(path) as file:
            file.write(content.getvalue())
    return sha256


def _error(problem: str, remedy: str) -> Finding:
    return Finding(problem=problem, remedy=remedy)


def _warning(problem: str, remedy: str) -> Finding:
    return Finding(problem=problem, remedy=remedy, severity="warning")
