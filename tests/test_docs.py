"""The documents can be followed: links lead somewhere, commands exist, and the layers are those that are enforced."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.cli.test_help import EVERY
from voxmatrix_entrypoint.launch import COMMANDS

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "installation.md"
TEXT = PAGE.read_text(encoding="utf-8")
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("samples/**/*.md")]
#: Decisions and the changes tell of commands that were.
COMMAND_PAGES = [page for page in PAGES if page.parent.name != "decisions" and page.name != "CHANGELOG.md"]


def test_every_system_has_its_section_and_the_readme_leads_to_the_page() -> None:
    for system in ("Linux", "Windows", "WSL2", "macOS", "Docker with an NVIDIA GPU", "Verify"):
        assert f"\n## {system}\n" in TEXT
    assert "(docs/installation.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_command_of_the_installation_page_exists() -> None:
    assert set(re.findall(r"^ +(?:\.\\)?voxmatrix(?:\.ps1)? (\w+)", TEXT, re.MULTILINE)) <= set(COMMANDS)
    tasks = (ROOT / "noxfile.py").read_text(encoding="utf-8")
    for task in re.findall(r"\./run ([\w-]+)", TEXT):
        assert f"def {task}(" in tasks or task.startswith("build-")


@pytest.mark.parametrize("page", COMMAND_PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_of_a_page_exists_with_its_options(page: Path) -> None:
    for line in _commands(page):
        words = re.sub(r"…|[()\[\]]", " ", line).split()
        named = max((name for name in EVERY if tuple(words[: len(name)]) == name), key=len)
        assert named, line
        named = (*named, "make") if named == ("book",) else named
        known = {option for one in EVERY[named].params for option in (*one.opts, *one.secondary_opts)}
        given = {word.partition("=")[0] for word in words if re.match(r"-{1,2}[a-z]", word)}
        assert given <= known | {"--help", "-h"}, line


def test_commands_are_found_in_most_pages() -> None:
    assert sum(len(_commands(page)) for page in COMMAND_PAGES) > 150


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    text = re.sub(r"`[^`\n]*`", "", page.read_text(encoding="utf-8"))  # examples are no links
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        name, _, place = target.partition("#")
        if "://" in target:
            continue
        linked = page.parent / name if name else page
        assert linked.exists(), target
        assert not place or place in _headings(linked), target


def test_every_page_can_be_found_from_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for page in ROOT.glob("docs/*.md"):
        assert f"(docs/{page.name})" in readme


@pytest.mark.parametrize("language", ["es", "fr"])
def test_a_translated_readme_says_to_type_and_links_what_the_english_one_does(language: str) -> None:
    english, translated = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", f"README.{language}.md"))
    assert _typed(translated) == _typed(english)
    links = re.compile(r"\]\(([^)\s]+)\)")
    own = {"README.md", "README.es.md", "README.fr.md"}
    assert [link for link in links.findall(translated) if link not in own] == [
        link for link in links.findall(english) if link not in own
    ]
    levels = re.compile(r"^(#+) ", re.MULTILINE)
    assert levels.findall(translated) == levels.findall(english)
    assert len(re.findall(r"^- \*\*", translated, re.MULTILINE)) == len(re.findall(r"^- \*\*", english, re.MULTILINE))


def test_the_readmes_lead_to_each_other() -> None:
    for name in ("README.md", "README.es.md", "README.fr.md"):
        others = {"README.md", "README.es.md", "README.fr.md"} - {name}
        first = (ROOT / name).read_text(encoding="utf-8").split("\n\n")[1]
        assert set(re.findall(r"\((README[^)]*)\)", first)) == others


def _typed(readme: str) -> list[str]:
    """The lines to type, without what is said about them."""
    lines = re.findall(r"^    (.*)$", readme, re.MULTILINE)
    return [re.sub(r"\s+#(?: .*)?$", "", line) for line in lines]


def test_the_layers_are_those_of_the_import_contract_and_every_module_is_in_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    enforced = [tuple(name.strip().removeprefix("voxmatrix.") for name in layer.split("|")) for layer in layers]
    text = (ROOT / "docs" / "inside" / "architecture.md").read_text(encoding="utf-8")
    table = text.partition("\n## Layers\n")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    assert [tuple(re.findall(r"`(\w+)`", row)) for row in rows] == enforced
    modules = {path.stem for path in (ROOT / "app" / "voxmatrix").iterdir() if path.suffix == ".py" or path.is_dir()}
    assert modules - {"__init__", "__pycache__"} == {
        name for layer in enforced for name in layer if "_entry" not in name
    }


def _commands(page: Path) -> list[str]:
    """Commands of voxmatrix in blocks and between backticks, also after `docker run IMAGE` and `podman run IMAGE`."""
    text = re.sub(r"\\\n\s*", " ", page.read_text(encoding="utf-8"))
    direct = r"(?:^    |`)(?:[A-Z_]+=\S+ )*voxmatrix ([a-z][^`\n#|;&<>]*)"
    in_containers = r"(?:^ {4,7}|`)(?:docker|podman) run [^`\n]* voxmatrix:\S+ ([a-z][^`\n#|;&<>]*)"
    return [line for pattern in (direct, in_containers) for line in re.findall(pattern, text, re.MULTILINE)]


def _headings(page: Path) -> list[str]:
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return [re.sub(r"[^\w-]", "", title.lower().replace(" ", "-")) for title in titles]
