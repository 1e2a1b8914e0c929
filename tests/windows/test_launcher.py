"""voxmatrix.ps1, read and not run: no Windows is at hand. What can be known from its text alone is held here."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import tree_sitter_powershell
import typer
from tree_sitter import Language, Node, Parser

from voxmatrix.cli import main
from voxmatrix.cli.commands import NAMES

SCRIPT = Path(__file__).parent.parent.parent / "voxmatrix.ps1"
#: What Windows PowerShell 5.1 has, which comes with every Windows.
KNOWN = {
    "Get-Command", "Get-Content", "Get-FileHash", "Join-Path", "Out-Host", "Out-Null", "Set-Content", "Set-StrictMode",
    "Test-Path", "Where-Object",
}  # fmt: skip


@pytest.fixture(scope="module")
def text() -> str:
    return SCRIPT.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def nodes(text: str) -> list[Node]:
    tree = Parser(Language(tree_sitter_powershell.language())).parse(text.encode())
    return list(_walked(tree.root_node))


def _walked(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _walked(child)


def said(nodes: list[Node], kind: str) -> list[str]:
    return [str(node.text, "utf-8") for node in nodes if node.type == kind and node.text is not None]


def test_it_is_powershell_and_ascii(text: str, nodes: list[Node]) -> None:
    assert not [node for node in nodes if node.is_error or node.is_missing]
    assert text.isascii()  # Windows PowerShell reads a file without a mark as the code page of the country


def test_it_uses_only_its_own_functions_and_what_every_windows_has(nodes: list[Node]) -> None:
    own = set(said(nodes, "function_name"))
    assert own and set(said(nodes, "command_name")) <= own | KNOWN


def test_it_takes_the_switches_that_were_promised(text: str) -> None:
    parameters = re.search(r"param\((.*?)\n\)", text, re.DOTALL)
    assert parameters is not None
    assert {"ListGpus", "Device", "GpuIndex"} <= set(re.findall(r"\$(\w+)", parameters[1]))


def test_each_parameter_is_explained(text: str) -> None:
    declared = re.findall(r"\] \$(\w+)", text[text.index("param(") : text.index("\n)")])
    assert set(re.findall(r"\.PARAMETER (\w+)", text)) == set(declared) - {"Words"}


def test_the_variables_that_it_sets_are_those_that_the_app_reads(text: str) -> None:
    known = {
        variable
        for command in typer.main.get_command(main.cli).commands.values()  # type: ignore[attr-defined]
        for parameter in command.params
        for variable in [parameter.envvar]
        if isinstance(variable, str)
    }
    assert set(re.findall(r"\$Settings\.(VOXMATRIX_\w+)", text)) == {"VOXMATRIX_DEVICE", "VOXMATRIX_GPU"} <= known


def test_the_examples_are_words_that_the_app_understands(text: str) -> None:
    examples = re.findall(r"^    \.\\voxmatrix\.ps1(.*)$", text, re.MULTILINE)
    assert len(examples) >= 3
    for example in examples:
        words = shlex.split(re.sub(r"-(ListGpus|Device \w+|GpuIndex \d+)", "", example))
        assert not words or words[0] in NAMES


def test_its_exit_codes_are_the_apps(text: str) -> None:
    codes = {int(code) for code in re.findall(r"Stop-WithRemedy (\d+) ", text)}
    assert codes == {2, 7}  # wrong words; something is not installed


def test_the_pins_that_it_installs_are_there(text: str) -> None:
    (pins,) = re.findall(r"'(docker\\pins\\[\w-]+\.txt)'", text)
    assert (SCRIPT.parent / pins.replace("\\", "/")).is_file()
