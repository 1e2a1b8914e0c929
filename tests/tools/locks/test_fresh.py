import json
import urllib.error
from dataclasses import replace
from email.message import Message
from pathlib import Path
from typing import Any

import pytest

from tools.images.rows import rows
from tools.locks import fresh, pins

CPU = rows()["cpu"]
DIGEST = f"sha256:{'a' * 64}"


def page(*files: tuple[str, str], yanked: str = "") -> Any:
    return {
        "files": [{"filename": name, "requires-python": python, "yanked": name == yanked} for name, python in files]
    }


def test_the_newest_is_neither_a_prerelease_nor_withdrawn() -> None:
    given = page(
        ("typer-0.28.0-py3-none-any.whl", ">=3.8"),
        ("typer-0.29.2.tar.gz", ">=3.9"),
        ("typer-0.30.0rc1-py3-none-any.whl", ""),
        ("typer-0.31.0-py3-none-any.whl", ""),
        ("notes.txt", ""),
        yanked="typer-0.31.0-py3-none-any.whl",
    )
    assert str((fresh.newest(given) or ("",))[0]) == "0.29.2"
    assert fresh.newest({}) is None


def test_a_version_for_other_pythons_is_held_back_by_the_rows() -> None:
    assert fresh.pythons_of(">=3.12", "3.11") == "Python 3.11 of the row: it needs >=3.12"
    assert fresh.pythons_of(">=3.11.4", "3.11") == fresh.pythons_of("", "3.11") == ""


def test_uvs_explanation_is_cut_to_its_first_cause() -> None:
    said = """  × No solution found when resolving dependencies:
      ╰─▶ Because voxmatrix depends on typer>=0.15,<0.29
          and typer==0.29.2, we can conclude that voxmatrix's requirements are unsatisfiable."""
    assert fresh.because(said) == "voxmatrix depends on typer>=0.15,<0.29 and typer==0.29.2"
    assert fresh.because("error: no network") == "error: no network"


def test_a_solution_with_an_older_project_is_none() -> None:
    before, after = (pins.parse(f"sympy=={version}\nnumpy==2.4 --hash={DIGEST}\n") for version in ("1.14", "1.13.3"))
    assert fresh.older(before, after) == "sympy 1.14, for which uv would take 1.13.3"
    assert fresh.older(after, before) == ""


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One row with two pins, one of them with an accepted vulnerability."""
    row = replace(CPU, advisory="torch has GHSA-1")
    monkeypatch.setattr(fresh, "ROOT", tmp_path)
    monkeypatch.setattr(fresh, "rows", lambda: {"cpu": row})
    (tmp_path / row.pins).parent.mkdir(parents=True)
    (tmp_path / row.pins).write_text("numpy==2.4.6\ntorch==2.13.0\n")


def answers(vulnerable: dict[str, list[dict[str, Any]]] | None) -> fresh.Ask:
    def ask(address: str, accept: str) -> Any:
        if accept == fresh.SIMPLE:
            name = address.rstrip("/").rpartition("/")[2]
            return page((f"{name}-3.0.0-py3-none-any.whl", ">=3.11"))
        if vulnerable is None:
            raise urllib.error.HTTPError(address, 404, "Not Found", Message(), None)
        return {"vulnerabilities": vulnerable.get(address.split("/")[-3], [])}

    return ask


@pytest.mark.usefixtures("table")
def test_what_is_newer_is_shown_with_what_holds_it_back(capsys: pytest.CaptureFixture[str]) -> None:
    asked: list[tuple[str, str]] = []
    code = fresh.main(["uv"], answers(None), lambda row, uv, wanted: asked.append((uv, wanted)) or "")  # type: ignore[func-returns-value]
    assert (code, asked) == (0, [("uv", "numpy==3.0.0")])
    assert capsys.readouterr().out.splitlines() == [
        "cpu: numpy 2.4.6 → 3.0.0: nothing holds it back: ./run lock -- cpu",
        "cpu: torch 2.13.0 → 3.0.0: held back by the row's field in docker/images.toml",
        "vulnerabilities of 2 pins could not be looked up: the index has no such page (404)",
    ]


@pytest.mark.usefixtures("table")
def test_a_vulnerability_that_no_row_accepts_fails(capsys: pytest.CaptureFixture[str]) -> None:
    known = {"torch": [{"id": "PYSEC-2", "aliases": ["GHSA-1"], "fixed_in": ["2.14"]}]}
    assert fresh.main(["uv"], answers(known), lambda *_: "") == 0
    assert "cpu: torch 2.13.0: PYSEC-2, fixed in 2.14 (accepted)" in capsys.readouterr().out
    known["numpy"] = [{"id": "PYSEC-3"}, {"id": "PYSEC-4", "withdrawn": "2026-01-01"}]
    assert fresh.main(["uv", "--json"], answers(known), lambda *_: "") == 1
    said = json.loads(capsys.readouterr().out)
    assert [(one["name"], one["accepted"]) for one in said["vulnerable"]] == [("PYSEC-3", False), ("PYSEC-2", True)]
    assert said["missing"] == []


@pytest.mark.usefixtures("table")
def test_without_a_network_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    def nothing(address: str, accept: str) -> Any:
        raise urllib.error.URLError("no route")

    assert fresh.main(["uv"], nothing, lambda *_: "") == 0
    said = capsys.readouterr().out
    assert "versions of 2 projects could not be read" in said
    assert "vulnerabilities of 2 pins could not be looked up" in said
    assert "as new as" not in said
