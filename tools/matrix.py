"""The images of docker/images.toml for people and programs: `tools/matrix.py WORD`. Standard library only.

    list                 the images, one a line (--json: every field of every row)
    command ROW          the line that builds an image from here
    bake [ROW …]         all of them for `docker buildx bake -f -`
    ci                   a matrix of jobs, as GitHub reads it
    readme               README's table of the images; --write puts it there
    app                  app/voxmatrix/tables/images.toml, what the app knows of the images; --write puts it there
    recommend            the image for a computer: this one, --capability and --driver, or --machine FILE.json

(Bakes before 0.14 ignore `network` in a file, and newer ones ask before they read a secret: `./run build-ROW` uses the
command.)
"""

import argparse
import json
import os
import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "app"))  # nothing need be installed
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # `python3 tools/matrix.py` sees only tools/

from tools import bakefile, derived, recommend
from tools.building import Build, arguments, command, labels, this_build
from tools.rows import ROOT, TABLE, MatrixError, Row, read, rows

__all__ = ["ROOT", "Build", "MatrixError", "Row", "arguments", "command", "labels", "main", "read", "rows"]


def main(words: list[str]) -> int:
    """Do what a word asks for; 2 when the table or the words are wrong."""
    asked = _parser().parse_args(words)
    try:
        do: Callable[[Mapping[str, Row], argparse.Namespace], None] = asked.do
        do(rows(), asked)
    except MatrixError as error:
        print(f"{TABLE.name}: {error}", file=sys.stderr)
        return 2
    except recommend.UsageError as error:
        print(f"recommend: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader, `head` say, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tools/matrix.py", description="The rows of docker/images.toml.")
    words = parser.add_subparsers(metavar="WORD", required=True)
    listing = words.add_parser("list", help="the images, one a line")
    listing.add_argument("--json", action="store_true", help="every field of every row")
    listing.set_defaults(do=_list)
    building = words.add_parser("command", help="the line that builds an image from here")
    building.add_argument("row", metavar="ROW")
    building.set_defaults(do=_command)
    baking = words.add_parser("bake", help="JSON for `docker buildx bake -f -`")
    baking.add_argument("rows", metavar="ROW", nargs="*")
    baking.set_defaults(do=_bake)
    words.add_parser("ci", help="a matrix of jobs as JSON, as GitHub reads it").set_defaults(do=_ci)
    for name, text in (("readme", "README's table of the images"), ("app", "what the app knows of the images")):
        writing = words.add_parser(name, help=text)
        writing.add_argument("--write", action="store_true", help="put it where it belongs")
        writing.set_defaults(do=_readme if name == "readme" else _app)
    advice = words.add_parser("recommend", help="the image for a computer, and why not the others")
    recommend.add_arguments(advice)
    advice.set_defaults(do=lambda table, asked: print(recommend.answer(asked)))
    return parser


def _list(table: Mapping[str, Row], asked: argparse.Namespace) -> None:
    if asked.json:
        print(json.dumps({name: asdict(row) for name, row in table.items()}, indent=2))
        return
    for row in table.values():
        cuda = f"CUDA {row.cuda}" if row.cuda else "no CUDA"
        print(f"{row.name:17} torch {row.torch:18} {cuda:9} Python {row.python}  {row.status:10} {row.dockerfile}")


def _command(table: Mapping[str, Row], asked: argparse.Namespace) -> None:
    row = _chosen(table, asked.row)
    print(shlex.join(command(row, this_build(row))))


def _bake(table: Mapping[str, Row], asked: argparse.Namespace) -> None:
    chosen = [_chosen(table, name) for name in asked.rows] or [row for row in table.values() if row.can_be_built]
    print(json.dumps(bakefile.bake(chosen, this_build), indent=2))


def _ci(table: Mapping[str, Row], asked: argparse.Namespace) -> None:
    print(json.dumps(bakefile.ci(table.values())))


def _readme(table: Mapping[str, Row], asked: argparse.Namespace) -> None:
    derived.write_readme(table.values()) if asked.write else print(derived.readme_table(table.values()), end="")


def _app(table: Mapping[str, Row], asked: argparse.Namespace) -> None:
    derived.write_app_table(table.values()) if asked.write else print(derived.app_table(table.values()), end="")


def _chosen(table: Mapping[str, Row], name: str) -> Row:
    if name not in table:
        raise MatrixError(f"no row is called {name}; there are {', '.join(table)}")
    if not table[name].can_be_built:
        raise MatrixError(f"[{name}] is built on Windows: docs/windows.md")
    return table[name]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
