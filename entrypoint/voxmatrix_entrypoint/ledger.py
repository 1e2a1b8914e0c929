"""The ledger: defects of other people's packages, mended in this process when the package is imported, never in files.

A patch is applied only where its package has a version that may need it and the defect shows in how it behaves. It is
tried out at once and taken back when it does not help; where upstream works again it retires by itself.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from importlib import metadata
from typing import Any, Literal

import wrapt

from voxmatrix.tables import rows

State = Literal["waiting", "applied", "retired", "off", "taken back", "not for this version"]

#: On a module that was patched: the ids of its patches.
_MARK = "_voxmatrix_patches"
_ABSENT = object()


@dataclass(frozen=True, kw_only=True)
class Versions:
    """The versions of a package that may have the defect. `before` is empty while none is known that has not."""

    package: str
    since: str
    before: str = ""

    def __str__(self) -> str:
        return f"{self.package} >= {self.since}" + (f", < {self.before}" if self.before else "")

    def installed(self) -> str | None:
        """The version that is installed; None: there is none."""
        try:
            return metadata.version(self.package)
        except metadata.PackageNotFoundError:
            return None

    def hold(self, installed: str) -> bool:
        """Whether this version is one of them. A development version of 2.12 counts as 2.12."""
        version = rows.version(installed)
        if version is None or version < rows.known_version(self.since):
            return False
        return not self.before or version < rows.known_version(self.before)


@dataclass(frozen=True, kw_only=True)
class Patch:
    """One defect of somebody else's package, and what is done about it. The functions get the imported module."""

    id: str
    reason: str  # what goes wrong without it
    upstream: str  # where upstream knows of it
    until: str  # what makes it needless
    applies: Versions
    module: str  # it waits for this one to be imported
    broken: Callable[[Any], bool]  # does the defect show here?
    apply: Callable[[Any], Mapping[str, Any]]  # what takes the place of which attributes
    verify: Callable[[Any], bool]  # does it work now?


@dataclass(frozen=True, kw_only=True)
class PatchOutcome:
    """What became of a patch, and why."""

    state: State
    note: str = ""


Tell = Callable[[Patch, PatchOutcome], None]


class Ledger:
    """The patches of a process, and what became of each."""

    def __init__(self, patches: Collection[Patch], tell: Tell) -> None:
        self.patches = tuple(patches)
        self._tell = tell
        self._outcomes: dict[str, PatchOutcome] = {}

    def install(self, allowed: Collection[str]) -> None:
        """Let each allowed patch wait for its module. What was installed before stays as it was decided then."""
        for patch in self.patches:
            if patch.id in self._outcomes:
                continue
            if patch.id in allowed:
                self._outcomes[patch.id] = PatchOutcome(state="waiting", note=f"{patch.module} is not imported yet")
                wrapt.register_post_import_hook(self._hook(patch), patch.module)
            else:
                self._outcomes[patch.id] = PatchOutcome(state="off", note="VOXMATRIX_PATCHES does not name it")

    def outcome(self, patch: Patch) -> PatchOutcome:
        """What became of this patch so far."""
        outcome = self._outcomes.get(patch.id, PatchOutcome(state="off", note="the ledger is not installed"))
        return _without_version(patch) or outcome if outcome.state == "waiting" else outcome

    def _hook(self, patch: Patch) -> Callable[[Any], None]:
        def hook(module: Any) -> None:
            outcome = _without_version(patch) or apply_patch(patch, module)
            self._outcomes[patch.id] = outcome
            self._tell(patch, outcome)

        return hook


def apply_patch(patch: Patch, module: Any) -> PatchOutcome:
    """Patch a module if it needs it. Never raises: an error here would end the import of somebody else's module."""
    marks: set[str] = module.__dict__.setdefault(_MARK, set())
    if patch.id in marks:
        return PatchOutcome(state="applied", note="it was applied before")
    try:
        if not patch.broken(module):
            return PatchOutcome(state="retired", note="nothing is broken here")
        replacements = dict(patch.apply(module))
    except Exception as error:
        return PatchOutcome(state="taken back", note=f"it could not be applied: {_said(error)}")
    originals = {name: getattr(module, name, _ABSENT) for name in replacements}
    _put(module, replacements)
    try:
        helped, why = patch.verify(module), "it did not help"
    except Exception as error:
        helped, why = False, _said(error)
    if not helped:
        _put(module, originals)
        return PatchOutcome(state="taken back", note=why)
    marks.add(patch.id)
    return PatchOutcome(state="applied")


def _without_version(patch: Patch) -> PatchOutcome | None:
    """Why a patch is not for what is installed; None where it may be."""
    installed = patch.applies.installed()
    if installed is None:
        return PatchOutcome(state="not for this version", note=f"{patch.applies.package} is not installed")
    if not patch.applies.hold(installed):
        note = f"{patch.applies.package} {installed} is installed; it is for {patch.applies}"
        return PatchOutcome(state="not for this version", note=note)
    return None


def _put(module: Any, attributes: Mapping[str, Any]) -> None:
    for name, value in attributes.items():
        if value is _ABSENT:
            delattr(module, name)
        else:
            setattr(module, name, value)


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0][:300]
