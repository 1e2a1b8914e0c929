"""The native library of torchaudio with a torch it was not built for. Its transforms are Python and do not need it."""

import re
from collections.abc import Callable, Mapping
from typing import Any

_LIBRARIES = ("_torchaudio", "libtorchaudio")


def needs_cuda(utils: Any) -> bool:
    """Whether the library cannot be loaded because torch is built without CUDA.

    With CUDA, a library that cannot be loaded is a broken installation, which must not be hidden.
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
    """Treat a library that cannot be loaded as absent, which torchaudio supports."""
    load: Callable[[str], bool] = utils._load_lib

    def load_or_skip(lib: str) -> bool:
        try:
            return bool(load(lib))
        except OSError:
            return False

    return {"_load_lib": load_or_skip}


def is_skipped(utils: Any) -> bool:
    """Whether the library is treated as absent."""
    return utils._load_lib(_LIBRARIES[0]) is False


def refuses_minor(utils: Any) -> bool:
    """Whether torchaudio rejects torch only because their minor versions of CUDA differ."""
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
    """Accept different minor versions of CUDA, which are compatible within a major version."""
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
    """Whether torchaudio accepts the version of torch."""
    return utils._check_cuda_version() is not None


def _majors(message: str) -> list[str]:
    """The major versions of CUDA in the error message of torchaudio."""
    return re.findall(r"CUDA version (\d+)\.\d+", message)
