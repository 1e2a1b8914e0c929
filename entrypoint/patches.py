"""The ledger: one entry per upstream defect, applied in this process when its module is imported, never to files.

An entry is here only with a test that fails without it. It is gated by behaviour, not by version alone: when upstream
works again, `broken` says so and nothing is touched.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import wrapt


@dataclass(frozen=True, kw_only=True)
class Patch:
    """One defect of somebody else's package, and what is done about it."""

    id: str
    reason: str
    upstream: str
    module: str
    apply: Callable[[Any], None]


_MARK = "_voxmatrix_patched"


def _skip_unloadable_library(utils: Any) -> None:
    """Let torchaudio import on a torch without CUDA: its transforms are Python and need no native library."""
    load = utils._load_lib

    def load_or_skip(lib: str) -> bool:
        try:
            return bool(load(lib))
        except OSError:
            import torch

            if torch.version.cuda is not None:
                raise  # on a CUDA torch this is a broken installation, and hiding it helps nobody
            return False

    setattr(load_or_skip, _MARK, True)
    utils._load_lib = load_or_skip


LEDGER = (
    Patch(
        id="torchaudio-cpu",
        reason="torchaudio 2.11's wheel is a CUDA build: on CPU torch its import dies at libc10_cuda.so",
        upstream="https://github.com/pytorch/audio/pull/4212",
        module="torchaudio._extension.utils",
        apply=_skip_unloadable_library,
    ),
)


def install() -> None:
    """Arrange for every patch to be applied when its module is first imported. Installing twice changes nothing."""
    for patch in LEDGER:
        wrapt.register_post_import_hook(_once(patch), patch.module)


def _once(patch: Patch) -> Callable[[Any], None]:
    def hook(module: Any) -> None:
        if not getattr(module, _MARK, False):
            patch.apply(module)
            setattr(module, _MARK, True)

    return hook
