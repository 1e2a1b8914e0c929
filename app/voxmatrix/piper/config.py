"""The voice config: the JSON file beside a Piper ONNX voice. Does not import torch, so that speaking starts fast."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from voxmatrix.encoding import parse_json
from voxmatrix.errors import BadInputError, DamagedFileError
from voxmatrix.files import read_errors, replacing
from voxmatrix.text.phonemes.espeak import is_voice_name
from voxmatrix.text.symbols import BOS, EOS, PAD, Clusters

#: Key for the origin of a voice; other programs ignore it.
MADE_BY = "voxmatrix"
#: A voice config has a few kilobytes; a file larger than this is something else.
MAX_BYTES = 16 * 1024 * 1024
MAX_RATE_HZ = 192_000
#: The quality of a voice whose network is not VITS, but that of `distil/student`.
STUDENT = "student"
#: Languages of espeak-ng that piper-tts knows only by the names of their files.
_FILES_OF_ESPEAK = {
    "chr-US-Qaaa-x-west": "chr", "en-gb": "en", "es-mx": "es-419", "fr-fr": "fr", "hbs": "hr", "hy-arevela": "hy",
    "hy-arevmda": "hyw", "no": "nb", "pt-pt": "pt", "zh": "cmn", "zh-cmn": "cmn", "zh-yue": "yue",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class VoiceConfig:
    """Everything needed to speak with a voice. `source` keeps unknown keys of the JSON."""

    rate_hz: int
    num_symbols: int
    espeak_voice: str
    id_map: Mapping[str, Sequence[int]]
    num_speakers: int = 1
    phoneme_type: str = "espeak"
    espeak_version: str = ""  # of the espeak-ng whose phonemes the voice learned; "": unknown
    quality: str = ""
    dataset: str = ""
    speaker_id_map: Mapping[str, int] = field(default_factory=dict)
    default_speaker: int = 0
    noise_scale: float = 0.667
    length_scale: float = 1.0
    noise_w: float = 0.8
    hop: int = 256
    language: Mapping[str, Any] = field(default_factory=dict)
    made_by: Mapping[str, Any] = field(default_factory=dict)
    source: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def vowel_clusters(self) -> Clusters:
        """The phonemes that are one symbol together."""
        given = self.source.get("vowel_clusters")
        lists = [each for each in given if isinstance(each, list)] if isinstance(given, list) else []
        return frozenset(tuple(map(str, each)) for each in lists)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read and validate a voice config.

        Raises:
            BadInputError: the file is missing, or a key is missing or invalid; the message names the key.
            DamagedFileError: the file is not JSON.
        """
        return cls.from_json(_load(path), str(path))

    @classmethod
    def from_json(cls, raw: Mapping[str, Any], where: str = "the voice config") -> Self:
        """Validate a JSON object; `where` names its origin in messages."""
        keys = _Keys(raw, where)
        num_symbols = keys.integer("num_symbols", low=1, high=100_000)
        num_speakers = keys.integer("num_speakers", low=1, high=1_000_000)
        return cls(
            rate_hz=keys.integer("audio.sample_rate", low=1, high=MAX_RATE_HZ),
            quality=keys.text("audio.quality", ""),
            espeak_voice=keys.espeak_voice("espeak.voice"),
            num_symbols=num_symbols,
            num_speakers=num_speakers,
            phoneme_type=keys.text("phoneme_type", "espeak"),
            espeak_version=version if isinstance(version := _table(raw.get("espeak")).get("version"), str) else "",
            id_map=_id_map(keys, num_symbols),
            speaker_id_map=_speakers(keys, num_speakers),
            default_speaker=keys.integer("default_speaker_id", 0, low=0, high=num_speakers - 1),
            noise_scale=keys.number("inference.noise_scale", 0.667, low=0.0),
            length_scale=keys.number("inference.length_scale", 1.0, low=0.01),
            noise_w=keys.number("inference.noise_w", 0.8, low=0.0),
            hop=keys.integer("hop_length", 256, low=1, high=65_536),
            dataset=keys.text("dataset", ""),
            language=keys.table("language"),
            made_by=keys.table(MADE_BY),
            source=dict(raw),
        )

    def to_json(self) -> dict[str, Any]:
        """The JSON object with every key that piper-tts reads, and the unknown keys of `source`."""
        ours: dict[str, Any] = {
            "audio": {"sample_rate": self.rate_hz, "quality": self.quality},
            "espeak": {"voice": _FILES_OF_ESPEAK.get(self.espeak_voice, self.espeak_voice)}
            | ({"version": self.espeak_version} if self.espeak_version else {}),
            "language": dict(self.language) or language_of(self.espeak_voice),
            "dataset": self.dataset,
            "inference": {
                "noise_scale": self.noise_scale,
                "length_scale": self.length_scale,
                "noise_w": self.noise_w,
            },
            "phoneme_type": self.phoneme_type,
            "phoneme_id_map": {symbol: list(ids) for symbol, ids in self.id_map.items()},
            "num_symbols": self.num_symbols,
            "num_speakers": self.num_speakers,
            "speaker_id_map": dict(self.speaker_id_map),
            "default_speaker_id": self.default_speaker,
            "hop_length": self.hop,
            MADE_BY: dict(self.made_by),
        }
        kept = {key: value for key, value in self.source.items() if key not in ours}
        for key in ("audio", "espeak", "inference"):
            ours[key] = {**_table(self.source.get(key)), **ours[key]}
        return ours | kept

    def published(self, name: str) -> Self:
        """The config as it goes out with an ONNX file of this name, which programs show as `dataset`.

        Symbols of several letters are left out, but for those that something says: clusters of vowels, and the symbols
        of other types of phonemes. Piper's table has five that espeak-ng never makes, and strict readers (sherpa-onnx,
        the piper of 2023) refuse a voice for them. No id moves.
        """
        said = {"".join(cluster) for cluster in self.vowel_clusters}
        single = self.phoneme_type in ("espeak", "text")
        kept = {symbol: ids for symbol, ids in self.id_map.items() if not single or len(symbol) == 1 or symbol in said}
        return replace(self, dataset=name, id_map=kept)

    def write(self, path: Path) -> None:
        """Write the JSON to `path` atomically."""
        with replacing(path) as file:
            file.write(self.encoded())

    def encoded(self) -> bytes:
        """The content of the file."""
        return (json.dumps(self.to_json(), ensure_ascii=False, indent=2) + "\n").encode("utf-8")


def language_of(voice: str) -> dict[str, str]:
    """Piper's `language` object for an espeak-ng voice: `en-us` has family en, region US and code en_US."""
    family, _, region = voice.partition("-")
    region = region.upper() if len(region) == 2 else ""
    return {"code": f"{family}_{region}" if region else family, "family": family, "region": region}


def _load(path: Path) -> Mapping[str, Any]:
    with read_errors(path):
        try:
            size = path.stat().st_size
            text = path.read_text(encoding="utf-8-sig") if size <= MAX_BYTES else ""
        except (FileNotFoundError, NotADirectoryError) as error:
            raise BadInputError(
                f"{path} does not exist: a voice consists of NAME.onnx and NAME.onnx.json",
                "put the JSON file that came with the voice beside it, under that name",
            ) from error
        except UnicodeDecodeError as error:
            raise BadInputError(f"{path} cannot be read: {error}", "get the JSON file of the voice again") from error
    try:
        raw = parse_json(text)
    except (ValueError, RecursionError) as error:
        what = f"it has {size:,} bytes" if size > MAX_BYTES else str(error) or type(error).__name__
        remedy = "get the JSON file of the voice again"
        raise DamagedFileError(f"{path} is not a voice config: {what}", remedy) from error
    if not isinstance(raw, dict):
        raise BadInputError(f"{path} contains a {type(raw).__name__}, not a voice config", "get the file again")
    return raw


class _Keys:
    """Validated values of a JSON object by dotted key. Without a default, a key is required."""

    def __init__(self, raw: Mapping[str, Any], where: str) -> None:
        self._raw = raw
        self._where = where

    def text(self, key: str, default: str | None = None) -> str:
        value = self._value(key, default)
        return value if isinstance(value, str) else self.reject(key, value, "text")

    def espeak_voice(self, key: str) -> str:
        voice = self.text(key)
        expected = "a language of espeak-ng, such as en-us: at most 64 letters, digits and the signs - _ +"
        return voice if is_voice_name(voice) else self.reject(key, voice, expected)

    def integer(self, key: str, default: int | None = None, *, low: int, high: int) -> int:
        value = self._value(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            self.reject(key, value, f"an integer from {low} to {high}")
        return int(value)

    def number(self, key: str, default: float, *, low: float) -> float:
        value = self._value(key, default)
        fits = isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= 1000
        return float(value) if fits and math.isfinite(value) else self.reject(key, value, f"a number from {low}")

    def table(self, key: str, *, required: bool = False) -> dict[str, Any]:
        value = self._value(key, None if required else {})
        return value if isinstance(value, dict) else self.reject(key, value, "an object")

    def reject(self, key: str, value: object, expected: str) -> Any:
        shown = repr(value) if len(repr(value)) <= 60 else repr(value)[:57] + "..."
        raise BadInputError(
            f"{self._where}: {key} is {shown}, must be {expected}",
            "get the JSON file of the voice again, or fix that key",
        )

    def _value(self, key: str, default: object) -> Any:
        value: Any = self._raw
        for part in key.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if value is None and default is None:
            raise BadInputError(
                f"{self._where} has no key {key}: it is not a Piper voice config",
                "get the JSON file that came with the voice, or export the voice again",
            )
        return default if value is None else value


def _id_map(keys: _Keys, num_symbols: int) -> dict[str, list[int]]:
    """The ids of each symbol, without symbols whose ids the network does not have."""
    key = "phoneme_id_map"
    id_map = {}
    for symbol, ids in keys.table(key, required=True).items():
        if not isinstance(ids, list) or not all(type(number) is int for number in ids):
            keys.reject(f"{key}[{symbol!r}]", ids, "a list of integers")
        if ids and all(0 <= number < num_symbols for number in ids):
            id_map[symbol] = ids
    for symbol in (PAD, BOS, EOS):
        if symbol not in id_map:
            keys.reject(f"{key}[{symbol!r}]", None, f"a list of ids below num_symbols, {num_symbols}")
    return id_map


def _speakers(keys: _Keys, num_speakers: int) -> dict[str, int]:
    key = "speaker_id_map"
    speakers = keys.table(key)
    for name, number in speakers.items():
        if type(number) is not int or not 0 <= number < num_speakers:
            keys.reject(f"{key}[{name!r}]", number, f"a number from 0 to {num_speakers - 1}")
    return speakers


def _table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
