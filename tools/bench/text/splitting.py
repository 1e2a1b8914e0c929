"""Sentence splitting on public rules: in how many the sentences are those expected."""

import json
import sys
from pathlib import Path
from typing import Any

from tools.bench.text.peers import ours, pipers, voice_of
from voxmatrix.text.sentences import split


def figures(file: Path) -> dict[str, Any]:
    """Compare each rule of a file of JSON lines with `language`, `text` and `sentences`."""
    rules = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    languages = sorted({rule["language"] for rule in rules})
    return {language: _compared([rule for rule in rules if rule["language"] == language]) for language in languages}


def _compared(rules: list[dict[str, Any]]) -> dict[str, int]:
    alone = whole = in_piper = 0
    for rule in rules:
        text, language, expected = rule["text"], rule["language"], rule["sentences"]
        alone += [_dense(sentence) for sentence in split(text, voice_of(language))] == [_dense(one) for one in expected]
        found = [_dense(words) for words, _ in ours(text, language)]
        whole_sentences = ["".join(words for words, _ in ours(sentence, language)) for sentence in expected]
        if found and found == [_dense(words) for words in whole_sentences if words]:  # a line of dashes is silent
            whole += 1
        else:
            print(f"  {language}: {found}, not {expected}", file=sys.stderr)
        in_piper += pipers(text, language) == ["".join(pipers(sentence, language)) for sentence in expected]
    return {"rules": len(rules), "splitter_alone": alone, "whole_front_end": whole, "piper": in_piper}


def _dense(text: str) -> str:
    return "".join(text.split())
