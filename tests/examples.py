"""How many examples hypothesis tries. A test process that imports no conftest has the same profiles."""

import os

from hypothesis import settings

# No deadlines: a slow computer is no defect. The rest is inherited from the profile that hypothesis chooses: on CI
# systems, the same examples in every run.
settings.register_profile("full", deadline=None, max_examples=100)
settings.register_profile("ci", deadline=None, max_examples=25)
settings.load_profile(os.environ.get("VOXMATRIX_HYPOTHESIS") or "ci")


def examples(number: int) -> int:
    """This number in the profile `full`, a part of it in others."""
    return max(1, number * settings().max_examples // settings.get_profile("full").max_examples)
