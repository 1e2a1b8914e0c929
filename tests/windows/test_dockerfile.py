"""Dockerfile.directml-windows, read and not built: what a Windows build would stumble over."""

import re
from pathlib import Path

import pytest

FILE = Path(__file__).parent.parent.parent / "Dockerfile.directml-windows"


@pytest.fixture(scope="module")
def text() -> str:
    return FILE.read_text(encoding="utf-8")


def instructions(text: str) -> list[tuple[str, str]]:
    """Each instruction and what stands behind it, lines joined as the directive says."""
    plain = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    whole = re.sub(r"`\n\s*", "", plain)
    return [(found[1], found[2]) for line in whole.splitlines() if (found := re.match(r"([A-Z]+) (.*)", line))]


def test_the_first_line_makes_the_backtick_continue_lines(text: str) -> None:
    assert text.startswith("# escape=`\n")
    assert not re.search(r"\\\n", text)


def test_commands_hold_no_double_quotes_which_windows_would_eat(text: str) -> None:
    assert not [said for word, said in instructions(text) if word == "RUN" and '"' in said]


def test_every_program_that_is_run_ends_the_build_when_it_fails(text: str) -> None:
    # PowerShell does not stop for a program's exit code: it must be looked at.
    for word, said in instructions(text):
        if word == "RUN":
            steps = [step.strip() for step in said.split(";")]
            for step, following in zip(steps, [*steps[1:], ""], strict=True):
                if re.match(r"C:\\venv\\Scripts\\python\.exe", step):
                    assert following.startswith("if ($LASTEXITCODE)"), step


def test_what_is_downloaded_has_a_hash_and_what_is_installed_is_locked(text: str) -> None:
    assert re.search(r"ARG PYTHON_SHA256=[0-9a-f]{64}\n", text)
    assert "$seen -ne $env:PYTHON_SHA256" in text
    for said in re.findall(r"\$pip = (.*?); `", text):
        assert "'--require-hashes'" in said and "'--no-deps'" in said


def test_the_app_comes_last_and_the_gate_behind_it(text: str) -> None:
    words = [f"{word} {said}" for word, said in instructions(text)]
    copied = next(place for place, line in enumerate(words) if line.startswith("COPY app "))
    installed = [place for place, line in enumerate(words) if line.startswith("RUN") and "pip" in line]
    assert installed[:-1] < [copied] and installed[-1] > copied
    assert words[installed[-1]].index("C:\\app") < words[installed[-1]].index("C:\\gate.py")


def test_it_starts_as_nobody_special_and_in_exec_form(text: str) -> None:
    plain = dict(instructions(text))
    assert plain["USER"] == "ContainerUser" and plain["ENTRYPOINT"].startswith("[") and plain["HEALTHCHECK"] == "NONE"
    assert plain["ENTRYPOINT"].endswith('"-m", "voxmatrix_entrypoint"]')
