"""What a person should know, beside what a command prints: to standard error, with the line that mends it."""

import typer

from voxmatrix.errors import Finding


def warn(finding: Finding) -> None:
    """Print it; standard output stays what programs read."""
    typer.echo(f"{finding.severity}: {finding.problem}\n  → {finding.remedy}", err=True)
