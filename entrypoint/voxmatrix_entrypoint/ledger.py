"""Patches of third-party packages, applied in memory when a package is imported, never to its files.

A patch is applied only if the version of the package may need it and the defect is observed. It is verified at once,
and reverted if it does not help. Once upstream has fixed the defect, the patch is no longer applied.
"""

import importlib.util
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from voxmatrix.tables import rows

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

State = Literal["waiting", "applied", "retired", "off", "taken back", "not for this version"]

#: An attribute of patched modules: the ids of their patches.
_MARK = "_voxmatrix_patches"
_ABSENT = object()


@dataclass(frozen=True, kw_only=True)
class Versions:
    """The versions of a package that may have a defect. `before` is empty until a fixed version is known."""

    package: str
    since: str
    before: str = ""

    def __str__(self) -> str:
        return f"{self.package} >= {self.since}" + (f", < {self.before}" if self.before else "")

    def installed(self) -> str | None:
        """The installed version, or None."""
        from importlib import metadata  # imports email, which is only needed for this

        try:
            return metadata.version(self.package)
        except metadata.PackageNotFoundError:
            return None

    def include(self, installed: str) -> bool:
        """Whether these versions include `installed`. Development versions of 2.12 count as 2.12."""
        version = rows.version(installed)
        if version is None or version < rows.known_version(self.since):
            return False
        return not self.before or version < rows.known_version(self.before)


@dataclass(frozen=True, kw_only=True)
class Patch:
    """A fix for a defect of a third-party package. The functions take the imported module."""

    id: str
    reason: str  # the defect
    upstream: str  # the upstream issue or pull request
    until: str  # when it becomes unnecessary
    applies: Versions
    module: str  # patched when this module is imported
    broken: Callable[[Any], bool]  # is the defect present?
    apply: Callable[[Any], Mapping[str, Any]]  # the new values of attributes
    verify: Callable[[Any], bool]  # is the defect fixed?


@dataclass(frozen=True, kw_only=True)
class PatchOutcome:
    """The state of a patch, and why."""

    state: State
    note: str = ""


OnOutcome = Callable[[Patch, PatchOutcome], None]


class PatchLedger:
    """The patches of a process and their outcomes."""

    def __init__(self, patches: Collection[Patch], on_outcome: OnOutcome) -> None:
        self.patches = tuple(patches)
        self._on_outcome = on_outcome
        self._outcomes: dict[str, PatchOutcome] = {}
        self._hooks = _ImportHooks()

    def install(self, allowed: Collection[str]) -> None:
        """Register the allowed patches, to be applied when their modules are imported. Later calls change nothing."""
        for patch in self.patches:
            if patch.id in self._outcomes:
                continue
            if patch.id in allowed:
                self._outcomes[patch.id] = PatchOutcome(state="waiting", note=f"{patch.module} is not imported yet")
                self._hooks.add(patch.module, self._hook(patch))
            else:
                self._outcomes[patch.id] = PatchOutcome(state="off", note="not in VOXMATRIX_PATCHES")

    def outcome(self, patch: Patch) -> PatchOutcome:
        """The current outcome of a patch."""
        outcome = self._outcomes.get(patch.id, PatchOutcome(state="off", note="the ledger is not installed"))
        return _wrong_version(patch) or outcome if outcome.state == "waiting" else outcome

    def _hook(self, patch: Patch) -> Callable[[Any], None]:
        def hook(module: Any) -> None:
            outcome = _wrong_version(patch) or apply_patch(patch, module)
            self._outcomes[patch.id] = outcome
            self._on_outcome(patch, outcome)

        return hook


class _ImportHooks:
    """Functions that are called with a module when it has been imported, by wrapt.

    wrapt imports asyncio, which takes as long as the rest of `voxmatrix --version`. So it is imported when the first
    of their packages is: this is a finder of `sys.meta_path` that finds nothing itself.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, list[tuple[str, Callable[[Any], None]]]] = {}

    def add(self, module: str, hook: Callable[[Any], None]) -> None:
        """Call `hook` when the module has been imported; at once if it has been."""
        package = module.partition(".")[0]
        self._waiting.setdefault(package, []).append((module, hook))
        if package in sys.modules:
            self._register(package)
        elif self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> "ModuleSpec | None":
        """What the other finders find, those of wrapt among them."""
        if name not in self._waiting:
            return None
        self._register(name)
        return importlib.util.find_spec(name)

    def _register(self, package: str) -> None:
        from wrapt import register_post_import_hook

        for module, hook in self._waiting.pop(package, ()):
            register_post_import_hook(hook, module)


def apply_patch(patch: Patch, module: Any) -> PatchOutcome:
    """Patch a module if necessary. Never raises, because an error would break the import of the module."""
    marks: set[str] = module.__dict__.setdefault(_MARK, set())
    if patch.id in marks:
        return PatchOutcome(state="applied", note="it is already applied")
    try:
        if not patch.broken(module):
            return PatchOutcome(state="retired", note="the defect is not present")
        replacements = dict(patch.apply(module))
    except Exception as error:
        return PatchOutcome(state="taken back", note=f"it could not be applied: {_first_line(error)}")
    originals = {name: getattr(module, name, _ABSENT) for name in replacements}
    _set(module, replacements)
    try:
        is_fixed, reason = patch.verify(module), "it did not fix the defect"
    except Exception as error:
        is_fixed, reason = False, _first_line(error)
    if not is_fixed:
        _set(module, originals)
        return PatchOutcome(state="taken back", note=reason)
    marks.add(patch.id)
    return PatchOutcome(state="applied")


def _wrong_version(patch: Patch) -> PatchOutcome | None:
    """The outcome of a patch for another version than the installed one; else None."""
    installed = patch.applies.installed()
    if installed is None:
        return PatchOutcome(state="not for this version", note=f"{patch.applies.package} is not installed")
    if not patch.applies.include(installed):
        note = f"{patch.applies.package} {installed} is installed; the patch is for {patch.applies}"
        return PatchOutcome(state="not for this version", note=note)
    return None


def _set(module: Any, attributes: Mapping[str, Any]) -> None:
    for name, value in attributes.items():
        if value is _ABSENT:
            delattr(module, name)
        else:
            setattr(module, name, value)


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0][:300]
