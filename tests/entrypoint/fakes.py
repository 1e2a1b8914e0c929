"""Patches of a package that is not there: the defect is that its answer is 41."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import ModuleType
from typing import Any

from voxmatrix_entrypoint.ledger import Patch, Versions

MODULE = "somebody_elses_package"


def module(answer: int = 41) -> Any:
    """A module with the defect, or with another answer."""
    made = ModuleType(MODULE)
    made.answer = lambda: answer  # type: ignore[attr-defined]
    return made


def _patched(broken: Any) -> Mapping[str, Any]:
    original: Callable[[], int] = broken.answer
    return {"answer": lambda: original() + 1}


GOOD = Patch(
    id="answer",
    reason="the answer is wrong",
    upstream="https://example.org/1",
    until="the answer is right",
    applies=Versions(package="wrapt", since="1"),  # some package that is installed
    module=MODULE,
    broken=lambda module: module.answer() == 41,
    apply=_patched,
    verify=lambda module: module.answer() == 42,
)


def patch(**changes: Any) -> Patch:
    """The good patch with something else in it."""
    return replace(GOOD, **changes)


def raises(*given: Any) -> Any:
    """What code of somebody else may do at any moment."""
    raise RuntimeError("two\nlines")
