"""Readings of NeMo-text-processing's test cases in the languages with a table, also by another checkout.

The cases are those of `tests/nemo_text_processing/LANGUAGE/data_text_normalization` in that repository
(Apache-2.0), which is fetched and not kept here. A case is right if its letters are those expected, or espeak-ng says
the same sounds.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tools.bench.text.normalisation import Case, folded
from tools.bench.text.peers import sounds, voice_of
from voxmatrix.text.normalisation.language import WITH_TABLE

ROOT = Path(__file__).resolve().parents[3]
#: Their files have what is spoken before what is written.
_SPOKEN_FIRST = frozenset({"de"})
#: Reads [[language, text] …] and prints the words of each; run with the app of a checkout.
_READ = (
    "import json, sys\n"
    "from voxmatrix.text.spoken import spoken_sentences\n"
    "print(json.dumps([' '.join(sentence.text for sentence in spoken_sentences(text, language))\n"
    "                  for language, text in json.load(sys.stdin)]))\n"
)


def figures(folder: Path, beside: Path | None = None) -> dict[str, Any]:
    """How many cases of each language and class are read as expected, by this checkout and by the one beside it."""
    cases = [case for language in WITH_TABLE for case in nemo_cases(folder, language)]
    counted = {"cases": Counter(_key(case) for case in cases), "right": _right(cases, _words(cases, ROOT))}
    if beside is not None:
        counted["right_beside"] = _right(cases, _words(cases, beside))
    keys = sorted(counted["cases"])
    languages = sorted({language for language, _ in keys})
    return {
        language: {
            kind: {name: counts[language, kind] for name, counts in counted.items()}
            for of, kind in keys
            if of == language
        }
        | {"all": {name: _sum(counts, language) for name, counts in counted.items()}}
        for language in languages
    }


def nemo_cases(folder: Path, language: str) -> Iterator[Case]:
    """The cases of a language; none if the folder has not got it."""
    for file in sorted((folder / language / "data_text_normalization").glob("test_cases_*.txt")):
        kind = file.stem.removeprefix("test_cases_")
        text = file.read_text(encoding="utf-8")
        blocks = (
            _blocks(text) if "with_audio" in kind else (line.split("~") for line in text.splitlines() if "~" in line)
        )
        for parts in blocks:
            turned = language in _SPOKEN_FIRST and "with_audio" not in kind
            written, *spoken = [parts[-1], parts[0]] if turned else parts
            if written.strip():
                yield Case(language, kind, written, spoken)


def _blocks(text: str) -> Iterator[list[str]]:
    """`~written`, and a line for each way to say it."""
    for block in text.split("\n~"):
        written, *spoken = block.lstrip("~").splitlines()
        if spoken:
            yield [written, *filter(None, spoken)]


def _key(case: Case) -> tuple[str, str]:
    return case.language, case.kind


def _sum(counts: Counter[tuple[str, str]], language: str) -> int:
    return sum(count for (of, _), count in counts.items() if of == language)


def _words(cases: Iterable[Case], checkout: Path) -> list[str]:
    texts = [[voice_of(case.language), case.written] for case in cases]
    done = subprocess.run(
        [sys.executable, "-c", _READ],
        input=json.dumps(texts),
        env={**os.environ, "PYTHONPATH": f"{checkout / 'app'}{os.pathsep}{checkout / 'entrypoint'}"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    words: list[str] = json.loads(done.stdout)
    return words


def _right(cases: Sequence[Case], words: Sequence[str]) -> Counter[tuple[str, str]]:
    return Counter(_key(case) for case, said in zip(cases, words, strict=True) if _is_right(case, said))


def _is_right(case: Case, words: str) -> bool:
    if folded(words) in map(folded, case.spoken):
        return True
    return sounds(words, case.language) in [sounds(spoken, case.language) for spoken in case.spoken]
