"""The table of weights as it is bundled."""

from collections.abc import Mapping

_HEAD = """\
# What speaks for a candidate of a turn, as logarithms: see voxmatrix.book.people.candidates. Written by
# `python -m tools.people_weights fit` from LitBank (David Bamman, Olivia Lewke and Anya Mansoor 2020, An Annotated
# Dataset of Coreference in English Literature, LREC; https://github.com/dbamman/litbank), which is licensed under
# CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/): figures were computed from its annotations, and nothing of
# its text is here. Features that are not here have the weight 0. Decision 56.
[weights]
"""


def table(weights: Mapping[str, float]) -> str:
    """The content of people_weights.toml."""
    return _HEAD + "".join(f'"{name}" = {weights[name]:.2f}\n' for name in sorted(weights))
