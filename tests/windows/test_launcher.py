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
    "ForEach-Object", "Get-Command", "Get-Content", "Get-FileHash", "Join-Path", "Out-Host", "Out-Null", "Remove-Item",
    "Set-Content", "Set-StrictMode", "Test-Path", "Where-Object",
}  # fmt: skip


@pytest.fixture(scope="module")
def text() -> str:
    return SCRIPT.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def nodes(text: str) -> list[Node]:
    return parsed(text)


def parsed(text: str) -> list[Node]:
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


def dies_in_5_1(nodes: list[Node]) -> list[str]:
    """Starts of programs and redirections of errors, unless their function first says that errors do not stop it.

    Where the error stream is redirected, Windows PowerShell makes an ErrorRecord of each line that a program writes to
    it (PowerShell #4002 and #3996), and the script is ended by the first one while `$ErrorActionPreference` is `Stop`.
    Programs are told by the operator `&`: other commands are functions and cmdlets, by another test.
    """
    found = []
    for node in nodes:
        started = node.type == "command_invokation_operator" and node.text == b"&"
        # The grammar takes 2>$null for a redirection or, behind a word, for another word.
        is_word = node.type in ("redirection", "generic_token")
        redirected = is_word and re.match(rb"[2*]>", node.text or b"") is not None
        if (started or redirected) and not _goes_on(node):
            command = next(outer for outer in _outer(node) if outer.type == "command")
            found.append(str(command.text or b"", "utf-8"))
    return found


def _goes_on(node: Node) -> bool:
    function = next((outer for outer in _outer(node) if outer.type == "function_statement"), None)
    if function is None:
        return False
    statements = next((inner for inner in _walked(function) if inner.type == "statement_list"), None)
    return statements is not None and statements.children[0].text == b"$ErrorActionPreference = 'Continue'"


def _outer(node: Node) -> Iterator[Node]:
    while node.parent is not None:
        node = node.parent
        yield node


def test_what_a_program_writes_to_its_errors_ends_no_windows_powershell(nodes: list[Node]) -> None:
    assert "$ErrorActionPreference = 'Stop'" in said(nodes, "pipeline")
    assert dies_in_5_1(nodes) == []


@pytest.mark.parametrize(
    "line",
    [
        "& $Program @Arguments -c $PythonCheck 2>$null | Out-Null",  # as it was until 0.1
        "& $Program @Arguments | Out-Host",
        "$Said = & $Program 2>&1",
        "Invoke-Program $Program $Arguments *> log.txt",
        "if ($Found) { Invoke-Program $Program $Arguments 2>$null }",
    ],
)
def test_the_rule_finds_what_would_end_it(line: str) -> None:
    for after in ("", "$ErrorActionPreference = 'Stop'\n", "$Before = 1\n$ErrorActionPreference = 'Continue'\n"):
        assert dies_in_5_1(parsed(f"function Test-Python {{\n{after}{line}\n}}"))
    assert dies_in_5_1(parsed(line))
    assert not dies_in_5_1(parsed(f"function Test-Python {{\n$ErrorActionPreference = 'Continue'\n{line}\n}}"))


def test_commands_are_not_chained_which_windows_powershell_cannot(nodes: list[Node]) -> None:
    assert not said(nodes, "pipeline_chain_tail")
    assert said(parsed("Test-Path a && Test-Path b"), "pipeline_chain_tail")


def test_an_arm_processor_is_told_of_wsl_before_a_python_is_looked_for(text: str, nodes: list[Node]) -> None:
    (find,) = [body for body in said(nodes, "function_statement") if "function Find-Python" in body]
    assert find.index("-eq 'Arm64'") < find.index("WSL2") < find.index("$Candidates =")
    assert "sysconfig.get_platform() == ''win-amd64''" in text  # its own Python has none of the wheels


@pytest.mark.parametrize(
    ("word", "passed", "passed_by_5_1"),
    [
        ("plain", "plain", "plain"),
        ("", '""', '""'),
        ('say "hi"', r"say \"hi\"", r"say \"hi\""),
        ("C:\\My Voices\\", "C:\\My Voices\\", "C:\\My Voices\\\\"),
        ("C:\\Voices\\", "C:\\Voices\\", "C:\\Voices\\"),
        ('a\\"b', r"a\\\"b", r"a\\\"b"),
    ],
)
def test_words_reach_programs_as_they_were_typed(text: str, word: str, passed: str, passed_by_5_1: str) -> None:
    """The patterns of the script, applied here: to .NET's regular expressions they mean the same as to Python's."""
    (quotes, by), (slashes, doubled) = re.findall(r"-replace '([^']+)', '([^']+)'", text)
    assert quotes == r'(\\*)"' and by == r"$1$1\"" and slashes == r"(\\+)$" and doubled == "$1$1"
    seven_two = '""' if not word else re.sub(quotes, lambda found: found[1] * 2 + '\\"', word)
    five_one = re.sub(slashes, lambda found: found[1] * 2, seven_two) if re.search(r"\s", seven_two) else seven_two
    assert (seven_two, five_one) == (passed, passed_by_5_1)
