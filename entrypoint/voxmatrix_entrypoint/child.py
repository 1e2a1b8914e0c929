"""`python -m voxmatrix_entrypoint.child MODULE ARGS…`: patch, then run the module like `python -m MODULE ARGS…`.

The app starts its child processes this way. Users can start any program that needs the patches.
"""

import runpy
import sys

from voxmatrix.errors import UsageError
from voxmatrix_entrypoint import log, patches


def main() -> None:
    """Run the module named by the first argument with the other arguments."""
    try:
        patches.install()
        if len(sys.argv) == 1:
            raise UsageError("no module was given", "run python -m voxmatrix_entrypoint.child MODULE ARGS…")
    except UsageError as error:
        log.write(f"{error.problem}\n  → {error.remedy}")
        sys.exit(error.exit_code)
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
