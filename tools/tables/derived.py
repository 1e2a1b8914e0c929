"""What is generated from the rows: docs/images.md, the app's images.toml, Compose's services, a Dockerfile."""

from collections.abc import Iterable
from math import ceil

from tools.images.building import Build, arguments
from tools.images.rows import ROOT, Row
from tools.tables.written_part import with_part

APP_TABLE = ROOT / "app" / "voxmatrix" / "tables" / "images.toml"
COMPOSE = ROOT / "docker" / "compose.yaml"
#: The Dockerfile of all rows with CUDA. The others, named after the GPUs they are for, are copies of it.
CUDA_DOCKERFILE = "Dockerfile.cuda"
BEGIN = "<!-- written by `./run derive` from docker/images.toml; do not edit -->"
END = "<!-- end of the images -->"

_APP_HEAD = """\
# What each image offers a GPU: the images that a verdict may recommend. Nightlies are never recommended.
# Written by `./run derive` from docker/images.toml, which has more columns; do not edit.
"""


_SERVICES = "\n# Written by `./run derive`; do not edit.\nservices:\n"


def image_table(rows: Iterable[Row]) -> str:
    """The table of images in docs/images.md, and what is known to be wrong with them."""
    rows = list(rows)
    head = [
        "image",
        "torch",
        "CUDA or build",
        "machine code for",
        "driver from",
        "processors",
        "at most",
        "status",
        "for",
    ]
    body = [
        [
            f"`{row.name}`",
            row.torch,
            row.cuda or row.torch_build or "–",
            _kernels(row) or "–",
            row.oldest_driver or "–",
            ", ".join(row.architectures),
            f"{ceil(row.size_mb / 100) / 10} GB" if row.size_mb else "–",
            row.status,
            row.note or "Any computer.",
        ]
        for row in rows
    ]
    table = "".join(f"| {' | '.join(line)} |\n" for line in [head, ["---"] * len(head), *body])
    return table + "".join(f"\n**`{row.name}`**: {row.advisory}\n" for row in rows if row.advisory)


def _kernels(row: Row) -> str:
    """The kernels on the first platform of the row."""
    return " ".join(row.kernels_on(row.platforms[0])).replace("sm_", "")


def with_image_table(text: str, rows: Iterable[Row]) -> str:
    """The page with an up-to-date table.

    Raises:
        ValueError: the markers around the table are missing.
    """
    return with_part(text, BEGIN, END, image_table(rows))


def app_table(rows: Iterable[Row]) -> str:
    """The content of app/voxmatrix/tables/images.toml: all rows but nightlies, and what a verdict needs."""
    return _APP_HEAD + "".join(_app_row(row) for row in rows if row.channel != "nightly")


def dockerfiles(rows: Iterable[Row]) -> dict[str, str]:
    """The Dockerfiles of rows with CUDA that are copies, by name."""
    text = (ROOT / CUDA_DOCKERFILE).read_text(encoding="utf-8")
    names = {row.dockerfile for row in rows if row.cuda} - {CUDA_DOCKERFILE}
    return dict.fromkeys(sorted(names), f"# Written by `./run derive` from {CUDA_DOCKERFILE}; do not edit.\n{text}")


def with_services(text: str, rows: Iterable[Row]) -> str:
    """docker/compose.yaml with a service for each stable image that is built on Linux."""
    before, found, _ = text.partition(_SERVICES)
    if not found:
        raise ValueError(f"{COMPOSE.name} must have the line {_SERVICES.strip()}")
    return before + found + "".join(_service(row) for row in rows if row.can_be_built and row.channel == "stable")


def _service(row: Row) -> str:
    gpus = "    deploy: *gpus\n" if row.cuda else ""
    # The version is of labels only, and no index or base of this computer may be in it.
    given = arguments(row, Build(version=""))
    args = "".join(f"        {name}: {_text(value)}\n" for name, value in given.items() if value)
    return (
        f"  {row.name}:\n    <<: *voxmatrix\n    image: ${{VOXMATRIX_REGISTRY:-voxmatrix}}:{row.name}\n"
        f"    build:\n      context: ..\n      dockerfile: {row.dockerfile}\n      args:\n{args}"
        f"    profiles: [{row.name}]\n{gpus}"
    )


def _app_row(row: Row) -> str:
    kernels = ", ".join(f"{where} = {_list(names)}" for where, names in row.kernels.items())
    fields = {
        "torch": _text(row.torch),
        "cuda": _text(row.cuda),
        "build": _text(row.torch_build),
        "kinds": _list(row.gpu_kinds),
        "architectures": _list(row.architectures),
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
