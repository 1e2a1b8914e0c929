"""The rows as a bake file and as a CI job matrix. Standard library only."""

from collections.abc import Callable, Iterable
from typing import Any

from tools.images.building import Build, arguments, chosen_platform, labels
from tools.images.engines import engines
from tools.images.rows import Row


def bake(rows: Iterable[Row], build_of: Callable[[Row], Build]) -> dict[str, Any]:
    """The input of `docker buildx bake -f -`: one target per row; the default group holds all of them."""
    targets = {row.name: _target(row, build_of(row)) for row in rows}
    return {"group": {"default": {"targets": list(targets)}}, "target": targets}


def _target(row: Row, build: Build) -> dict[str, Any]:
    target = {
        "context": ".",
        "dockerfile": row.dockerfile,
        "tags": [row.image],
        "platforms": [chosen_platform(row, build)],
        "args": arguments(row, build),
        "labels": labels(row, build),
        "contexts": {"wheelhouse": row.wheelhouse} if build.wheelhouse else {},
        "secret": [f"id=ca,src={build.ca}"] if build.ca else [],
        "network": build.network,
        "output": ["type=docker"],
    }
    return {key: value for key, value in target.items() if value}


def ci(rows: Iterable[Row]) -> dict[str, Any]:
    """A GitHub Actions matrix: one job per image and platform that is built on Linux."""
    return {
        "include": [
            {
                "row": row.name,
                "platform": platform,
                "architecture": platform.partition("/")[2],
                "image": row.image,
                "dockerfile": row.dockerfile,
                "smoke": row.status == "tested",
                "size_mb": row.size_mb,
                "engines": " ".join(
                    name for name, engine in engines().items() if engine.status.get(row.name) == "tested"
                ),
                "timeout_minutes": _MINUTES_WITH_CUDA if row.cuda else _MINUTES,
            }
            for row in rows
            if row.can_be_built and row.channel == "stable"
            for platform in row.platforms
        ]
    }


#: Generous: runners are slow, and a CUDA image downloads about 4 GB.
_MINUTES, _MINUTES_WITH_CUDA = 60, 120
