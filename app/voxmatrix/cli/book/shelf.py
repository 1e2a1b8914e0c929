"""`voxmatrix book shelf`: the sentences that are kept of each book, and room for others."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voxmatrix.cli.book.contents import duration
from voxmatrix.cli.parameters import options
from voxmatrix.cli.terminal.messages import echo, print_json, warn
from voxmatrix.errors import Finding, UsageError
from voxmatrix.wording import pluralise, printable

if TYPE_CHECKING:
    from voxmatrix.book.shelf import ShelvedBook

_MIB = 1 << 20


def command(
    remove: Annotated[
        list[Path] | None,
        typer.Option("--remove", metavar="FILE", help="Delete the sentences of this book; repeatable."),
    ] = None,
    empty: Annotated[bool, typer.Option("--empty", help="Delete the sentences of all books.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Show of which books finished sentences are kept, and delete them: the audiobooks themselves stay."""
    from voxmatrix.book.shelf import shelf

    books = shelf()
    wanted = books if empty else [_named(path, books) for path in remove or ()]
    if wanted or empty:
        _remove(wanted, skip_running=empty, as_json=as_json)
    elif as_json:
        print_json({"books": [_row(book) for book in books]})
    else:
        _print(books)


def _named(path: Path, books: "list[ShelvedBook]") -> "ShelvedBook":
    """The book of a file, or of a folder of the shelf."""
    for book in books:
        if path.resolve() in (book.source, book.folder) or str(path) == book.folder.name:
            return book
    raise UsageError(f"no sentences of {path} are kept", "see the files that have some: voxmatrix book shelf")


def _remove(books: "list[ShelvedBook]", *, skip_running: bool, as_json: bool) -> None:
    from voxmatrix.book.shelf import remove

    removed = []
    for book in books:
        try:
            remove(book)
        except UsageError as error:
            if not skip_running:
                raise
            warn(Finding(problem=error.problem, remedy="its sentences stay", severity="warning"))
        else:
            removed.append(book)
    if as_json:
        print_json({"removed": [_row(book) for book in removed]})
        return
    size = sum(book.size for book in removed) / _MIB
    echo(f"{pluralise(sum(book.sentences for book in removed), 'sentence')} deleted, {size:.1f} MiB")


def _row(book: "ShelvedBook") -> dict[str, Any]:
    return {
        "title": book.title,
        "source": None if book.source is None else str(book.source),
        "folder": str(book.folder),
        "sentences": book.sentences,
        "seconds": round(book.seconds, 1),
        "bytes": book.size,
        "used": book.used.isoformat(timespec="seconds"),
    }


def _print(books: "list[ShelvedBook]") -> None:
    from rich.console import Console
    from rich.table import Table

    if not books:
        echo("no sentences are kept")
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("book", "file"):
        table.add_column(heading, overflow="fold")
    for heading in ("sentences", "speech", "MiB", "used"):
        table.add_column(heading, justify="right", no_wrap=True)
    for book in books:
        file = "" if book.source is None else str(book.source)
        figures = (f"{book.sentences:,}", duration(book.seconds), f"{book.size / _MIB:,.1f}", f"{book.used:%Y-%m-%d}")
        table.add_row(printable(book.name), printable(file), *figures)
    Console(markup=False, highlight=False).print(table)
    echo(f"{sum(book.size for book in books) / _MIB:,.1f} MiB in all\n  → --remove FILE or --empty deletes them")
