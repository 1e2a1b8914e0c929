"""Problems on the terminal, each with its remedy."""

import typer

from voxmatrix.wording import printable


def print_problem(what: str, problem: str, remedy: str, *, err: bool = True) -> None:
    """Print a problem. Its words may come from any file, and must not command the terminal."""
    typer.echo(printable(f"{what}: {problem}" + (f"\n  → {remedy}" if remedy else "")), err=err)
