"""Warnings on standard error, each with its remedy."""

from voxmatrix.cli.terminal.problem import print_problem
from voxmatrix.errors import Finding


def warn(finding: Finding) -> None:
    """Print a finding to standard error: standard output is for results."""
    print_problem(finding.severity, finding.problem, finding.remedy)
