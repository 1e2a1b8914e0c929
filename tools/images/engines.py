"""The engines of docker/engines.toml, read and validated, and how their images are built. Standard library only."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.images.rows import NOT_RUN, ROOT, MatrixError, Row, rows

TABLE = ROOT / "docker" / "engines.toml"
PACKS = ROOT / "app" / "voxmatrix" / "external" / "packs"


@dataclass(frozen=True, kw_only=True)
class Engine:
    """An engine, and the rows with whose images it is built."""

    name: str
    requires: tuple[str, ...]
    rows: tuple[str, ...]
    size_mb: Mapping[str, int]
    status: Mapping[str, str]
    excludes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if unknown := set(self.rows) - rows().keys():
            raise MatrixError(
                f"[{self.name}] rows has {', '.join(sorted(unknown))}: docker/images.toml has no such rows"
            )
        for name, values in (("size_mb", self.size_mb), ("status", self.status)):
            if set(values) != set(self.rows):
                raise MatrixError(f"[{self.name}] {name} must have a value for each of {', '.join(self.rows)}")
        for row, status in self.status.items():
            if status not in ("tested", NOT_RUN):
                raise MatrixError(f'[{self.name}] the status of {row} is {status!r}, must be "tested" or "{NOT_RUN}"')
        for row, size in self.size_mb.items():
            if type(size) is not int or size < 0 or (not size and self.status[row] != NOT_RUN):
                raise MatrixError(f"[{self.name}] size_mb of {row} is {size!r}, must be a number of 10^6 bytes")
        if not (PACKS / self.name / "engine.toml").is_file():
            raise MatrixError(f"[{self.name}] has no pack in {PACKS.relative_to(ROOT)}")

    @property
    def lock(self) -> Path:
        """What an installation needs."""
        return PACKS / self.name / "lock.txt"

    def pins(self, row: Row) -> str:
        """What the image needs, relative to the root of the repository."""
        return f"docker/pins/engine-{self.name}-{row.name}.txt"

    def is_tested(self, row: Row) -> bool:
        """Whether its image for this row was built, and spoke."""
        return self.status.get(row.name) == "tested"

    def image(self, row: Row) -> str:
        """The tag of the image."""
        return f"{row.image}-{self.name}"


def engines(path: Path = TABLE) -> dict[str, Engine]:
    """All engines by name.

    Raises:
        MatrixError: a value is invalid; the message names it.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        return {
            name: Engine(
                name=name,
                requires=tuple(values["requires"]),
                rows=tuple(values["rows"]),
                size_mb=values["size_mb"],
                status=values["status"],
                excludes=tuple(values.get("excludes", ())),
            )
            for name, values in table.items()
        }
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise MatrixError(f"{path.name} is invalid: {error!r}") from error
