"""docs/inside/seeds.md: each thing that the five documents ask for has a test, and what it names is there."""

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

from tools import matrix
from tools.locks import pins

TESTS = Path(__file__).parents[1]
PAGE = matrix.ROOT / "docs" / "inside" / "seeds.md"
ROWS = [*(f"D{n}" for n in range(1, 6)), *(f"E{n}" for n in range(1, 8))]
for seed, last in enumerate((10, 7, 7, 8, 8)):
    ROWS += [f"S{seed}.{n}" for n in range(1, last + 1)]
LINES = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if "::" in line]


@cache
def functions(file: str) -> set[str]:
    """The tests in a file, those with a marker that they are never run left out."""
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return {each.name for each in found if "pytest.mark.skip(" not in "".join(map(ast.unparse, each.decorator_list))}


def test_every_row_is_there_once() -> None:
    assert [line.split("|")[1].strip() for line in LINES[: len(ROWS)]] == ROWS
    assert len(LINES) > len(ROWS) + 30  # the command lines


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.split("|")[1].strip()[:30])
def test_what_it_names_is_a_test(line: str) -> None:
    named = re.findall(r"`([\w/]+\.py)::(test_\w+)`", line)
    assert named
    assert not [f"{file}::{test}" for file, test in named if test not in functions(file)]


def test_the_top_of_the_repository_is_the_cards() -> None:
    for name in ("docker", "entrypoint", "app", "tests"):
        assert (matrix.ROOT / name).is_dir()
    files = [
        "noxfile.py",
        "README.md",
        *(f"Dockerfile.{each}" for each in ("cuda", "blackwell", "directml-windows", "cpu")),
    ]
    assert all((matrix.ROOT / name).is_file() for name in files)
    for each in files[2:]:
        assert re.search(r"^COPY .*\bapp\b", (matrix.ROOT / each).read_text(encoding="utf-8"), re.MULTILINE)


def test_the_packages_of_the_card_are_locked() -> None:
    for row in matrix.rows().values():
        if (path := matrix.ROOT / row.pins).is_file():
            locked = pins.parse(path.read_text(encoding="utf-8"))
            assert {"torch", "torchaudio", "soundfile", "pydub", "lightning"} <= set(locked), row.name
    project = tomllib.loads((matrix.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert {"nox", "pytest"} <= set(re.findall(r"[\w-]+", str(project["dependency-groups"])))
