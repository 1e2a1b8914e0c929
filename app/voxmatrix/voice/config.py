"""A voice's card: the JSON that Piper keeps beside its ONNX. No torch, so that speaking starts at once."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from voxmatrix.errors import BadInputError, DamagedFileError
from voxmatrix.files import replacing
from voxmatrix.text.symbols import BOS, EOS, PAD

#: What stands for "where a voice came from" in the JSON; other programs pass over it.
MADE_BY = "voxmatrix"
#: A card is some kilobytes; what is larger than this is something else.
MOST_BYTES = 16 * 1024 * 1024
MOST_RATE_HZ = 192_000


@dataclass(frozen=True, kw_only=True)
class VoiceConfig:
    """What a program must know of a voice to speak with it. Keys that we do not know are kept in `source`."""

    rate_hz: int
    num_symbols: int
    espeak_voice: str
    id_map: Mapping[str, Sequence[int]]
    num_speakers: int = 1
    phoneme_type: str = "espeak"
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

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a card and check it.

        Raises:
            BadInputError: it is missing, or a key is missing or makes no sense; the message names the key.
            DamagedFileError: it is no JSON.
        """
        return cls.from_json(_load(path), str(path))

    @classmethod
    def from_json(cls, raw: Mapping[str, Any], where: str = "the voice's card") -> Self:
        """The card that a JSON object describes; `where` is named in messages."""
        keys = _Keys(raw, where)
        num_symbols = keys.whole("num_symbols", least=1, most=100_000)
        num_speakers = keys.whole("num_speakers", least=1, most=1_000_000)
        return cls(
            rate_hz=keys.whole("audio.sample_rate", least=1, most=MOST_RATE_HZ),
            quality=keys.text("audio.quality", ""),
            espeak_voice=keys.text("espeak.voice"),
            num_symbols=num_symbols,
            num_speakers=num_speakers,
            phoneme_type=keys.text("phoneme_type", "espeak"),
            id_map=_id_map(keys, num_symbols),
            speaker_id_map=_speakers(keys, num_speakers),
            default_speaker=keys.whole("default_speaker_id", 0, least=0, most=num_speakers - 1),
            noise_scale=keys.number("inference.noise_scale", 0.667, least=0.0),
            length_scale=keys.number("inference.length_scale", 1.0, least=0.01),
            noise_w=keys.number("inference.noise_w", 0.8, least=0.0),
            hop=keys.whole("hop_length", 256, least=1, most=65_536),
            dataset=keys.text("dataset", ""),
            language=keys.table("language"),
            made_by=keys.table(MADE_BY),
            source=dict(raw),
        )

    def to_json(self) -> dict[str, Any]:
        """The JSON object with every key that piper-tts reads, and those of `source` that are not ours."""
        ours: dict[str, Any] = {
            "audio": {"sample_rate": self.rate_hz, "quality": self.quality},
            "espeak": {"voice": self.espeak_voice},
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

    def write(self, path: Path) -> None:
        """Replace `path` by this card."""
        with replacing(path) as file:
            file.write(self.encoded())

    def encoded(self) -> bytes:
        """The bytes of the file."""
        return (json.dumps(self.to_json(), ensure_ascii=False, indent=2) + "\n").encode("utf-8")


def language_of(voice: str) -> dict[str, str]:
    """Piper's `language` for a voice of espeak-ng: `en-us` is family en, region US, code en_US."""
    family, _, region = voice.partition("-")
    region = region.upper() if len(region) == 2 else ""
    return {"code": f"{family}_{region}" if region else family, "family": family, "region": region}


def _load(path: Path) -> Mapping[str, Any]:
    try:
        size = path.stat().st_size
        text = path.read_text(encoding="utf-8-sig") if size <= MOST_BYTES else ""
    except (FileNotFoundError, NotADirectoryError) as error:
        raise BadInputError(
            f"there is no file {path}: a voice is a pair, NAME.onnx and NAME.onnx.json",
            "put the JSON that came with the voice beside it, under that name",
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"{path} cannot be read: {error}", "get the voice's JSON again") from error
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as error:
        what = f"it has {size:,} bytes" if size > MOST_BYTES else str(error) or type(error).__name__
        raise DamagedFileError(f"{path} is not the JSON of a voice: {what}", "get the voice's JSON again") from error
    if not isinstance(raw, dict):
        raise BadInputError(f"{path} holds a {type(raw).__name__}, not the JSON of a voice", "get it again")
    return raw


class _Keys:
    """Values of a JSON object by dotted key, each checked."""

    def __init__(self, raw: Mapping[str, Any], where: str) -> None:
        self._raw = raw
        self._where = where

    def text(self, key: str, absent: str | None = None) -> str:
        value = self._value(key, absent)
        return value if isinstance(value, str) else self.refuse(key, value, "text")

    def whole(self, key: str, absent: int | None = None, *, least: int, most: int) -> int:
        value = self._value(key, absent)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            self.refuse(key, value, f"a whole number from {least} to {most}")
        return int(value)

    def number(self, key: str, absent: float, *, least: float) -> float:
        value = self._value(key, absent)
        fits = isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= 1000
        return float(value) if fits and math.isfinite(value) else self.refuse(key, value, f"a number from {least}")

    def table(self, key: str, *, required: bool = False) -> dict[str, Any]:
        value = self._value(key, None if required else {})
        return value if isinstance(value, dict) else self.refuse(key, value, "an object")

    def refuse(self, key: str, value: object, wanted: str) -> Any:
        shown = repr(value) if len(repr(value)) <= 60 else repr(value)[:57] + "..."
        raise BadInputError(
            f"{self._where}: {key} is {shown}, must be {wanted}", "get the voice's JSON again, or mend that key"
        )

    def _value(self, key: str, absent: object) -> Any:
        value: Any = self._raw
        for part in key.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if value is None and absent is None:
            raise BadInputError(
                f"{self._where} has no key {key}: it is not the JSON of a voice of Piper",
                "get the JSON that came with the voice, or export the voice again",
            )
        return absent if value is None else value


def _id_map(keys: _Keys, num_symbols: int) -> dict[str, list[int]]:
    """Symbols with their ids; one whose id the network does not have is left out and so counts as missing."""
    key = "phoneme_id_map"
    found = {}
    for symbol, ids in keys.table(key, required=True).items():
        if not isinstance(ids, list) or not all(type(number) is int for number in ids):
            keys.refuse(f"{key}[{symbol!r}]", ids, "a list of whole numbers")
        if ids and all(0 <= number < num_symbols for number in ids):
            found[symbol] = ids
    for symbol in (PAD, BOS, EOS):
        if symbol not in found:
            keys.refuse(f"{key}[{symbol!r}]", None, f"a list of ids below num_symbols, {num_symbols}")
    return found


def _speakers(keys: _Keys, num_speakers: int) -> dict[str, int]:
    key = "speaker_id_map"
    found = keys.table(key)
    for name, number in found.items():
        if type(number) is not int or not 0 <= number < num_speakers:
            keys.refuse(f"{key}[{name!r}]", number, f"a number from 0 to {num_speakers - 1}")
    return found


def _table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
