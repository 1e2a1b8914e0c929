"""A patch is applied where it is needed, once, and taken back where it does not help; no error of it escapes."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.entrypoint.fakes import GOOD, MODULE, module, patch, raises
from voxmatrix_entrypoint.ledger import Patch, PatchLedger, PatchOutcome, Versions, apply_patch


def ledger(*patches: Patch) -> tuple[PatchLedger, list[tuple[str, PatchOutcome]]]:
    told: list[tuple[str, PatchOutcome]] = []
    return PatchLedger(patches, lambda one, outcome: told.append((one.id, outcome))), told


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / f"{MODULE}.py").write_text("def answer():\n    return 41\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, MODULE, raising=False)
    return MODULE


def test_a_defect_that_shows_is_mended() -> None:
    broken = module()
    assert apply_patch(GOOD, broken) == PatchOutcome(state="applied")
    assert broken.answer() == 42


def test_applying_twice_changes_nothing() -> None:
    broken = module()
    apply_patch(GOOD, broken)
    mended = broken.answer
    assert apply_patch(GOOD, broken).state == "applied"
    assert broken.answer is mended


def test_where_upstream_works_again_it_retires_and_touches_nothing() -> None:
    good = module(42)
    before = good.answer
    assert apply_patch(GOOD, good).state == "retired"
    assert good.answer is before


@pytest.mark.parametrize("verify", [lambda module: False, raises])
def test_a_patch_that_does_not_help_is_taken_back_whole(verify: Any) -> None:
    broken = module()
    before = broken.answer
    wrong = patch(apply=lambda module: {"answer": lambda: 7, "new": 1}, verify=verify)

    outcome = apply_patch(wrong, broken)

    assert outcome.state == "taken back"
    assert "\n" not in outcome.note
    assert outcome.note
    assert broken.answer is before
    assert not hasattr(broken, "new")


@pytest.mark.parametrize("part", ["broken", "apply"])
def test_an_error_before_anything_is_changed_changes_nothing(part: str) -> None:
    broken = module()
    before = broken.answer
    outcome = apply_patch(patch(**{part: raises}), broken)
    assert outcome == PatchOutcome(state="taken back", note="it could not be applied: RuntimeError: two")
    assert broken.answer is before


@pytest.mark.parametrize("part", ["broken", "apply", "verify"])
def test_a_patch_that_raises_never_ends_the_import(package: str, part: str) -> None:
    made, told = ledger(patch(**{part: raises}))
    made.install(["answer"])
    assert __import__(package).answer() == 41
    assert [(name, outcome.state) for name, outcome in told] == [("answer", "taken back")]


def test_it_waits_for_the_import_and_says_what_became_of_it(package: str) -> None:
    made, told = ledger(GOOD)
    made.install(["answer"])
    made.install(["answer"])
    assert made.outcome(GOOD).state == "waiting"
    assert __import__(package).answer() == 42
    assert made.outcome(GOOD).state == "applied"
    assert len(told) == 1


def test_a_module_that_was_imported_before_is_patched_at_once(package: str) -> None:
    imported = __import__(package)
    made, _ = ledger(GOOD)
    made.install(["answer"])
    assert imported.answer() == 42


def test_what_is_not_allowed_is_off(package: str) -> None:
    made, told = ledger(GOOD)
    made.install([])
    assert __import__(package).answer() == 41
    assert made.outcome(GOOD).state == "off"
    assert told == []


@pytest.mark.parametrize(
    ("versions", "note"),
    [
        (Versions(package="no-such-package-anywhere", since="1"), "not installed"),
        (Versions(package="wrapt", since="999"), "wrapt >= 999"),
        (Versions(package="wrapt", since="1", before="1.1"), "< 1.1"),
    ],
)
def test_other_versions_are_left_alone(package: str, versions: Versions, note: str) -> None:
    one = patch(applies=versions)
    made, _ = ledger(one)
    made.install(["answer"])
    assert made.outcome(one).state == "not for this version"
    assert note in made.outcome(one).note
    assert __import__(package).answer() == 41
    assert made.outcome(one).state == "not for this version"


@pytest.mark.parametrize(
    ("installed", "holds"),
    [("2.8.9", False), ("2.9.0", True), ("2.9.0.dev20260101+cu132", True), ("2.11", False), ("2.10.1+cpu", True)],
)
def test_versions_are_compared_as_numbers(installed: str, holds: bool) -> None:
    assert Versions(package="x", since="2.9", before="2.11").include(installed) is holds


@pytest.mark.parametrize("installed", ["", "unknown", "ö", "v2"])
def test_a_version_that_is_none_is_none_of_them(installed: str) -> None:
    assert not Versions(package="x", since="2.9").include(installed)


def test_two_patches_of_one_module_are_both_applied() -> None:
    broken: ModuleType = module()
    again = patch(
        id="again",
        broken=lambda module: module.answer() == 42,
        apply=lambda module: {"answer": lambda: 43},
        verify=lambda module: module.answer() == 43,
    )
    assert [apply_patch(one, broken).state for one in (GOOD, again, GOOD, again)] == ["applied"] * 4
    assert broken.answer() == 43
