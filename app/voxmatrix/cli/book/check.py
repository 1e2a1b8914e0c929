"""`voxmatrix book check`: what a shop would refuse of sound files, whatever made them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voxmatrix.cli.book.shop import shop_findings
from voxmatrix.cli.parameters import options
from voxmatrix.cli.terminal.messages import echo, print_json, warn
from voxmatrix.cli.terminal.progress import progress
from voxmatrix.errors import BadInputError
from voxmatrix.wording import pluralise, printable

if TYPE_CHECKING:
    from voxmatrix.book.shop.measure import Measured


def command(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Sound files, or folders of them.")],
    target: Annotated[str, typer.Option("--target", metavar="SHOP", help="The shop: acx.")] = "acx",
    as_json: options.AsJson = False,
) -> None:
    """Name what a shop would refuse of sound files, whatever program made them. Exit code 3: something."""
    from voxmatrix.book.shop.check import check_files, sound_files
    from voxmatrix.tables.shops import shop_named

    shop = shop_named(target)
    with progress("check", "files measured", as_json=as_json) as on_progress:
        report = check_files(sound_files(files), shop, on_progress)
    if as_json:
        print_json({**report.to_json(), "missing": report.missing})
    else:
        _print_table(report.files)
        for finding in shop_findings(report):
            warn(finding)
    refused = len({one.file for one in report.refused})
    total = pluralise(len(report.files), "file")
    if not refused:
        if not as_json:
            echo(f"{total}: all within the limits of {shop.title}")
        return
    if as_json:
        raise typer.Exit(BadInputError.exit_code)
    raise BadInputError(
        f"{shop.title} would refuse {refused} of {total}",
        f"correct them, or make them from the book: voxmatrix book BOOK --target {shop.name}",
    )


def _print_table(files: "tuple[Measured, ...]") -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("file", overflow="fold")
    for heading in ("min", "RMS", "peak", "floor", "head", "tail"):
        table.add_column(heading, justify="right", no_wrap=True)
    for one in files:
        levels = (one.rms_db, one.peak_db, one.floor_db, one.head_seconds, one.tail_seconds)
        table.add_row(printable(one.file.name), f"{one.seconds / 60:.1f}", *(f"{level:.2f}" for level in levels))
    Console(markup=False, highlight=False).print(table)
