"""A folder of recordings in which everything is wrong that goes wrong, among a dozen that are good."""

import os
import struct
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import soundfile
from numpy.typing import NDArray

RATE_HZ = 22050
SENTENCE = "The quick brown fox jumps over the lazy dog."
SENTENCES = (
    "The birch canoe slid on the smooth planks.",
    "Glue the sheet to the dark blue background.",
    "These days a chicken leg is a rare dish.",
    "Rice is often served in round bowls.",
    "The juice of lemons makes fine punch.",
    "The box was thrown beside the parked truck.",
    "The hogs were fed chopped corn and garbage.",
    "Four hours of steady work faced us.",
    "A large size in stockings is hard to sell.",
    "The boy was there when the sun rose.",
    "A rod is used to catch pink salmon.",
    "The source of the huge river is the clear spring.",
)
#: Spoken characters a second of the tones that stand for speech.
PACE = 13.0


class Case(NamedTuple):
    """One recording and what must be said of it: "used", "warning:KIND", or the kind for which it is left out."""

    name: str
    expected: str
    text: str | bytes = SENTENCE
    write: Callable[[Path], None] | None = None
    file: str = ""  # as the metadata names it; without it NAME.wav


def build(root: Path) -> dict[str, str]:
    """Write the folder (layout `metadata.csv`) and return what must become of each recording, by its id."""
    (root / "wavs").mkdir(parents=True)
    lines = []
    for case in cases():
        file = case.file or f"{case.name}.wav"
        if case.write:
            case.write(root / "wavs" / file)
        text = case.text if isinstance(case.text, bytes) else case.text.encode("utf-8", "surrogatepass")
        lines.append(file.encode("utf-8") + b"|" + text)
    (root / "metadata.csv").write_bytes(b"\xef\xbb\xbf" + b"\r\n".join(lines) + b"\r\njust-a-name\r\n")
    return {**{case.name: case.expected for case in cases()}, "just-a-name": "bad-line"}


def speech(seconds: float, rate_hz: int = RATE_HZ, seed: int = 0, level: float = 0.3) -> NDArray[np.float32]:
    """Something that rises and falls like syllables, between two short silences."""
    time = np.arange(round(seconds * rate_hz)) / rate_hz
    voice = sum(np.sin(2 * np.pi * (110 + seed) * harmonic * time) / harmonic for harmonic in range(1, 8))
    syllables = 0.15 + 0.85 * np.square(np.sin(2 * np.pi * 2.2 * time))
    noise = np.random.default_rng(seed).normal(0, 1e-4, len(time) + rate_hz // 5)
    breath = np.random.default_rng(seed).normal(0, 0.05, len(time))  # up to the highest frequency, as of an s
    noise[rate_hz // 10 : rate_hz // 10 + len(time)] += level * (voice / 2 + breath) * syllables
    return noise.astype(np.float32)


def seconds_for(text: str) -> float:
    """How long that speech must be for a text."""
    return sum(sign.isalnum() for sign in text) / PACE


def sound(**options: Any) -> Callable[[Path], None]:
    """Writes fitting speech; `rate_hz`, `channels`, `subtype`, `format`, `seconds`, `seed`, `change` as one likes."""
    rate_hz, channels = options.get("rate_hz", RATE_HZ), options.get("channels", 1)

    def write(path: Path) -> None:
        seconds = options.get("seconds", seconds_for(options.get("text", SENTENCE)))
        samples = speech(seconds, rate_hz, options.get("seed", sum(map(ord, path.name))))
        samples = options.get("change", lambda same: same)(samples)
        if channels > 1:
            samples = np.stack([samples] * channels, axis=1)
        soundfile.write(path, samples, rate_hz, subtype=options.get("subtype"), format=options.get("format"))

    return write


def cases() -> list[Case]:
    """All of them, the good ones first."""
    return [*_good(), *_kinds_of_files(), *_damaged(), *_bad_sound(), *_bad_text(), *_bad_together(), *_bad_names()]


def _good() -> list[Case]:
    return [Case(f"good-{number:02}", "used", text, sound(text=text)) for number, text in enumerate(SENTENCES)]


def _kinds_of_files() -> list[Case]:
    return [
        Case("bits-8", "used", write=sound(subtype="PCM_U8")),
        Case("bits-24", "used", write=sound(subtype="PCM_24")),
        Case("bits-float", "used", write=sound(subtype="FLOAT")),
        Case("bits-alaw", "used", write=sound(subtype="ALAW")),
        Case("rate-96000", "used", write=sound(rate_hz=96000)),
        Case("rate-8000", "warning:low-rate", write=sound(rate_hz=8000)),
        Case("channels-2", "used", write=sound(channels=2)),
        Case("channels-6", "used", write=sound(channels=6)),
        Case("flac", "used", write=sound(), file="flac.flac"),
        Case("ogg", "used", write=sound(), file="ogg.ogg"),
        Case("aiff", "used", write=sound(), file="aiff.aiff"),
        Case("mp3-called-wav", "used", write=sound(format="MP3")),
        Case("wav-called-flac", "used", write=sound(format="WAV"), file="wav-called-flac.flac"),
    ]


def _damaged() -> list[Case]:
    return [
        Case("empty", "unreadable", write=Path.touch),
        Case("header-only", "too-short", write=sound(change=lambda samples: samples[:0])),
        Case("truncated", "unreadable", write=_cut(sound())),
        Case("truncated-flac", "unreadable", write=_cut(sound()), file="truncated-flac.flac"),
        Case("half-a-header", "unreadable", write=_cut(sound(), keep=30)),
        Case("length-lies", "unreadable", write=_patched(sound(), 40, struct.pack("<I", 50_000_000))),
        Case("rate-0", "unreadable", write=_patched(sound(), 24, struct.pack("<I", 0))),
        Case("rate-1", "unreadable", write=_patched(sound(), 24, struct.pack("<I", 1))),
        Case("rate-4-billion", "unreadable", write=_patched(sound(), 24, struct.pack("<I", 4_000_000_000))),
        Case("channels-0", "unreadable", write=_patched(sound(), 22, struct.pack("<H", 0))),
        Case("random-bytes", "unreadable", write=lambda path: _bytes(path, np.random.default_rng(1).bytes(5000))),
        Case("text-called-wav", "unreadable", write=lambda path: _bytes(path, b"this is no sound\n" * 100)),
        Case("aac", "unreadable", write=lambda path: _bytes(path, b"\xff\xf1\x50\x80" * 500), file="aac.m4a"),
        Case("missing", "missing"),
        Case("a-folder", "unreadable", write=Path.mkdir),
        *([Case("a-pipe", "unreadable", write=os.mkfifo)] if hasattr(os, "mkfifo") else []),
        Case("broken-link", "missing", write=lambda path: path.symlink_to("nowhere.wav")),
        Case("link-to-itself", "missing", write=lambda path: path.symlink_to(path.name)),
    ]


def _bad_sound() -> list[Case]:
    return [
        Case("nan", "not-finite", write=sound(subtype="FLOAT", change=_with(5000, np.nan))),
        Case("infinite", "not-finite", write=sound(subtype="DOUBLE", change=_with(9000, np.inf))),
        Case("silent", "silent", write=sound(change=lambda samples: samples * 0)),
        Case("nearly-silent", "silent", write=sound(change=lambda samples: samples * 1e-3)),
        Case("direct-current", "silent", write=sound(change=lambda samples: samples * 0 + 0.5)),
        Case("clipped", "clipped", write=sound(change=lambda samples: np.clip(samples * 40, -1, 1))),
        Case("a-little-clipped", "warning:clipped", write=sound(change=_little_clipped)),
        Case("too-short", "too-short", "Yes.", sound(seconds=0.1)),
        Case("too-long", "too-long", SENTENCE * 8, sound(seconds=25)),
        Case("hours-long", "too-long", SENTENCE * 8, sound(seconds=130, rate_hz=8000)),
    ]


def _bad_text() -> list[Case]:
    return [
        Case("no-text", "empty-text", "", sound()),
        Case("only-spaces", "empty-text", "  \t ", sound()),
        Case("only-emoji", "unpronounceable", "🎉🎊", sound()),
        Case("only-marks", "unpronounceable", "… — !?", sound()),
        Case("characters-10000", "too-many-phonemes", SENTENCE * 230, sound()),
        Case("sentences-20", "too-many-phonemes", SENTENCE * 20, sound()),
        Case(
            "control-characters",
            "warning:control-characters",
            "The quick\x07 brown fox\x1b jumps over the lazy dog.",
            sound(),
        ),
        Case("null-byte", "bad-line", "The quick\0brown fox.", sound()),
        Case("latin-1", "bad-encoding", "Une tres jolie fete a la maison, ma chérie.".encode("latin-1"), sound()),
        Case("lone-surrogate", "bad-encoding", "half a character \ud83d", sound()),
        Case("right-to-left", "used", "The quick \u202ebrown\u202c fox jumps over the lazy dog.", sound()),
        Case("quotes", "used", '"The quick, brown fox" jumps over the "lazy dog.', sound()),
        Case("markup", "used", "<script>alert(1)</script> over the lazy dog.", sound()),
        Case("far-too-much-text", "text-does-not-fit", SENTENCE * 8, sound()),
        Case("far-too-little-text", "text-does-not-fit", "No.", sound(seconds=9)),
    ]


def _bad_together() -> list[Case]:
    once = sound(seed=77)
    return [
        Case("twin-id", "duplicate-id", write=sound()),
        Case("twin-id", "duplicate-id"),
        Case("same-sound-1", "used", write=once),
        Case("same-sound-2", "duplicate-audio", write=once),
        Case("two-texts-1", "duplicate-audio", write=sound(seed=78)),
        Case("two-texts-2", "duplicate-audio", "The quick brown dog jumps over a lazy fox.", sound(seed=78)),
    ]


def _bad_names() -> list[Case]:
    return [
        Case("../outside", "outside"),
        Case("/etc/outside", "outside"),
        Case("wavs/../../outside", "outside"),
        Case("två ord 日本", "used", write=sound()),
        Case("décomposé", "used", write=_in_form("NFD", sound())),
    ]


def _in_form(form: Any, write: Callable[[Path], None]) -> Callable[[Path], None]:
    return lambda path: write(path.with_name(unicodedata.normalize(form, path.name)))


def _bytes(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def _cut(write: Callable[[Path], None], keep: int = 0) -> Callable[[Path], None]:
    def cut(path: Path) -> None:
        write(path)
        data = path.read_bytes()
        path.write_bytes(data[: keep or len(data) * 6 // 10])

    return cut


def _patched(write: Callable[[Path], None], offset: int, new: bytes) -> Callable[[Path], None]:
    def patch(path: Path) -> None:
        write(path)
        data = bytearray(path.read_bytes())
        data[offset : offset + len(new)] = new
        path.write_bytes(bytes(data))

    return patch


def _with(place: int, value: float) -> Callable[[NDArray[np.float32]], NDArray[np.float32]]:
    def change(samples: NDArray[np.float32]) -> NDArray[np.float32]:
        samples[place] = value
        return samples

    return change


def _little_clipped(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    samples[20000:20100] = 1.0
    return samples
