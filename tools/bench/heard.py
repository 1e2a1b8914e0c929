"""Measure the intelligibility of a voice with a speech recogniser, compared with the synthesizer it was trained on.

The word error rate is that of pocketsphinx with its bundled model of general English. It makes errors with any speaker,
flite included: compare the ratio. The sentences are not in the training data. Prints one JSON object.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import soundfile

from voxmatrix.distil.acceptance import edits, spoken_words
from voxmatrix.distil.compare import recogniser

ROOT = Path(__file__).resolve().parent.parent.parent
#: Sentences of common words that are in no corpus of tools/make_samples.py.
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
    """Recognise both voices and print their word error rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--voice", help="an ONNX voice (default: the bundled voice)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="voxmatrix-bench-") as name:
        out = Path(name) / "heard.wav"
        ours = wrong_words(lambda text: speak(text, args.voice, out))
        theirs = wrong_words(lambda text: flite(text, out))
    words = sum(len(spoken_words(text)) for text in SENTENCES)
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
    """The number of substituted, deleted and inserted words over all sentences."""
    recognise = recogniser("en")
    if recognise is None:
        raise SystemExit("pocketsphinx is not installed: pip install --group bench")
    wrong = 0
    for text in SENTENCES:
        recognised = recognise(*soundfile.read(spoken(text), dtype="float32"))
        errors = edits(spoken_words(text), spoken_words(recognised))
        print(f"  {errors:2} wrong: {text} → {recognised}", file=sys.stderr, flush=True)
        wrong += errors
    return wrong


def speak(text: str, voice: str | None, out: Path) -> Path:
    """Speak with voxmatrix, with a fixed seed."""
    words = ["speak", "--text", text, "--out", str(out), "--seed", "1", "--force"]
    words += ["--voice", voice] if voice else []
    subprocess.run(
        [sys.executable, "-m", "voxmatrix_entrypoint", *words], cwd=ROOT, stdout=subprocess.DEVNULL, check=True
    )
    return out


def flite(text: str, out: Path) -> Path:
    """Speak with the synthesizer that tools/make_samples.py uses."""
    subprocess.run(["flite", "-voice", "slt", "-t", text, "-o", str(out)], check=True)
    return out


if __name__ == "__main__":
    main()
