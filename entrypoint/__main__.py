"""`voxmatrix`, `python -m entrypoint` and `docker run IMAGE`: patch, then launch."""

import sys

from entrypoint import launch, patches


def main() -> None:
    """Run the words of the command line and exit with their code."""
    patches.install()
    sys.exit(launch.launch(sys.argv[1:]))


if __name__ == "__main__":
    main()
