"""What stands elsewhere and is derived from the rows: README's table and the app's. Standard library only."""

from collections.abc import Iterable
from math import ceil

from tools.rows import ROOT, Row
from tools.written_part import README, with_part

APP_TABLE = ROOT / "app" / "voxmatrix" / "tables" / "images.toml"
BEGIN = "<!-- written by `python3 tools/matrix.py readme --write` from docker/images.toml; do not edit -->"
END = "<!-- end of the images -->"

_APP_HEAD = """\
# What each image offers a GPU: the rows that a verdict may advise. Nightlies are advised to nobody.
# Written by `python3 tools/matrix.py app --write` from docker/images.toml, which says more; do not edit.
"""


def readme_table(rows: Iterable[Row]) -> str:
    """README's table of the images."""
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
    """Of the platform that is named first."""
    return " ".join(row.kernels_on(row.platforms[0])).replace("sm_", "")


def with_readme_table(text: str, rows: Iterable[Row]) -> str:
    """README with the table as it should be.

    Raises:
        ValueError: the marks between which it belongs are not there.
    """
    return with_part(text, BEGIN, END, readme_table(rows))


def write_readme(rows: Iterable[Row]) -> None:
    """Put the table into README.md."""
    README.write_text(with_readme_table(README.read_text(encoding="utf-8"), rows), encoding="utf-8")


def app_table(rows: Iterable[Row]) -> str:
    """app/voxmatrix/tables/images.toml: the stable rows, as far as a verdict needs them."""
    return _APP_HEAD + "".join(_app_row(row) for row in rows if row.channel == "stable")


def write_app_table(rows: Iterable[Row]) -> None:
    """Put app/voxmatrix/tables/images.toml in its place."""
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
