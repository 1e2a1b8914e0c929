"""Build the image of a row with flash-attn: `python -m tools.images.flash ROW`, run by `./run flash-ROW`."""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace

from tools.images.building import Flash, command, this_build
from tools.images.flash_archs import KNOWN
from tools.images.rows import ROOT, Row, rows

#: The head sizes that flash-attn's setup.py can compile.
HEAD_SIZES = (32, 64, 96, 128, 192, 256)


def main(argv: Sequence[str]) -> int:
    """Build the image; the exit code is Docker's."""
    args = _parser().parse_args(argv)
    row = rows()[args.row]
    build = replace(this_build(row), flash=flash(row, args.archs, args.head_sizes))
    return subprocess.run([*command(row, build), "--progress", "plain"], cwd=ROOT, check=False).returncode


def flash(row: Row, archs: Sequence[int], head_sizes: Sequence[int]) -> Flash:
    """What to compile; by default all architectures that the row promises, and all head sizes."""
    return Flash(
        archs=";".join(str(arch) for arch in sorted(set(archs))) or row.flash_archs,
        head_sizes=tuple(sorted(set(head_sizes))),
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="./run flash-ROW --", description="Compile flash-attn into an image.")
    parser.add_argument("row", choices=[row.name for row in rows().values() if row.flash_attn], metavar="ROW")
    parser.add_argument(
        "--archs",
        type=int,
        nargs="+",
        default=(),
        choices=KNOWN,
        help="architectures such as 120 (default: those of the row)",
    )
    parser.add_argument(
        "--head-sizes", type=int, nargs="+", default=(), choices=HEAD_SIZES,
        help="head sizes (default: all)",
    )  # fmt: skip
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
