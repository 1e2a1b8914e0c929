"""Speak sentences with hibari and keep what its network computes. Runs in an environment with hibari-tts alone.

Reads a JSON list of sentences in misaki's phonemes; writes FOLDER/0000.npz and so on, as
voxmatrix/distil/student/corpus.py reads them. Files that are there are not made again.
"""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np
from hibari import Hibari, dsp  # type: ignore[import-not-found]


def main() -> None:
    """Speak the sentences of a file into a folder, as many seconds as are wanted."""
    listed, folder, wanted, in_a_file = sys.argv[1:]
    sentences = json.loads(Path(listed).read_text(encoding="utf-8"))
    voice, seconds = Hibari(), 0.0
    for number, start in enumerate(range(0, len(sentences), int(in_a_file))):
        path = Path(folder) / f"{number:04d}.npz"
        if not path.exists():
            write(path, [speak(voice, phonemes) for phonemes in sentences[start : start + int(in_a_file)]])
        with np.load(path) as content:
            seconds += content["lengths"].sum() * dsp.HOP / dsp.SR
        print(seconds, flush=True)
        if seconds >= float(wanted):
            break


def speak(voice: Hibari, phonemes: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Samples, hertz and filters of a sentence."""
    inputs = {"ids": np.array([voice.ids(phonemes)], np.int64), "speed": np.ones(1, np.float32)}
    harmonics, phase, noise, rest, rest_phase, hz = (one[0] for one in voice.sess.run(None, inputs))
    filters = np.stack([harmonics, phase, rest, rest_phase]).transpose(2, 0, 1)
    wave = dsp.synth(harmonics, phase, noise, rest, rest_phase, hz, np.random.default_rng(0))
    return (np.clip(wave, -1, 1) * 32767).astype(np.int16), hz.astype(np.float32), filters.astype(np.float16)


def write(path: Path, spoken: list[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> None:
    """Write a file of the corpus and that of its filters, each whole or not at all; what counts is the former."""
    samples, hz, filters = (np.concatenate(each) for each in zip(*spoken, strict=True))
    with whole(path.with_suffix(".filters.npy")) as file:
        np.save(file, filters)
    with whole(path) as file:
        np.savez(file, lengths=np.array([len(each[1]) for each in spoken]), samples=samples, hz=hz)


@contextmanager
def whole(path: Path) -> Iterator[IO[bytes]]:
    """A file that gets its name when everything is in it."""
    part = path.with_name(path.name + ".part")
    with part.open("wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


if __name__ == "__main__":
    main()
