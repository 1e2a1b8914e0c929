"""torchaudio's native library beside a torch that it was not built with. Its transforms are Python and need it not."""

import re
from collections.abc import Callable, Mapping
from typing import Any

_LIBRARIES = ("_torchaudio", "libtorchaudio")


def needs_cuda(utils: Any) -> bool:
    """Whether the library cannot be loaded because this torch has no CUDA.

    On a torch with CUDA, a library that cannot be loaded is a broken installation: hiding that helps nobody.
    """
    import torch

    if torch.version.cuda is not None:
        return False
    try:
        utils._load_lib(_LIBRARIES[0])
    except OSError:
        return True
    return False


def without_library(utils: Any) -> Mapping[str, Any]:
    """Let the library be absent, which torchaudio is prepared for, where it cannot be loaded."""
    load: Callable[[str], bool] = utils._load_lib

    def load_or_skip(lib: str) -> bool:
        try:
            return bool(load(lib))
        except OSError:
            return False

    return {"_load_lib": load_or_skip}


def is_skipped(utils: Any) -> bool:
    """Whether the library counts as absent now."""
    return utils._load_lib(_LIBRARIES[0]) is False


def refuses_minor(utils: Any) -> bool:
    """Whether torchaudio refuses a torch with another minor version of the CUDA that both were built with."""
    try:
        if not all(utils._load_lib(lib) for lib in _LIBRARIES):
            return False
        utils._check_cuda_version()
    except OSError:
        return False
    except RuntimeError as error:
        return len(set(_majors(str(error)))) == 1
    return False


def majors_only(utils: Any) -> Mapping[str, Any]:
    """Let different minor versions pass: CUDA's libraries keep their interface within a major version."""
    check: Callable[[], int | None] = utils._check_cuda_version

    def check_major() -> int | None:
        import torch

        try:
            return check()
        except RuntimeError as error:
            if len(set(_majors(str(error)))) != 1:
                raise
            return int(torch.ops._torchaudio.cuda_version())

    return {"_check_cuda_version": check_major}


def is_accepted(utils: Any) -> bool:
    """Whether torchaudio accepts this torch now."""
    return utils._check_cuda_version() is not None


def _majors(message: str) -> list[str]:
    """Of the two versions that the refusal names."""
    return re.findall(r"CUDA version (\d+)\.\d+", message)
