"""The provenance of an exported voice: image, torch, recordings and settings, stored in its config and ONNX file."""

import os
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

import torch

import voxmatrix
from voxmatrix.config import IMAGE_VARIABLE
from voxmatrix.files import digest
from voxmatrix.piper.config import VoiceConfig, language_of
from voxmatrix.vits.checkpoint.checkpoint import Checkpoint


def with_provenance(config: VoiceConfig, path: Path, checkpoint: Checkpoint) -> VoiceConfig:
    """The config of a checkpoint, completed for the exported voice."""
    progress, recipe = checkpoint.extra.get("progress"), checkpoint.extra.get("recipe")
    made_by: dict[str, Any] = {
        **config.made_by,
        "exported_by": f"voxmatrix {voxmatrix.__version__}",
        "image": os.environ.get(IMAGE_VARIABLE, ""),
        "torch": str(torch.__version__),
        "checkpoint_sha256": digest(path),
    }
    if isinstance(progress, dict) and "step" in progress:
        made_by["steps"] = progress["step"]
    if isinstance(recipe, dict):
        # Without the private folders of the training machine.
        made_by["settings"] = recipe | {"start_from": PurePath(str(recipe.get("start_from", ""))).name}
    return replace(
        config,
        rate_hz=checkpoint.rate_hz,
        quality=checkpoint.quality,
        num_symbols=checkpoint.num_symbols,
        num_speakers=checkpoint.num_speakers,
        language=config.language if "family" in config.language else language_of(config.espeak_voice),
        made_by=made_by,
    )
