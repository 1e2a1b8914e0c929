"""Compare the text front end with Piper's: normalisation and sentence splitting on public test sets, and speed.

The test sets are not part of the repository. `--data DIR` names the folder that has `normalisation.tsv` and
`sentences.jsonl`, `--nemo DIR` the folder `tests/nemo_text_processing` of NeMo-text-processing, whose cases another
checkout reads as well (`--beside DIR`); without them only the speed is measured. Cases that are read differently are
listed on standard error. Prints one JSON object.
"""

import argparse
import json
from pathlib import Path

from tools.bench.text import normalisation, readings, speed, splitting


def main() -> None:
    """Measure and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder with the test sets")
    parser.add_argument("--nemo", type=Path, metavar="DIR", help="folder with NeMo's test cases")
    parser.add_argument("--beside", type=Path, metavar="DIR", help="another checkout, which reads NeMo's cases as well")
    given = parser.parse_args()
    figures = {}
    if given.data is not None:
        figures["normalisation"] = normalisation.figures(given.data / "normalisation.tsv")
        figures["splitting"] = splitting.figures(given.data / "sentences.jsonl")
    if given.nemo is not None:
        figures["readings"] = readings.figures(given.nemo, given.beside)
    print(json.dumps({**figures, "phonemes": speed.figures()}))


if __name__ == "__main__":
    main()
