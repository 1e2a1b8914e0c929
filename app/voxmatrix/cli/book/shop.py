"""What `book make` has for shops: the target, and the credits."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voxmatrix.errors import Finding, UsageError

if TYPE_CHECKING:
    from voxmatrix.book.content import Book
    from voxmatrix.book.shop.check import Report
    from voxmatrix.tables.shops import Shop


def _option(flag: str, metavar: str, help: str) -> Any:
    return typer.Option(flag, metavar=metavar, help=help, rich_help_panel="Shops", show_default=False)


@dataclass(frozen=True, kw_only=True)
class ShopOptions:
    """Files for a shop."""

    target: Annotated[str, _option("--target", "SHOP", "Write files that this shop takes: acx.")] = ""
    opening_credits: Annotated[
        str | None, _option("--opening-credits", "TEXT", 'Said before the book, for a shop; "" for nothing.')
    ] = None
    closing_credits: Annotated[
        str | None, _option("--closing-credits", "TEXT", 'Said behind the book, for a shop; "" for nothing.')
    ] = None


def wanted_shop(given: ShopOptions, bitrate: str) -> "Shop | None":
    """The shop that is the target; None without one.

    Raises:
        UsageError: it is unknown, or does not take this bit rate, or there are credits without a target.
    """
    from voxmatrix.tables.shops import shop_named

    if not given.target:
        if given.opening_credits is not None or given.closing_credits is not None:
            raise UsageError("there are credits, which only files for a shop have", "add `target=acx`")
        return None
    shop = shop_named(given.target)
    number = bitrate.removesuffix("k")
    if number.isdecimal() and int(number) < shop.least_kbit:
        problem = f"the bit rate is {bitrate!r}, and {shop.title} takes {shop.least_kbit}k or more"
        raise UsageError(problem, f"omit `bitrate`, or give `bitrate={shop.least_kbit}k`")
    return shop


def shop_out(out: Path | None, file: Path, shop: "Shop") -> Path:
    """The path of the audiobook, with the extension that the shop takes if it has none.

    Raises:
        UsageError: it has another one.
    """
    from voxmatrix.audio.encode import FORMATS

    extension = f".{shop.format}"
    if out is None:
        return Path(file.with_suffix(extension).name)
    if out.suffix.lower().removeprefix(".") not in FORMATS and out.suffix.lower() != ".m4b":  # none, or of "Vol. 2"
        return out.with_name(out.name + extension)
    if out.suffix.lower() != extension:
        raise UsageError(f"{shop.title} takes no {out.suffix} files", f"give `out={out.with_suffix(extension)}`")
    return out


def with_shop_credits(book: "Book", language: str, given: ShopOptions) -> "Book":
    """The book with the credits of a shop; unchanged without a target."""
    from voxmatrix.book.shop.credits import with_credits

    return with_credits(book, language, given.opening_credits, given.closing_credits) if given.target else book


def shop_findings(report: "Report") -> list[Finding]:
    """What a shop would refuse of the files, and what they lack."""
    found = [Finding(problem=f"{one.file}: {one.problem}", remedy="", severity="warning") for one in report.refused]
    remedy = "if a file is that, its name does not say so"
    return found + [
        Finding(problem=f"no file is the {what}, which {report.shop.title} asks for", remedy=remedy, severity="warning")
        for what in report.missing
    ]
