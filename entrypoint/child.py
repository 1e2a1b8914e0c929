"""`python -m entrypoint.child MODULE WORDS…`: a process that the app starts for itself: patch, then run the module."""

import runpy
import sys

from entrypoint import patches


def main() -> None:
    """Run the module of the first word with the others, as `python -m` would."""
    patches.install()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
