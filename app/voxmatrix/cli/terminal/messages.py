"""Messages on the terminal and in JSON, which name settings by their flags."""

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

from voxmatrix.config import IMAGE_VARIABLE, MESSAGES_VARIABLE, environment
from voxmatrix.errors import Finding, ProgramWarning
from voxmatrix.wording import name_settings, plain, printable, with_messages


def with_flags(text: str) -> str:
    """A message that names settings as they are typed: --speed, --device cpu.

    For readers who do not type them, e.g. those of the server's page, VOXMATRIX_MESSAGES=plain keeps their names. An
    image has no pip.
    """
    if IMAGE_VARIABLE in os.environ:
        text = text.replace(
            "pip install ", "build an image with it, see docs/images.md#extending-an-image: pip install "
        )
    return plain(text) if environment().get(MESSAGES_VARIABLE) == "plain" else name_settings(text, _flag)


def _flag(name: str, value: str | None) -> str:
    flag = "--" + name.replace("_", "-")
    return flag if value is None else f"{flag} {value}"


def echo(text: str, *, err: bool = False) -> None:
    """Print a text and a line end. Its words may come from any file or server, and must not command the terminal."""
    typer.echo(printable(text), err=err)


def shown(text: str) -> str:
    """A message as it is printed by other means than `echo`: with flags, and without control characters."""
    return printable(with_flags(text))


def print_problem(what: str, problem: str, remedy: str, *, err: bool = True) -> None:
    """Print a problem with its remedy."""
    echo(with_flags(f"{what}: {problem}" + (f"\n  → {remedy}" if remedy else "")), err=err)


def warn(finding: Finding) -> None:
    """Print a finding to standard error: standard output is for results."""
    print_problem(finding.severity, finding.problem, finding.remedy)


@contextmanager
def showing_warnings() -> Iterator[None]:
    """Show what other programs complained of as `warn` does, without a place in our source."""
    others = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if issubclass(category, ProgramWarning):
            print_problem("warning", str(message), "")
        else:
            others(message, category, *place, **more)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


def print_json(content: Any) -> None:
    """Print the result of a command as JSON, on one line."""
    import json

    typer.echo(json.dumps(with_messages(content, with_flags)))
