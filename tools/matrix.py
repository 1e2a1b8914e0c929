"""The images of docker/images.toml, for people and programs: `tools/matrix.py COMMAND`. Standard library only.

    list                 list the images, one per line (--json: every field of every row)
    command ROW          print the command that builds an image from this checkout
    bake [ROW …]         print a bake file for `docker buildx bake -f -`
    ci [--release]       print a job matrix for GitHub Actions; for a release, every base must be pinned
    row [TORCH]          print the row for a torch such as cpu or cuda124; without one, the row for this computer
    recommend            recommend an image for a computer: this one, --capability and --driver, or --machine FILE.json

`./run build-ROW` uses the command and not the bake file: buildx before 0.14 ignores `network` in a bake file, and newer
versions prompt before reading a secret.
"""

import argparse
import json
import os
import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "app"))  # works without installing the app
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # `python3 tools/matrix.py` finds only tools/

from tools.images import bakefile, recommend, serving
from tools.images.building import Build, arguments, command, labels, this_build
from tools.images.rows import ROOT, TABLE, MatrixError, Row, read, rows

__all__ = ["ROOT", "Build", "MatrixError", "Row", "arguments", "command", "labels", "main", "read", "rows"]


def main(argv: list[str]) -> int:
    """Run a command. The exit code is 2 if the table or the arguments are invalid."""
    args = _parser().parse_args(argv)
    try:
        do: Callable[[Mapping[str, Row], argparse.Namespace], None] = args.do
        do(rows(), args)
    except MatrixError as error:
        print(f"{TABLE.name}: {error}", file=sys.stderr)
        return 2
    except recommend.UsageError as error:
        print(f"recommend: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader, such as `head`, has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tools/matrix.py", description="The rows of docker/images.toml.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    listing = commands.add_parser("list", help="list the images, one per line")
    listing.add_argument("--json", action="store_true", help="every field of every row, as JSON")
    listing.set_defaults(do=_list)
    building = commands.add_parser("command", help="print the command that builds an image from this checkout")
    building.add_argument("row", metavar="ROW")
    building.set_defaults(do=_command)
    baking = commands.add_parser("bake", help="print a bake file for `docker buildx bake -f -`")
    baking.add_argument("rows", metavar="ROW", nargs="*")
    baking.set_defaults(do=_bake)
    jobs = commands.add_parser("ci", help="print a job matrix for GitHub Actions")
    jobs.add_argument("--release", action="store_true", help="fail unless the base of every image is pinned")
    jobs.set_defaults(do=_ci)
    choosing = commands.add_parser("row", help="print the row for a torch such as cuda124, or for this computer")
    choosing.add_argument("torch", metavar="TORCH", nargs="?", default="")
    choosing.set_defaults(do=lambda table, args: print(_row(table, args.torch)))
    advice = commands.add_parser("recommend", help="recommend an image for a computer, with reasons")
    recommend.add_arguments(advice)
    advice.set_defaults(do=lambda table, args: print(recommend.answer(args)))
    return parser


def _list(table: Mapping[str, Row], args: argparse.Namespace) -> None:
    if args.json:
        print(json.dumps({name: asdict(row) for name, row in table.items()}, indent=2))
        return
    for row in table.values():
        cuda = f"CUDA {row.cuda}" if row.cuda else row.torch_build or "no CUDA"
        print(f"{row.name:17} torch {row.torch:18} {cuda:9} Python {row.python}  {row.status:10} {row.dockerfile}")


def _command(table: Mapping[str, Row], args: argparse.Namespace) -> None:
    row = _chosen(table, args.row)
    print(shlex.join(command(row, this_build(row))))


def _bake(table: Mapping[str, Row], args: argparse.Namespace) -> None:
    chosen = [_chosen(table, name) for name in args.rows] or [row for row in table.values() if row.can_be_built]
    print(json.dumps(bakefile.bake(chosen, this_build), indent=2))


def _ci(table: Mapping[str, Row], args: argparse.Namespace) -> None:
    matrix = bakefile.ci(table.values())
    unpinned = dict.fromkeys(job["row"] for job in matrix["include"] if not table[job["row"]].base_digest)
    if args.release and unpinned:
        raise MatrixError(
            f"{', '.join(unpinned)}: no base_digest, so a release could stand on another base than the one tested: "
            "run ./run lock -- bases, commit docker/images.toml, and tag again"
        )
    print(json.dumps(matrix))


def _row(table: Mapping[str, Row], torch: str) -> str:
    if not torch:
        return recommend.for_this_computer()
    build = torch.replace("cuda", "cu")
    for row in table.values():
        if row.name == torch or (row.torch_local == build and row.channel == "stable" and row.can_be_built):
            return row.name
    if (serves := serving.serving(table.values(), torch)) is not None:
        print(f"no row has the torch {torch}; {serves.name} serves its GPUs and drivers", file=sys.stderr)
        return serves.name
    known = ", ".join(dict.fromkeys(word for row in table.values() for word in (row.name, row.torch_local)))
    raise MatrixError(f"no row has the torch {torch}; there are {known}")


def _chosen(table: Mapping[str, Row], name: str) -> Row:
    if name not in table:
        raise MatrixError(f"no row is called {name}; there are {', '.join(table)}")
    if not table[name].can_be_built:
        raise MatrixError(f"[{name}] is built on Windows: docs/windows.md")
    return table[name]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
