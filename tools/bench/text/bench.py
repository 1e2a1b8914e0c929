"""Compare the text front end with Piper's: normalisation and sentence splitting on public test sets, and speed.

The test sets are not part of the repository. `--data DIR` names the folder that has `normalisation.tsv` and
`sentences.jsonl`; without it only the speed is measured. Cases that are read differently are listed on standard error.
Prints one JSON object.
"""

import argparse
import json
from pathlib import Path

from tools.bench.text import normalisation, speed, splitting


def main() -> None:
    """Measure and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder with the test sets")
    folder = parser.parse_args().data
    figures = {}
    if folder is not None:
        figures["normalisation"] = normalisation.figures(folder / "normalisation.tsv")
        figures["splitting"] = splitting.figures(folder / "sentences.jsonl")
    print(json.dumps({**figures, "phonemes": speed.figures()}))


if __name__ == "__main__":
    main()
