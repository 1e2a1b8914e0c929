"""Make the recordings under samples/ with free synthesizers, or a corpus of any length to train a voice from.

    python tools/make_samples.py samples                            samples/en and samples/sv, again
    python tools/make_samples.py corpus --hours 1.2 --out DIR       speech to train from, not kept in the repository

Needs the programs flite (voice slt) and espeak-ng: `sudo apt-get install flite espeak-ng`. The same programs give the
same bytes: only the corpus is drawn by chance, from a fixed seed.
"""

import argparse
import random
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import soundfile

from voxmatrix.errors import MissingProgramError, VoxmatrixError
from voxmatrix.files import replacing, write_text
from voxmatrix.text.normalisation.normalise import normalise

SAMPLES = Path(__file__).resolve().parent.parent / "samples"
#: The first eight of the 72 Harvard lists are spoken for the repository, all of them for a corpus.
ENGLISH_SENTENCES = 80
SEED = 1969
BATCH = 200

Speaker = Callable[[str, Path], list[str]]


def main() -> int:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("samples", help="make samples/en and samples/sv again")
    corpus = commands.add_parser("corpus", help="make speech to train from")
    corpus.add_argument("--hours", type=float, default=1.2)
    corpus.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    try:
        require_programs()
        if arguments.command == "samples":
            make_samples()
        else:
            make_corpus(arguments.out, arguments.hours)
    except VoxmatrixError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


def require_programs() -> None:
    """Refuse to begin without the synthesizers."""
    missing = [program for program in ("flite", "espeak-ng") if shutil.which(program) is None]
    if missing:
        line = f"sudo apt-get install {' '.join(missing)}"
        raise MissingProgramError(f"not installed: {', '.join(missing)}", f"type:  {line}")


def make_samples() -> None:
    """Speak the two sets of the repository."""
    sets: dict[str, Speaker] = {"en": flite, "sv": espeak_swedish}
    for language, speaker in sets.items():
        folder = SAMPLES / language
        texts = {f"{language}-{number:02d}": text for number, text in enumerate(sentences(language), start=1)}
        seconds = record(folder, texts, speaker)
        write_metadata(folder, texts)
        print(f"{folder}: {len(texts)} recordings, {seconds / 60:.1f} minutes")


def make_corpus(out: Path, hours: float) -> None:
    """English speech of at least so many hours: every Harvard sentence, then sentences of the grammar."""
    written = corpus_sentences()
    texts: dict[str, str] = {}
    seconds = 0.0
    while seconds < hours * 3600:
        first = len(texts) + 1
        batch = {f"c{first + number:05d}": text for number, text in enumerate(islice(written, BATCH))}
        seconds += record(out, batch, flite)
        texts |= batch
        write_metadata(out, texts)
        print(f"{out}: {len(texts)} recordings, {seconds / 3600:.2f} hours", flush=True)


def sentences(language: str) -> list[str]:
    """The sentences that the repository's set of this language speaks."""
    return (SAMPLES / language / "sentences.txt").read_text(encoding="utf-8").splitlines()[:ENGLISH_SENTENCES]


def corpus_sentences() -> Iterator[str]:
    """Sentences without end, each once, with numbers in words: a transcript says what is heard."""
    yield from (SAMPLES / "en" / "sentences.txt").read_text(encoding="utf-8").splitlines()
    grammar = tomllib.loads((SAMPLES / "en" / "grammar.toml").read_text(encoding="utf-8"))
    yield from grammar["phrases"]
    chance = random.Random(SEED)
    seen: set[str] = set()
    while True:
        text = normalise(made_up(chance, grammar["templates"], grammar["words"]), "en-us")
        if text not in seen:
            seen.add(text)
            yield text


def made_up(chance: random.Random, templates: list[str], words: dict[str, list[str]]) -> str:
    """One sentence: a template with a word drawn for each {slot}; {Slot} begins with a capital."""

    def word(match: re.Match[str]) -> str:
        slot = match.group(1)
        with_article = slot.startswith("article_")
        name = slot.removeprefix("article_").lower()
        drawn = _number(chance, name) if name in _NUMBERS else chance.choice(words[name])
        if with_article:
            vowel = drawn[0] in "aeiou" and not drawn.startswith(("eu", "uni", "use"))
            drawn = f"{'an' if vowel else 'a'} {drawn}"
        return drawn[0].upper() + drawn[1:] if slot[0].isupper() else drawn

    text = re.sub(r"\{(\w+)\}", word, chance.choice(templates))
    return text[0].upper() + text[1:]


_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_NUMBERS = ("number", "year", "price", "time", "date")


def _number(chance: random.Random, kind: str) -> str:
    """A number as it is written, of one of the kinds that a sentence can hold."""
    year, hour = chance.randint(1100, 2050), chance.randint(1, 12)
    return {
        "number": f"{chance.choice((chance.randint(2, 19), chance.randint(20, 99), chance.randint(100, 9999)))}",
        "year": f"{year}",
        "price": f"${chance.randint(2, 99)}.{chance.randint(1, 99):02d}",
        "time": f"{hour}:{chance.choice((0, 5, 10, 15, 20, 30, 45)):02d}",
        "date": f"{chance.choice(_MONTHS)} {chance.randint(1, 28)}, {year}",
    }[kind]


def record(folder: Path, texts: dict[str, str], speaker: Speaker) -> float:
    """Speak each text into FOLDER/wavs/ID.flac; the seconds of them all."""

    def speak(item: tuple[str, str]) -> float:
        name, text = item
        with tempfile.TemporaryDirectory() as scratch:
            wave = Path(scratch, "speech.wav")
            subprocess.run(speaker(text, wave), check=True, capture_output=True)
            samples, rate_hz = soundfile.read(wave, dtype="int16")
        with replacing(folder / "wavs" / f"{name}.flac") as file:
            soundfile.write(file, samples, rate_hz, format="FLAC", subtype="PCM_16")
        return float(len(samples) / rate_hz)

    with ThreadPoolExecutor() as pool:
        return sum(pool.map(speak, texts.items()))


def write_metadata(folder: Path, texts: dict[str, str]) -> None:
    """FOLDER/metadata.csv: a line `id|text` for each recording."""
    write_text(folder / "metadata.csv", "".join(f"{name}|{text}\n" for name, text in texts.items()))


def flite(text: str, wave: Path) -> list[str]:
    """The command that speaks English at 16 kHz."""
    return ["flite", "-voice", "slt", "-t", text, "-o", str(wave)]


def espeak_swedish(text: str, wave: Path) -> list[str]:
    """The command that speaks Swedish at 22.05 kHz."""
    return ["espeak-ng", "-v", "sv", "-s", "150", "-w", str(wave), "--", text]


if __name__ == "__main__":
    sys.exit(main())
