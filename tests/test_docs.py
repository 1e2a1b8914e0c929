"""The installation page can be followed: its commands, tasks and links exist."""

import re
from pathlib import Path

import pytest

from voxmatrix_entrypoint.launch import COMMANDS

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "installation.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_every_system_has_its_section_and_the_readme_leads_to_the_page() -> None:
    for system in ("Linux", "Windows", "WSL2", "macOS", "Docker with an NVIDIA GPU", "Verify"):
        assert f"\n## {system}\n" in TEXT
    assert "(docs/installation.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_command_of_the_installation_page_exists() -> None:
    assert set(re.findall(r"^ +(?:\.\\)?voxmatrix(?:\.ps1)? (\w+)", TEXT, re.MULTILINE)) <= set(COMMANDS)
    tasks = (ROOT / "noxfile.py").read_text(encoding="utf-8")
    for task in re.findall(r"\./run ([\w-]+)", TEXT):
        assert f"def {task}(" in tasks or task.startswith("build-")


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(([^)]+)\)", TEXT))))
def test_every_link_of_the_installation_page_leads_somewhere(target: str) -> None:
    name, _, place = target.partition("#")
    linked = (PAGE.parent / name if name else PAGE).read_text(encoding="utf-8")
    headings = [
        re.sub(r"[^\w-]", "", line.lower().replace(" ", "-")) for line in re.findall(r"^#+ (.+)$", linked, re.M)
    ]
    assert not place or place in headings
