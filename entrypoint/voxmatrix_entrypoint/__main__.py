"""`voxmatrix`, `python -m voxmatrix_entrypoint` and `docker run IMAGE`: patch, check, launch."""

import sys

from voxmatrix_entrypoint import launch


def main() -> None:
    """Run the command line and exit with its exit code."""
    sys.exit(launch.launch(sys.argv[1:]))


if __name__ == "__main__":
    main()
