"""The entries of the ledger. Each has a test that fails without it (docs/patches.md says what was seen where)."""

import os
from collections.abc import Mapping

from voxmatrix_entrypoint import asked, audio_load, log, native_library
from voxmatrix_entrypoint.ledger import Ledger, Patch, PatchOutcome, Versions

PATCHES = (
    Patch(
        id="torchaudio-cpu",
        reason="torchaudio 2.11's wheel is a CUDA build: on CPU torch its import dies at a library of CUDA",
        upstream="https://github.com/pytorch/audio/pull/4212",
        until="torchaudio loads without CUDA, or its CPU wheel is what is installed",
        applies=Versions(package="torchaudio", since="2.11"),
        module="torchaudio._extension.utils",
        broken=native_library.needs_cuda,
        apply=native_library.without_library,
        verify=native_library.is_skipped,
    ),
    Patch(
        id="torchaudio-cuda-minor",
        reason="torchaudio 2.11 is built for CUDA 13.0 and refuses to be imported beside torch 2.15, built for 13.2",
        upstream="https://github.com/pytorch/audio/pull/4226",
        until="a release of torchaudio holds that change, which compares major versions only",
        applies=Versions(package="torchaudio", since="2.11"),
        module="torchaudio._extension.utils",
        broken=native_library.refuses_minor,
        apply=native_library.majors_only,
        verify=native_library.is_accepted,
    ),
    Patch(
        id="torchaudio-load",
        reason="torchaudio.load needs torchcodec and FFmpeg's shared libraries since 2.9; soundfile reads in its place",
        upstream="https://github.com/pytorch/audio/issues/4182",
        until="torchaudio.load works without torchcodec, or torchcodec is installed and can be loaded",
        applies=Versions(package="torchaudio", since="2.9"),
        module="torchaudio",
        broken=audio_load.cannot_load,
        apply=audio_load.with_soundfile,
        verify=audio_load.loads_right,
    ),
)


def _tell(patch: Patch, outcome: PatchOutcome) -> None:
    note = f" ({outcome.note})" if outcome.note else ""
    if outcome.state == "taken back":
        log.say(f"the patch {patch.id} was taken back: {outcome.note}\n  → see {patch.upstream}")
    elif log.is_asked():
        log.say(f"patch {patch.id}: {outcome.state}{note}: {patch.reason}")


LEDGER = Ledger(PATCHES, _tell)


def install(environment: Mapping[str, str] | None = None) -> None:
    """Arrange for every allowed patch to be applied when its module is first imported. Twice is the same as once.

    Raises:
        UsageError: VOXMATRIX_PATCHES names a patch that there is not.
    """
    environment = os.environ if environment is None else environment
    LEDGER.install(asked.allowed(environment.get(asked.VARIABLE, ""), [patch.id for patch in PATCHES]))
