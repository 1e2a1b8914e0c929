"""Every pin has a file for every platform of its row: resolved by uv, for the platform that this computer is not."""

import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tools.images import rows
from tools.locks import pins
from tools.locks.resolving import missing_wheels

PLATFORMS = [(row, platform) for row in rows.rows().values() for platform in row.platforms[1:]]
UV = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))


def locked(row: rows.Row) -> dict[str, pins.Pin]:
    return pins.parse((rows.ROOT / row.pins).read_text(encoding="utf-8"))


@pytest.mark.index
@pytest.mark.parametrize(("row", "platform"), PLATFORMS, ids=lambda value: getattr(value, "name", value))
def test_every_pin_can_be_installed_on_every_platform_of_its_row(row: rows.Row, platform: str) -> None:
    assert missing_wheels(UV, row, locked(row), platform) == ""


@pytest.mark.index
def test_a_pin_without_a_file_for_the_platform_is_named() -> None:
    row = rows.rows()["cuda13"]
    nvidia = {name: pin for name, pin in locked(row).items() if name == "typer"}
    intel = pins.Pin(name="torch-directml", version="0.2.5.dev240914", hashes=frozenset({"sha256:" + "0" * 64}))
    assert "torch-directml" in missing_wheels(UV, row, {**nvidia, "torch-directml": intel}, "linux/arm64")
    stranger = replace(nvidia["typer"], hashes=intel.hashes)
    assert missing_wheels(UV, row, {"typer": stranger}, "linux/arm64") == "no locked file: typer"
