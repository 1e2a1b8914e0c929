"""Make the recordings in samples/ with free synthesizers, or a corpus of any length to train a voice.

    python tools/make_samples.py samples                            remake samples/en and samples/sv
    python tools/make_samples.py corpus --hours 1.2 --out DIR       make training data, not kept in the repository

A voice that reads characters learns how words are spoken from the words of its corpus, and the sentences here have
some 2,500. `--words /usr/share/dict/scowl/english-words.{10,20,35}` adds sequences of random words: the order makes no
sense, but each word is spoken as in flite's dictionary. A file that is named twice is drawn from twice as often.

Needs the programs flite (voice slt) and espeak-ng: `sudo apt-get install flite espeak-ng` (`scowl` has word lists).
The output is reproducible with the same versions of these programs: the random sentences come from a fixed seed.
"""

import argparse
import random
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import soundfile

from voxmatrix.errors import BadInputError, MissingProgramError, VoxmatrixError
from voxmatrix.files import replacing, write_text
from voxmatrix.text.normalisation.normalise import normalise
from voxmatrix.text.prompts import sentence_list

SAMPLES = Path(__file__).resolve().parent.parent / "samples"
#: samples/en has the first eight of the 72 Harvard lists; a corpus has all of them.
ENGLISH_SENTENCES = 80
SEED = 1969
BATCH = 200

Speaker = Callable[[str, Path], list[str]]


def main() -> int:
    """Run the command; the result is the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("samples", help="remake samples/en and samples/sv")
    corpus = commands.add_parser("corpus", help="make training data")
    corpus.add_argument("--hours", type=float, default=1.2)
    corpus.add_argument("--out", type=Path, required=True)
    corpus.add_argument("--words", type=Path, nargs="+", default=[], help="word lists, one word per line")
    arguments = parser.parse_args()
    try:
        require_programs()
        if arguments.command == "samples":
            make_samples()
        else:
            make_corpus(arguments.out, arguments.hours, [word_list(path) for path in arguments.words])
    except VoxmatrixError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


def require_programs() -> None:
    """Check that the synthesizers are installed.

    Raises:
        MissingProgramError: flite or espeak-ng is not installed.
    """
    missing = [program for program in ("flite", "espeak-ng") if shutil.which(program) is None]
    if missing:
        line = f"sudo apt-get install {' '.join(missing)}"
        raise MissingProgramError(f"not installed: {', '.join(missing)}", f"run:  {line}")


def make_samples() -> None:
    """Speak the two sample sets of the repository."""
    sets: dict[str, Speaker] = {"en": flite, "sv": espeak_swedish}
    for language, speaker in sets.items():
        folder = SAMPLES / language
        texts = {f"{language}-{number:02d}": text for number, text in enumerate(sentences(language), start=1)}
        seconds = record(folder, texts, speaker)
        write_metadata(folder, texts)
        print(f"{folder}: {len(texts)} recordings, {seconds / 60:.1f} minutes")


def make_corpus(out: Path, hours: float, word_lists: Sequence[Sequence[str]] = ()) -> None:
    """Speak at least `hours` of English: every Harvard sentence, then ones from the grammar and of random words."""
    texts_left = corpus_sentences(word_lists)
    texts: dict[str, str] = {}
    seconds = 0.0
    while seconds < hours * 3600:
        first = len(texts) + 1
        batch = {f"c{first + number:05d}": text for number, text in enumerate(islice(texts_left, BATCH))}
        seconds += record(out, batch, flite)
        texts |= batch
        write_metadata(out, texts)
        print(f"{out}: {len(texts)} recordings, {seconds / 3600:.2f} hours", flush=True)


def sentences(language: str) -> list[str]:
    """The sentences of the sample set of a language."""
    if language == "en":
        return list(sentence_list("harvard")[:ENGLISH_SENTENCES])
    return (SAMPLES / language / "sentences.txt").read_text(encoding="utf-8").splitlines()


def word_list(path: Path) -> list[str]:
    """The words of a file with one per line. Those with other letters than a to z are left out.

    Raises:
        BadInputError: the file cannot be read, or has no such word.
    """
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").split()
    except OSError as error:
        raise BadInputError(f"{path}: {error.strerror}", "choose a list of words") from error
    words = [word for word in lines if re.fullmatch(r"[a-z]+('[a-z]+)?", word) and (len(word) > 1 or word == "a")]
    if not words:
        raise BadInputError(f"{path} has no words of the letters a to z", "choose a list with one word per line")
    return words


def corpus_sentences(word_lists: Sequence[Sequence[str]] = ()) -> Iterator[str]:
    """An endless stream of distinct sentences. Numbers are spelled out, so that the transcript matches the speech.

    With word lists, two of three sentences are random words.
    """
    yield from sentence_list("harvard")
    grammar = tomllib.loads((SAMPLES / "en" / "grammar.toml").read_text(encoding="utf-8"))
    yield from grammar["phrases"]
    rng = random.Random(SEED)
    seen: set[str] = set()
    while True:
        if word_lists and rng.random() < 2 / 3:
            text = random_words(rng, grammar["common_words"], word_lists)
        else:
            text = normalise(made_up(rng, grammar["templates"], grammar["words"]), "en-us")
        if text not in seen:
            seen.add(text)
            yield text


def made_up(rng: random.Random, templates: list[str], words: dict[str, list[str]]) -> str:
    """A random sentence: a template with a random word in each {slot}; {Slot} is capitalised."""

    def word(match: re.Match[str]) -> str:
        slot = match.group(1)
        with_article = slot.startswith("article_")
        name = slot.removeprefix("article_").lower()
        drawn = _number(rng, name) if name in _NUMBERS else rng.choice(words[name])
        if with_article:
            vowel = drawn[0] in "aeiou" and not drawn.startswith(("eu", "uni", "use"))
            drawn = f"{'an' if vowel else 'a'} {drawn}"
        return drawn[0].upper() + drawn[1:] if slot[0].isupper() else drawn

    text = re.sub(r"\{(\w+)\}", word, rng.choice(templates))
    return text[0].upper() + text[1:]


def random_words(rng: random.Random, common_words: Sequence[str], word_lists: Sequence[Sequence[str]]) -> str:
    """Three to six words of the lists with common words between them."""
    words: list[str] = []
    for _ in range(rng.randint(3, 6)):
        if rng.random() < 0.6:
            words.append(rng.choice(common_words))
        words.append(rng.choice(rng.choice(word_lists)))
    text = " ".join(words)
    return text[0].upper() + text[1:] + rng.choice("....?!")


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


def _number(rng: random.Random, kind: str) -> str:
    """A random number in digits, of one of the kinds in _NUMBERS."""
    year, hour = rng.randint(1100, 2050), rng.randint(1, 12)
    return {
        "number": f"{rng.choice((rng.randint(2, 19), rng.randint(20, 99), rng.randint(100, 9999)))}",
        "year": f"{year}",
        "price": f"${rng.randint(2, 99)}.{rng.randint(1, 99):02d}",
        "time": f"{hour}:{rng.choice((0, 5, 10, 15, 20, 30, 45)):02d}",
        "date": f"{rng.choice(_MONTHS)} {rng.randint(1, 28)}, {year}",
    }[kind]


def record(folder: Path, texts: dict[str, str], speaker: Speaker) -> float:
    """Speak each text to FOLDER/wavs/ID.flac and return the total seconds."""

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
    """Write FOLDER/metadata.csv: a line `id|text` for each recording."""
    write_text(folder / "metadata.csv", "".join(f"{name}|{text}\n" for name, text in texts.items()))


def flite(text: str, wave: Path) -> list[str]:
    """The flite command for an English text; 16 kHz."""
    return ["flite", "-voice", "slt", "-t", text, "-o", str(wave)]


def espeak_swedish(text: str, wave: Path) -> list[str]:
    """The espeak-ng command for a Swedish text; 22.05 kHz."""
    return ["espeak-ng", "-v", "sv", "-s", "150", "-w", str(wave), "--", text]


if __name__ == "__main__":
    sys.exit(main())
