"""Tables generated from the rows: the one in README.md and the app's images.toml. Standard library only."""

from collections.abc import Iterable
from math import ceil

from tools.images.rows import ROOT, Row
from tools.tables.written_part import README, with_part

APP_TABLE = ROOT / "app" / "voxmatrix" / "tables" / "images.toml"
BEGIN = "<!-- written by `python3 tools/matrix.py readme --write` from docker/images.toml; do not edit -->"
END = "<!-- end of the images -->"

_APP_HEAD = """\
# What each image offers a GPU: the images that a verdict may recommend. Nightlies are never recommended.
# Written by `python3 tools/matrix.py app --write` from docker/images.toml, which has more columns; do not edit.
"""


def readme_table(rows: Iterable[Row]) -> str:
    """The table of images in README.md."""
    head = ["image", "torch", "CUDA", "machine code for", "driver from", "at most", "status", "for"]
    body = [
        [
            f"`{row.name}`",
            row.torch,
            row.cuda or "–",
            _kernels(row) or "–",
            row.oldest_driver or "–",
            f"{ceil(row.size_mb / 100) / 10} GB" if row.size_mb else "–",
            row.status,
            row.note or "Any computer.",
        ]
        for row in rows
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in [head, ["---"] * len(head), *body])


def _kernels(row: Row) -> str:
    """The kernels on the first platform of the row."""
    return " ".join(row.kernels_on(row.platforms[0])).replace("sm_", "")


def with_readme_table(text: str, rows: Iterable[Row]) -> str:
    """README with an up-to-date table.

    Raises:
        ValueError: the markers around the table are missing.
    """
    return with_part(text, BEGIN, END, readme_table(rows))


def write_readme(rows: Iterable[Row]) -> None:
    """Update the table in README.md."""
    README.write_text(with_readme_table(README.read_text(encoding="utf-8"), rows), encoding="utf-8")


def app_table(rows: Iterable[Row]) -> str:
    """The content of app/voxmatrix/tables/images.toml: the stable rows, with the columns that a verdict needs."""
    return _APP_HEAD + "".join(_app_row(row) for row in rows if row.channel == "stable")


def write_app_table(rows: Iterable[Row]) -> None:
    """Update app/voxmatrix/tables/images.toml."""
    APP_TABLE.write_text(app_table(rows), encoding="utf-8")


def _app_row(row: Row) -> str:
    kernels = ", ".join(f"{where} = {_list(names)}" for where, names in row.kernels.items())
    fields = {
        "torch": _text(row.torch),
        "cuda": _text(row.cuda),
        "kinds": _list(row.gpu_kinds),
        "kernels": f"{{ {kernels} }}" if kernels else "{}",
        "oldest_driver": _text(row.oldest_driver),
        "from_capability": _text(row.from_capability),
        "source": _text(row.source),
    }
    return f"\n[{row.name}]\n" + "".join(f"{key} = {value}\n" for key, value in fields.items())


def _list(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(_text, texts))}]"


def _text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
