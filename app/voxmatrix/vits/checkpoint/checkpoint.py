"""Read checkpoints, ours and those of both generations of Piper. Only weights and plain values are loaded.

`torch.load(weights_only=True)` creates only tensors and containers. Old Lightning files also contain paths of a data
set, which it rejects; they are loaded as pure paths, which have no access to the disk and work on every system.
"""

import errno
import pickle
import re
import struct
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import torch
from torch import Tensor, nn

from voxmatrix.errors import BadInputError, DamagedFileError, MemoryExhaustedError
from voxmatrix.tables.quality import HOP, N_FFT, N_MELS, SEGMENT_SAMPLES, SPEAKER_CHANNELS, Quality
from voxmatrix.vits.checkpoint.weights import from_piper, match_quality, to_piper

GENERATOR, DISCRIMINATOR = "model_g.", "model_d."
#: Exceptions of torch.load and zipfile for a truncated or corrupt file; NotImplementedError: a corrupt header names a
#: compression method that zipfile does not have.
_DAMAGE = (
    zipfile.BadZipFile, RuntimeError, EOFError, ValueError, KeyError, IndexError, AttributeError, TypeError,
    NotImplementedError, struct.error, zlib.error,
)  # fmt: skip
#: First bytes of sounds (wav, flac, ogg, mp3, mp4) and of an ONNX voice's JSON: files given by mistake.
_OTHER_FORMATS = (b"RIFF", b"fLaC", b"OggS", b"ID3", b"\xff\xfb", b"\xff\xf3", b"{")
#: The key of our data in the file, beside Lightning's keys.
EXTRA = "voxmatrix"


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """A voice read from a file. Weights have the names of our modules, ready for load_state_dict."""

    generator: dict[str, Tensor]
    discriminator: dict[str, Tensor] | None
    num_symbols: int
    num_speakers: int
    rate_hz: int
    quality: str
    extra: dict[str, Any]  # data of our trainer; empty in a Piper checkpoint


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint for training or speaking.

    Raises:
        BadInputError: the file does not exist or does not contain a voice of a known quality.
        DamagedFileError: the file is truncated or corrupt, or would run code when loaded.
        MemoryExhaustedError: the file does not fit into memory.
    """
    raw = _load(path)
    state = raw.get("state_dict")
    generator = _part(state, GENERATOR) if isinstance(state, Mapping) else {}
    if "enc_p.emb.weight" not in generator:
        raise BadInputError(
            f"{path} is a torch file without a voice: it has no weight {GENERATOR}enc_p.emb.weight",
            "give a checkpoint (.ckpt) of voxmatrix train or of Piper",
        )
    assert isinstance(state, Mapping)
    rate_hz = _rate_hz(raw)
    try:
        row = match_quality(generator, rate_hz)
    except LookupError as error:
        raise BadInputError(f"{path} is a voice of unknown quality: {error}", "train a new voice") from error
    return Checkpoint(
        generator=from_piper(generator),
        discriminator=from_piper(_part(state, DISCRIMINATOR)) or None,
        num_symbols=generator["enc_p.emb.weight"].size(0),
        num_speakers=generator["emb_g.weight"].size(0) if "emb_g.weight" in generator else 1,
        rate_hz=rate_hz or row.rate_hz,
        quality=row.name,
        extra=_mapping(raw.get(EXTRA)),
    )


def piper_state(generator: nn.Module, discriminator: nn.Module | None = None) -> dict[str, Tensor]:
    """The `state_dict` of a checkpoint, with Piper's names."""
    state = {GENERATOR + name: value for name, value in to_piper(generator.state_dict()).items()}
    if discriminator is not None:
        state |= {DISCRIMINATOR + name: value for name, value in to_piper(discriminator.state_dict()).items()}
    return state


def piper_hyper_parameters(
    row: Quality, num_symbols: int, num_speakers: int, batch_size: int, rate_hz: int | None = None
) -> dict[str, Any]:
    """The `hyper_parameters` of a checkpoint, from which Piper's trainer builds the same networks."""
    return {
        "batch_size": batch_size,
        "sample_rate": rate_hz or row.rate_hz,
        "num_symbols": num_symbols,
        "num_speakers": num_speakers,
        "resblock": row.resblock,
        "resblock_kernel_sizes": row.resblock_kernels,
        "resblock_dilation_sizes": row.resblock_dilations,
        "upsample_rates": row.upsample_rates,
        "upsample_initial_channel": row.upsample_channels,
        "upsample_kernel_sizes": row.upsample_kernels,
        "filter_length": N_FFT,
        "hop_length": HOP,
        "win_length": N_FFT,
        "mel_channels": N_MELS,
        "inter_channels": row.inter_channels,
        "hidden_channels": row.hidden_channels,
        "filter_channels": row.filter_channels,
        "n_heads": row.n_heads,
        "n_layers": row.n_layers,
        "gin_channels": SPEAKER_CHANNELS if num_speakers > 1 else 0,
        "segment_size": SEGMENT_SAMPLES,
        "quality": row.name,
    }


def _load(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise BadInputError(f"{path} does not exist", f"check the path: ls {path.parent}")
    if not _may_be_checkpoint(path):
        raise BadInputError(f"{path} is not a torch file", "give a checkpoint (.ckpt) of voxmatrix train or of Piper")
    try:
        _verify_checksums(path)
        with _paths_allowed(), warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # about the pickle protocol; an unreadable file raises anyway
            raw = torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        raise _unsafe(path, str(error)) from error
    except _DAMAGE as error:
        if "allocate memory" in str(error):
            raise MemoryExhaustedError(
                f"out of memory while reading {path}", "close other programs, or allow more memory"
            ) from error
        raise _damaged(path) from error
    except OSError as error:
        if error.errno == errno.EINVAL:  # a seek to before the start: the file is truncated
            raise _damaged(path) from error
        raise
    if not isinstance(raw, dict):
        raise BadInputError(f"{path} contains a {type(raw).__name__}, not a checkpoint", "give a .ckpt file")
    return raw


def _may_be_checkpoint(path: Path) -> bool:
    """Whether the file starts like one of torch, new or old, or is too short or damaged to tell."""
    with path.open("rb") as file:
        start = file.read(8)
    return not (start.startswith(_OTHER_FORMATS) or start.endswith(b"ftyp"))


def _verify_checksums(path: Path) -> None:
    """Verify the checksums written by torch.save; torch.load does not.

    Raises:
        zipfile.BadZipFile: a checksum does not match.
    """
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            corrupt = archive.testzip()
        if corrupt is not None:
            raise zipfile.BadZipFile(corrupt)


def _unsafe(path: Path, message: str) -> DamagedFileError:
    call = re.search(r"GLOBAL ([\w.]+)", message)
    if call:
        return DamagedFileError(
            f"{path} would call {call[1]} when loaded: none of its code was run, and it was not loaded",
            "get a checkpoint with weights only, from a source you trust",
        )
    return _damaged(path)


def _damaged(path: Path) -> DamagedFileError:
    return DamagedFileError(
        f"{path} ({path.stat().st_size:,} bytes) is truncated, corrupt or not a checkpoint",
        "copy the file again and compare the sizes, or use an earlier checkpoint",
    )


def _part(state: Mapping[Any, Any], prefix: str) -> dict[str, Tensor]:
    return {
        name.removeprefix(prefix): value.float() if value.is_floating_point() else value
        for name, value in state.items()
        if isinstance(name, str) and name.startswith(prefix) and isinstance(value, Tensor)
    }


def _rate_hz(raw: Mapping[str, Any]) -> int | None:
    """The sample rate stated in the file, by any trainer."""
    rate = _mapping(raw.get("hyper_parameters")).get("sample_rate")
    return rate if isinstance(rate, int) and rate > 0 else None


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


@contextmanager
def _paths_allowed() -> Iterator[None]:
    """Load pickled paths as pure paths inside the block. (torch 2.4 has no `torch.serialization.safe_globals`.)"""
    before = torch.serialization.get_safe_globals()
    torch.serialization.add_safe_globals(_STAND_INS)
    try:
        yield
    finally:
        torch.serialization.clear_safe_globals()
        torch.serialization.add_safe_globals(before)


def _stand_in(module: str, name: str) -> type:
    """A pure path class under the name used in the file (Python 3.13 moved the classes to pathlib._local)."""
    return type(name, (PureWindowsPath if "Windows" in name else PurePosixPath,), {"__module__": module})


_STAND_INS: list[Any] = [
    _stand_in(module, name)
    for module in ("pathlib", "pathlib._local")
    for name in ("PosixPath", "WindowsPath", "PurePosixPath", "PureWindowsPath", "Path")
]
