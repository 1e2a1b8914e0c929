"""Sentences of every language with a table, and how a person of that language says them."""

import csv
from pathlib import Path

with (Path(__file__).parent / "data" / "languages.tsv").open(encoding="utf-8", newline="") as opened:
    #: The language, the sentence, and what is said; of several ways, each behind a ~.
    SENTENCES = list(csv.reader(opened, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
