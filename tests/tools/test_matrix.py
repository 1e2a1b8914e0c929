"""The words of tools/matrix.py, as a person on a bare machine types them."""

import json
import re
import subprocess
import sys

import pytest

from tools import matrix
from tools.tables import derived

MATRIX = matrix.ROOT / "tools" / "matrix.py"


def test_list_and_command_are_words_of_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert matrix.main(["list"]) == 0
    assert capsys.readouterr().out.startswith("cpu ")
    assert matrix.main(["command", "cpu"]) == 0
    assert " --tag voxmatrix:cpu " in capsys.readouterr().out
    assert matrix.main(["command", "abacus"]) == 2
    assert "no row is called abacus" in capsys.readouterr().err
    assert matrix.main(["command", "directml-windows"]) == 2
    assert "is built on Windows: docs/windows.md" in capsys.readouterr().err


def test_it_needs_nothing_but_the_standard_library() -> None:
    for words in (["list", "--json"], ["bake"], ["ci"], ["recommend", "--capability", "12.0", "--json"]):
        said = subprocess.run(
            [sys.executable, "-S", "-I", str(MATRIX), *words], capture_output=True, text=True, check=False, cwd="/"
        )
        assert said.returncode == 0, said.stderr
        assert json.loads(said.stdout)


def test_the_bake_file_says_what_the_commands_say(capsys: pytest.CaptureFixture[str]) -> None:
    assert matrix.main(["bake"]) == 0
    baked = json.loads(capsys.readouterr().out)
    assert baked["group"]["default"]["targets"] == [name for name, row in matrix.rows().items() if row.can_be_built]
    for name, target in baked["target"].items():
        row = matrix.rows()[name]
        build = matrix.this_build(row)
        assert (target["dockerfile"], target["tags"]) == (row.dockerfile, [row.image])
        assert target["args"] == matrix.arguments(row, build)
        assert target["labels"] == matrix.labels(row, build)
    assert matrix.main(["bake", "cuda"]) == 0
    assert list(json.loads(capsys.readouterr().out)["target"]) == ["cuda"]


@pytest.mark.docker
def test_buildx_understands_the_bake_file() -> None:
    baked = subprocess.run([sys.executable, str(MATRIX), "bake"], capture_output=True, text=True, check=True).stdout
    said = subprocess.run(
        ["docker", "buildx", "bake", "-f", "-", "--print"], input=baked, capture_output=True, text=True, check=False,
        cwd=matrix.ROOT,
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    assert set(json.loads(said.stdout)["target"]) == set(json.loads(baked)["target"])


def test_jobs_are_the_stable_images_that_can_be_built(capsys: pytest.CaptureFixture[str]) -> None:
    assert matrix.main(["ci"]) == 0
    jobs = json.loads(capsys.readouterr().out)["include"]
    stable = [row for row in matrix.rows().values() if row.can_be_built and row.channel == "stable"]
    assert [(job["row"], job["platform"]) for job in jobs] == [
        (row.name, platform) for row in stable for platform in row.platforms
    ]


def test_the_table_in_readme_is_up_to_date() -> None:
    text = derived.README.read_text(encoding="utf-8")
    assert text == derived.with_readme_table(text, matrix.rows().values()), (
        "run: python3 tools/matrix.py readme --write"
    )


def test_the_apps_table_is_up_to_date() -> None:
    written = derived.APP_TABLE.read_text(encoding="utf-8")
    assert written == derived.app_table(matrix.rows().values()), "run: python3 tools/matrix.py app --write"


def test_a_readme_without_the_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="do not edit"):
        derived.with_readme_table("# voxmatrix\n", matrix.rows().values())


def test_linux_images_are_built_by_the_same_steps() -> None:
    steps = {
        name: _without_flash_attention((matrix.ROOT / f"Dockerfile.{name}").read_text(encoding="utf-8"))
        for name in ("cuda", "blackwell")
    }
    assert steps["cuda"] == steps["blackwell"]


def _without_flash_attention(dockerfile: str) -> list[str]:
    """The instructions with their comments, but for flash-attn's stages and what is done with their wheel."""
    _, body = dockerfile.split("ARG BASE\n", 1)
    stages = re.split(r"^(?=FROM )", re.sub(r"^#.*\n", "", body, flags=re.MULTILINE), flags=re.MULTILINE)
    kept = [stage for stage in stages if not re.match(r"FROM .*(flash|FLASH|toolkit)", stage)]
    instructions = [text.strip() for stage in kept for text in re.split(r"(?<!\\)\n", stage)]
    gate = ' "${FLASH_ATTN_CUDA_ARCHS}"'
    whole = [text.replace(gate, "") for text in instructions if text]
    return [text for text in whole if not re.search(r"ARG (FLASH|TOOLKIT)|from=flash", text)]
