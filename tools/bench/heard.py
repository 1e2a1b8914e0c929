"""How well a recogniser understands a voice, beside the synthesizer that it learned from, sentence by sentence.

Word errors by pocketsphinx with the model of general English that comes with it. It does not understand everybody, nor
flite: what counts is the ratio. The sentences are new to the voice. Prints one JSON object.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import soundfile
import soxr

ROOT = Path(__file__).resolve().parent.parent.parent
RATE_HZ = 16000
#: Plain words in sentences that no corpus of tools/make_samples.py holds.
SENTENCES = (
    "The children walked along the river after school.",
    "She opened the window and looked at the garden.",
    "We bought some bread and milk at the market.",
    "He told his brother about the old house.",
    "It was raining when the train left the station.",
    "My father reads the newspaper in the morning.",
    "They waited for the bus in front of the church.",
    "The doctor said that she would call again.",
    "Please close the door before you go to bed.",
    "A small dog was sleeping under the table.",
    "There are many people in the street today.",
    "I would like to know what happened last night.",
    "The teacher wrote a letter to the president.",
    "You can see the mountains from the kitchen.",
    "Nobody remembered the name of the hotel.",
    "The water in the lake was cold and clear.",
    "Our friends will arrive on the first of March.",
    "He put the money back into his pocket.",
    "The music was too loud for the neighbors.",
    "She has been working here for twenty years.",
)


def main() -> None:
    """Let the recogniser hear both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--voice", help="an ONNX with its JSON; none: the one that comes along")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="voxmatrix-bench-") as name:
        out = Path(name) / "heard.wav"
        ours = wrong_words(lambda text: speak(text, asked.voice, out))
        theirs = wrong_words(lambda text: flite(text, out))
    words = sum(len(words_of(text)) for text in SENTENCES)
    print(
        json.dumps(
            {
                "setting": f"{len(SENTENCES)} sentences, {words} words",
                "voice_word_error_rate": round(ours / words, 3),
                "flite_word_error_rate": round(theirs / words, 3),
                "ratio": round(ours / theirs, 2) if theirs else None,
            }
        )
    )


def wrong_words(spoken: Callable[[str], Path]) -> int:
    """Words that were heard wrongly, left out or added."""
    import jiwer

    wrong = 0
    for text in SENTENCES:
        said, understood = " ".join(words_of(text)), " ".join(words_of(recognised(spoken(text))))
        found = jiwer.process_words(said, understood)
        errors = found.substitutions + found.deletions + found.insertions
        print(f"  {errors:2} wrong: {text} → {understood}", file=sys.stderr, flush=True)
        wrong += errors
    return wrong


def speak(text: str, voice: str | None, out: Path) -> Path:
    """Our command line, the same sound every time."""
    words = ["speak", "--text", text, "--out", str(out), "--seed", "1", "--force"]
    words += ["--voice", voice] if voice else []
    subprocess.run(
        [sys.executable, "-m", "voxmatrix_entrypoint", *words], cwd=ROOT, stdout=subprocess.DEVNULL, check=True
    )
    return out


def flite(text: str, out: Path) -> Path:
    """The voice that tools/make_samples.py records."""
    subprocess.run(["flite", "-voice", "slt", "-t", text, "-o", str(out)], check=True)
    return out


def recognised(path: Path) -> str:
    """What pocketsphinx understands, with a little silence before and after."""
    from pocketsphinx import Decoder

    samples, rate_hz = soundfile.read(path, dtype="float32")
    heard = np.pad(soxr.resample(samples, rate_hz, RATE_HZ), RATE_HZ // 5)
    decoder = Decoder(samprate=RATE_HZ, loglevel="FATAL")
    decoder.start_utt()
    decoder.process_raw((np.clip(heard, -1, 1) * 32767).astype(np.int16).tobytes(), full_utt=True)
    decoder.end_utt()
    hypothesis = decoder.hyp()
    return str(hypothesis.hypstr) if hypothesis else ""


def words_of(text: str) -> list[str]:
    """The words alone."""
    return re.findall(r"[a-z']+", text.lower())


if __name__ == "__main__":
    main()
