"""`./run derive`: every derived file is what its sources say, and a new row reaches all of them."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tools import derive
from tools.images import rows
from tools.tables import derived, installer

ROWS = rows.rows()


@pytest.mark.parametrize("files", [derive.from_rows, derive.from_computers, derive.from_measurements])
def test_every_derived_file_is_up_to_date(files: Callable[[], dict[Path, str]]) -> None:
    for path, text in files().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: ./run derive"


def test_only_outdated_files_are_written(capsys: pytest.CaptureFixture[str]) -> None:
    readme = rows.ROOT / "README.md"
    before = readme.stat().st_mtime_ns
    derive.write({readme: readme.read_text(encoding="utf-8")})
    assert (readme.stat().st_mtime_ns, capsys.readouterr().out) == (before, "")


def test_a_new_row_has_a_line_in_the_list_of_images_a_service_and_a_row_in_the_app() -> None:
    text = rows.TABLE.read_text(encoding="utf-8")
    start = text.index("[cuda13]")
    block = text[start : text.index("\n\n", start)].replace("[cuda13]", "[cuda14]")
    table = rows.read(f"{text}\n{block}\n").values()
    assert "| `cuda14` |" in derived.image_table(table)
    assert "\n[cuda14]\n" in derived.app_table(table)
    services = yaml.safe_load(derived.with_services(derived.COMPOSE.read_text(encoding="utf-8"), table))["services"]
    assert services["cuda14"]["image"].endswith(":cuda14")
    assert "deploy" in services["cuda14"]


def test_every_accepted_vulnerability_is_in_the_page_of_images() -> None:
    accepted = yaml.safe_load((rows.ROOT / "docker" / "scan.yaml").read_text(encoding="utf-8"))["ignore"]
    table = derived.image_table(ROWS.values())
    assert accepted and all(one["vulnerability"] in table for one in accepted)


def test_images_with_cuda_have_one_text() -> None:
    names = {row.dockerfile for row in ROWS.values() if row.cuda}
    texts = {name: (rows.ROOT / name).read_text(encoding="utf-8") for name in names}
    own = texts.pop(derived.CUDA_DOCKERFILE)
    assert texts and all(text.partition("\n")[2] == own for text in texts.values())


def test_a_file_without_its_marker_is_refused() -> None:
    for change in (derived.with_image_table, derived.with_services):
        with pytest.raises(ValueError, match="must have the line"):
            change("# voxmatrix\n", ROWS.values())
    with pytest.raises(ValueError, match="must have the line"):
        installer.with_table("#!/bin/sh\n")
