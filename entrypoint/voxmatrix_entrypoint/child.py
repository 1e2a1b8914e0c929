"""`python -m voxmatrix_entrypoint.child MODULE WORDS…`: patch, then run the module, as `python -m MODULE WORDS…` would.

The app starts processes of its own this way; a person can start a program that needs the patches.
"""

import runpy
import sys

from voxmatrix.errors import UsageError
from voxmatrix_entrypoint import log, patches


def main() -> None:
    """Run the module of the first word with the others."""
    try:
        patches.install()
        if len(sys.argv) == 1:
            raise UsageError("no module is named", "python -m voxmatrix_entrypoint.child MODULE WORDS…")
    except UsageError as error:
        log.say(f"{error.problem}\n  → {error.remedy}")
        sys.exit(error.exit_code)
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
