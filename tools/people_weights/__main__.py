"""Fit the weights by which voxmatrix tells who speaks in English books, or measure how well it does.

    python -m tools.people_weights fit LITBANK          writes app/voxmatrix/tables/people_weights.toml
    python -m tools.people_weights validate LITBANK     folds of LitBank that were left out, with priors and thresholds
    python -m tools.people_weights measure PDNC         the novels that nobody looked at while the rules were written

LITBANK and PDNC are folders with the repositories dbamman/litbank and Priya22/project-dialogism-novel-corpus.
"""

import argparse
from pathlib import Path

from tools.people_weights import figures, litbank, pdnc
from tools.people_weights.fit import Prior, fit
from tools.people_weights.labels import LabelledTurn, labelled_turns
from tools.people_weights.table import table
from voxmatrix.tables import rows

#: The most probable one of left-out folds (`validate`).
PRIOR = Prior(by_kind=0.2, other=1.0)
_PRIORS = [Prior(by_kind, other) for by_kind in (0.1, 0.2, 0.4) for other in (0.2, 1.0, 4.0)]
#: Works of LitBank, by their numbers, that are among the novels by which speakers are measured.
_MEASURED = frozenset(["45", "105", "160", "174", "208", "541", "1245", "1695", "2641"])


def main() -> None:
    """Run the command that is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["fit", "validate", "measure"])
    parser.add_argument("folder", type=Path)
    args = parser.parse_args()
    if args.command == "measure":
        _measure(args.folder)
        return
    works = _turns(args.folder)
    if args.command == "fit":
        path = Path(rows.__file__).with_name("people_weights.toml")
        path.write_text(table(fit(works, PRIOR)), encoding="utf-8", newline="\n")
        return
    for prior in _PRIORS:
        print(prior, figures.of_folds(works, prior).told())


def _turns(folder: Path) -> list[list[LabelledTurn]]:
    """The turns of LitBank, without the works that are measured."""
    names = [name for name in litbank.works(folder) if name.split("_")[0] not in _MEASURED]
    return [labelled_turns(litbank.read(folder, name)) for name in names]


def _measure(folder: Path) -> None:
    found = []
    for novel in pdnc.novels(folder):
        if novel not in pdnc.SEEN:
            results = pdnc.measure(folder, novel)
            print(f"{novel:28}", figures.of_results(results))
            found += results
    print(f"{'all':28}", figures.of_results(found))


if __name__ == "__main__":
    main()
