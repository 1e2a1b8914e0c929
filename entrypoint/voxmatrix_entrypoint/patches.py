"""All patches. Each has a test that fails without it; docs/inside/patches.md lists the results for each torch."""

import os
from collections.abc import Mapping

from voxmatrix_entrypoint import audio_load, log, native_library
from voxmatrix_entrypoint.allowed_patches import VARIABLE, allowed_patches
from voxmatrix_entrypoint.ledger import Patch, PatchLedger, PatchOutcome, Versions

PATCHES = (
    Patch(
        id="torchaudio-cpu",
        reason="the wheel of torchaudio 2.11 is a CUDA build: its import fails with a CPU build of torch",
        upstream="https://github.com/pytorch/audio/pull/4212",
        until="torchaudio can be imported without CUDA, or its CPU wheel is installed",
        applies=Versions(package="torchaudio", since="2.11"),
        module="torchaudio._extension.utils",
        broken=native_library.needs_cuda,
        apply=native_library.without_library,
        verify=native_library.is_skipped,
    ),
    Patch(
        id="torchaudio-cuda-minor",
        reason="torchaudio 2.11.0, built for CUDA 13.0, rejects torch 2.15, built for CUDA 13.2, when it is imported",
        upstream="https://github.com/pytorch/audio/pull/4226",
        until="torchaudio 2.11.1, which compares only major versions, is in every row that has torch 2.15 or newer",
        applies=Versions(package="torchaudio", since="2.11"),
        module="torchaudio._extension.utils",
        broken=native_library.refuses_minor,
        apply=native_library.majors_only,
        verify=native_library.is_accepted,
    ),
    Patch(
        id="torchaudio-load",
        reason="since 2.9, torchaudio.load needs torchcodec and the libraries of FFmpeg; it now uses soundfile instead",
        upstream="https://github.com/pytorch/audio/issues/4182",
        until="torchaudio.load works without torchcodec, or torchcodec can be loaded",
        applies=Versions(package="torchaudio", since="2.9"),
        module="torchaudio",
        broken=audio_load.cannot_load,
        apply=audio_load.with_soundfile,
        verify=audio_load.loads_right,
    ),
)


def _report(patch: Patch, outcome: PatchOutcome) -> None:
    note = f" ({outcome.note})" if outcome.note else ""
    if outcome.state == "taken back":
        log.write(f"the patch {patch.id} was taken back: {outcome.note}\n  → see {patch.upstream}")
    elif log.is_verbose():
        log.write(f"patch {patch.id}: {outcome.state}{note}: {patch.reason}")


LEDGER = PatchLedger(PATCHES, _report)


def install(environment: Mapping[str, str] | None = None) -> None:
    """Register all allowed patches, to be applied when their modules are imported. Later calls change nothing.

    Raises:
        UsageError: VOXMATRIX_PATCHES names an unknown patch.
    """
    environment = os.environ if environment is None else environment
    LEDGER.install(allowed_patches(environment.get(VARIABLE, ""), [patch.id for patch in PATCHES]))
