"""docker/scan.yaml: no hole is kept silently."""

from pathlib import Path
from typing import Any

import yaml

from tools.images import rows

SCAN = rows.ROOT / "docker" / "scan.yaml"


def test_a_hole_that_is_kept_is_said_in_the_row_that_has_it() -> None:
    kept: list[dict[str, Any]] = yaml.safe_load(SCAN.read_text(encoding="utf-8"))["ignore"]
    assert kept
    for hole in kept:
        assert hole["package"]["name"] == "torch"
        having = [row for row in rows.rows().values() if row.torch == hole["package"]["version"]]
        assert having, "no row has that torch any more: the hole need not be kept"
        assert all(hole["vulnerability"] in row.advisory for row in having)


def test_the_workflow_scans_with_it() -> None:
    workflow = Path(rows.ROOT / ".github" / "workflows" / "images.yml").read_text(encoding="utf-8")
    assert "config: docker/scan.yaml" in workflow
