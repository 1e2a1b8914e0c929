"""Warnings on standard error, each with its remedy."""

import typer

from voxmatrix.errors import Finding


def warn(finding: Finding) -> None:
    """Print a finding to standard error: standard output is for results."""
    typer.echo(f"{finding.severity}: {finding.problem}\n  → {finding.remedy}", err=True)
