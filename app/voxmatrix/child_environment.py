"""The environment of a child process: a list of variables for each kind of child, so that secrets stay in this process.

A variable that no list has is not passed on: of all that a computer may have (keys of clouds, tokens, passwords of
databases), nobody can name the secrets, but what a program needs can be named.
"""

import os
from collections.abc import Mapping

# A name with a * stands for all that begin like it. Names are compared in capitals: Windows ignores case, and elsewhere
# proxies are often written in small letters.
# fmt: off
#: What any program may need: where programs, libraries, temporary files and the user's own files are, and the language.
_SYSTEM = (
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TZDIR", "TMPDIR", "TMP", "TEMP",
    "LD_LIBRARY_PATH", "LD_PRELOAD", "DYLD_*", "GLIBC_TUNABLES", "MALLOC_*", "LOCPATH", "FONTCONFIG_*",
    "NIX_*", "GUIX_LOCPATH", "CONDA_PREFIX", "__CF_USER_TEXT_ENCODING",
    # Windows
    "ALLUSERSPROFILE", "APPDATA", "COMMONPROGRAMFILES", "COMMONPROGRAMFILES(X86)", "COMMONPROGRAMW6432", "COMSPEC",
    "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS", "OS", "PATHEXT", "PROCESSOR_*", "PROGRAMDATA",
    "PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMW6432", "SYSTEMDRIVE", "SYSTEMROOT", "USERNAME", "USERPROFILE",
    "WINDIR",
)
#: What decides on which device, and with how many threads, torch and onnxruntime compute.
_COMPUTE = (
    "CUDA_*", "NVIDIA_*", "CUBLAS_*", "CUBLASLT_*", "CUDNN_*", "NCCL_*", "NVCC_*", "PYTORCH_*", "TORCH_*",
    "TORCHDYNAMO_*", "TORCHELASTIC_*", "TORCHINDUCTOR_*", "TRITON_*", "GLOO_*", "ORT_*", "UCX_*",
    "AMD_*", "GPU_DEVICE_ORDINAL", "GPU_MAX_HW_QUEUES", "HIP_*", "HIPBLASLT_*", "HSA_*", "MIOPEN_*", "ROCBLAS_*",
    "ROCM_*", "ROCR_*",
    "CCL_*", "DNNL_*", "IGC_*", "IPEX_*", "OCL_*", "ONEAPI_*", "ONEDNN_*", "OPENCL_*", "SYCL_*", "UR_*", "ZE_*",
    "ZES_*",
    "BLIS_*", "CT2_*", "GOMP_*", "KMP_*", "MKL_*", "NUMBA_*", "NUMEXPR_*", "OMP_*", "OPENBLAS_*", "OV_*", "TBB_*",
    "VECLIB_*", "CC", "CXX", "DIRECTML_DEVICE", "TOKENIZERS_PARALLELISM",
)
#: What a command of voxmatrix reads besides, and what the launcher of a training on several devices sets. HF_* are the
#: places of caches and the switch HF_HUB_OFFLINE.
_VOXMATRIX = (
    "VOXMATRIX_*", "PYTHON*", "GPU_ID", "USE_GPU", "VIBEVOICE_DEVICE", "HF_*", "TRANSFORMERS_OFFLINE", "DO_NOT_TRACK",
    "MPLBACKEND", "MPLCONFIGDIR", "XDG_*", "COLUMNS", "FORCE_COLOR", "NO_COLOR", "TERM",
    "RANK", "LOCAL_RANK", "GROUP_RANK", "NODE_RANK", "ROLE_*", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR",
    "MASTER_PORT",
)
#: How the speakers are reached: the socket of the sound server, and which device is chosen.
_SOUND = (
    "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "PULSE_*", "PIPEWIRE_*", "ALSA_*", "JACK_*", "SDL_*",
    "AUDIODEV", "AUDIODRIVER",
)
#: How other computers are reached. The address of a proxy may contain a password: no foreign code gets it.
_NETWORK = (
    "ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "SSL_CERT_DIR",
    "SSL_CERT_FILE",
)
#: What pip reads.
_PIP = ("PIP_*", "PYTHON*", "NETRC")
#: What opens the broker and the store of a cluster.
_CLUSTER = (
    "VOXMATRIX_CLUSTER", "VOXMATRIX_STORE", "VOXMATRIX_RESULTS", "REDIS_*", "AWS_*", "AZURE_*", "FSSPEC_*", "GCSFS_*",
    "GOOGLE_*", "COORDINATOR_IP",
)
#: Words in the name of a secret, and of an address that may contain one. No name with a * lets them through.
_SECRET = frozenset({
    "AUTH", "CREDENTIALS", "KEY", "KEYS", "PASS", "PASSWD", "PASSWORD", "SECRET", "SECRETS", "TOKEN", "TOKENS",
    "CLUSTER", "RESULTS", "STORE",
})
# fmt: on
#: The key of the server, and the broker with its password: read when a server or worker starts, and not again.
_READ_ONCE = ("VOXMATRIX_KEY", "VOXMATRIX_CLUSTER", "REDIS_URL", "REDIS_PASSWORD")
_HUB_TOKEN = "HF_TOKEN"


def for_program() -> dict[str, str]:
    """The environment of a program of others that computes on the CPU alone: ffmpeg, Calibre, espeak-ng, PDFium."""
    return _listed(_SYSTEM)


def for_player() -> dict[str, str]:
    """The environment of a program that plays sound."""
    return _listed(_SYSTEM + _SOUND)


def for_engine() -> dict[str, str]:
    """The environment of code of others that uses GPUs: engines, nvidia-smi."""
    return _listed(_SYSTEM + _COMPUTE)


def for_voxmatrix(*, hub: bool = False, cluster: bool = False) -> dict[str, str]:
    """The environment of a command of ours: its settings and the way to other computers, without secrets.

    `hub` adds the token of the model hub, for a command that downloads; `cluster` what opens its broker and store.
    """
    given = _listed(_SYSTEM + _COMPUTE + _VOXMATRIX + _NETWORK)
    if hub and _HUB_TOKEN in os.environ:
        given[_HUB_TOKEN] = os.environ[_HUB_TOKEN]
    return {**given, **_matching(os.environ, _CLUSTER)} if cluster else given


def for_pip() -> dict[str, str]:
    """The environment of pip: the way to its index, with the passwords that are part of addresses."""
    return _listed(_SYSTEM + _NETWORK + _PIP)


def drop_unlisted() -> None:
    """Remove from the environment of this process what a command of ours does not get.

    For a process that multiprocessing has started, which it gives the environment of its parent.
    """
    for name in os.environ.keys() - for_voxmatrix().keys():
        del os.environ[name]


def drop_read_secrets() -> None:
    """Remove the key and the broker from the environment of this process, which has read them."""
    for name in _READ_ONCE:
        os.environ.pop(name, None)


def _listed(names: tuple[str, ...]) -> dict[str, str]:
    """Those with such names that are no secrets."""
    found = _matching(os.environ, names)
    return {name: value for name, value in found.items() if not _SECRET.intersection(name.upper().split("_"))}


def _matching(environment: Mapping[str, str], names: tuple[str, ...]) -> dict[str, str]:
    exact = frozenset(names)
    beginnings = tuple(name.removesuffix("*") for name in names if name.endswith("*"))
    return {
        name: value
        for name, value in environment.items()
        if name.upper() in exact or name.upper().startswith(beginnings)
    }
