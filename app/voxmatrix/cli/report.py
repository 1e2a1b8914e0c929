"""`voxmatrix report RUN`: how a training goes, in the terminal or as one HTML file."""

from pathlib import Path
from typing import Annotated

import typer

from voxmatrix.cli.parameters import options
from voxmatrix.cli.terminal.messages import echo, print_json, shown
from voxmatrix.errors import UsageError

_Run = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a training run.", show_default=False)]
_Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="Also write it as HTML: curves, samples to hear, settings, advice."),
]


def command(run: _Run, out: _Out = None, force: options.Force = False, as_json: options.AsJson = False) -> None:
    """Show the curves, samples and settings of a training, also while it runs, and what to do otherwise."""
    from voxmatrix.files import check_not_folder, write_text
    from voxmatrix.train.run_report import lines, read_run

    if out is not None:
        check_not_folder(out)
        if out.exists() and not force:
            raise UsageError(f"{out} already exists", "add `force` to overwrite it, or choose another name")
    report = read_run(run)
    if out is not None:
        from voxmatrix.train.report_page import report_page

        write_text(out, report_page(report))
    if as_json:
        print_json({**report.to_json(), "out": None if out is None else str(out)})
        return
    for line in lines(report):
        echo(shown(line))
    if out is None:
        echo(f"  → as a page, with the samples: voxmatrix report {run} --out report.html", err=True)
    else:
        echo(f"{out}: open it in a browser", err=True)
