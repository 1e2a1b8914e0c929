"""Write every file that is derived from others: `python -m tools.derive`, run by `./run derive`."""

from collections.abc import Mapping
from pathlib import Path

from tools.images.rows import ROOT, rows
from tools.tables import derived, gpu_classes, gpu_table, installer, voice_chart
from tools.tables.written_part import PAGE


def from_rows() -> dict[Path, str]:
    """The files derived from docker/images.toml, with their content."""
    table = rows().values()
    return {
        PAGE: derived.with_image_table(_read(PAGE), table),
        derived.APP_TABLE: derived.app_table(table),
        derived.COMPOSE: derived.with_services(_read(derived.COMPOSE), table),
        **{ROOT / name: text for name, text in derived.dockerfiles(table).items()},
    }


def from_computers() -> dict[Path, str]:
    """The files derived from tests/machines and the app's tables, which `from_rows` may have changed."""
    return {
        PAGE: gpu_classes.with_table(_read(PAGE)),
        gpu_table.PAGE: gpu_table.page(),
        installer.INSTALLER: installer.with_table(_read(installer.INSTALLER)),
    }


def from_measurements() -> dict[Path, str]:
    """The pictures of figures in docs."""
    return {voice_chart.PICTURE: voice_chart.picture(voice_chart.voices(_read(voice_chart.PAGE)))}


def write(files: Mapping[Path, str]) -> None:
    """Write the files that are outdated, and name them."""
    for path, text in files.items():
        if not path.exists() or _read(path) != text:
            path.write_text(text, encoding="utf-8")
            print(f"written: {path.relative_to(ROOT)}")


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


if __name__ == "__main__":
    write(from_rows())
    write(from_computers())
    write(from_measurements())
