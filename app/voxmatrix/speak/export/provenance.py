"""Where an exported voice came from: image, torch, recordings and settings, kept in its card and its ONNX."""

import os
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

import torch

import voxmatrix
from voxmatrix.files import digest
from voxmatrix.voice.checkpoint.checkpoint import Checkpoint
from voxmatrix.voice.config import VoiceConfig, language_of

#: Set in every image; names its row in docker/images.toml.
IMAGE = "VOXMATRIX_IMAGE"


def described(config: VoiceConfig, path: Path, checkpoint: Checkpoint) -> VoiceConfig:
    """The card of a checkpoint, made whole for a voice that goes out into the world."""
    progress, recipe = checkpoint.extra.get("progress"), checkpoint.extra.get("recipe")
    made: dict[str, Any] = {
        **config.made_by,
        "exported_by": f"voxmatrix {voxmatrix.__version__}",
        "image": os.environ.get(IMAGE, ""),
        "torch": str(torch.__version__),
        "checkpoint_sha256": digest(path),
    }
    if isinstance(progress, dict) and "step" in progress:
        made["steps"] = progress["step"]
    if isinstance(recipe, dict):
        # Without the folders of whoever trained it.
        made["settings"] = recipe | {"start_from": PurePath(str(recipe.get("start_from", ""))).name}
    return replace(
        config,
        rate_hz=checkpoint.rate_hz,
        quality=checkpoint.quality,
        num_symbols=checkpoint.num_symbols,
        num_speakers=checkpoint.num_speakers,
        language=config.language if "family" in config.language else language_of(config.espeak_voice),
        made_by=made,
    )
