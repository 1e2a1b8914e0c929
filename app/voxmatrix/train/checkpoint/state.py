"""The complete state of a run, as stored in a checkpoint: restored exactly, or begun with weights of another voice."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from voxmatrix.compute.device import backend
from voxmatrix.dataset.prepared import PreparedSet
from voxmatrix.errors import BadInputError, DamagedFileError
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.tables.quality import Quality
from voxmatrix.text.symbols import default_map
from voxmatrix.train.config import Recipe
from voxmatrix.train.step.step import Networks, Optimisers
from voxmatrix.vits.checkpoint.checkpoint import EXTRA, Checkpoint, piper_hyper_parameters, piper_state, read_checkpoint
from voxmatrix.vits.checkpoint.weights import transfer

#: Raise it when files can no longer be resumed by an older voxmatrix.
FORMAT = 1


@dataclass(kw_only=True)
class Position:
    """Progress of a run: `step` steps are done; the next is step `index` of `epoch`."""

    step: int = 0
    epoch: int = 0
    index: int = 0
    best_mel: float = float("inf")
    best_step: int = 0
    since_best: int = 0  # validations after that of `best_step`
    words_wrong: float | None = None  # when they were heard last


@dataclass(frozen=True, kw_only=True)
class RunState:
    """A run in memory."""

    quality: Quality
    num_symbols: int
    num_speakers: int
    config: VoiceConfig
    recipe: Recipe
    networks: Networks
    optimisers: Optimisers
    position: Position

    def content(self) -> dict[str, Any]:
        """The content of a checkpoint: only tensors and plain values. All but our own key is for Piper's trainer.

        Waits for the device, because another thread, with a stream of its own, may read the tensors.
        """
        device = next(self.networks.generator.parameters()).device
        if (module := backend(device)) is not None:
            module.synchronize(device)
        return {
            "state_dict": piper_state(self.networks.generator, self.networks.discriminator),
            "hyper_parameters": piper_hyper_parameters(
                self.quality, self.num_symbols, self.num_speakers, self.recipe.batch_size, self.recipe.rate_hz
            ),
            "epoch": self.position.epoch,
            "global_step": self.position.step,
            "pytorch-lightning_version": version("lightning"),
            EXTRA: {
                "format": FORMAT,
                "quality": self.quality.name,
                "card": self.config.to_json(),
                "recipe": self.recipe.plain(),
                "progress": asdict(self.position),
                "optimisers": {
                    "generator": _optimiser_state(self.optimisers.generator, self.networks.generator),
                    "discriminator": _optimiser_state(self.optimisers.discriminator, self.networks.discriminator),
                    "scaler": self.optimisers.scaler.state_dict(),
                },
            },
        }

    def restore(self, checkpoint: Checkpoint) -> None:
        """Load the state of a checkpoint.

        Raises:
            DamagedFileError: the checkpoint was not written by a run in this format.
        """
        saved, optimisers = checkpoint.extra, checkpoint.extra.get("optimisers", {})
        if saved.get("format") != FORMAT or checkpoint.discriminator is None:
            raise DamagedFileError(
                f"this checkpoint has format {saved.get('format')!r}, but this voxmatrix resumes from format {FORMAT}",
                "choose another `out` and add `from` with that checkpoint: only its weights are used",
            )
        self.networks.generator.load_state_dict(checkpoint.generator)
        self.networks.discriminator.load_state_dict(checkpoint.discriminator)
        _restore_optimiser(self.optimisers.generator, self.networks.generator, optimisers["generator"])
        _restore_optimiser(self.optimisers.discriminator, self.networks.discriminator, optimisers["discriminator"])
        if optimisers["scaler"] and self.optimisers.scaler.is_enabled():
            self.optimisers.scaler.load_state_dict(optimisers["scaler"])
        for name, value in saved["progress"].items():
            setattr(self.position, name, value)


def _optimiser_state(optimiser: torch.optim.Optimizer, network: nn.Module) -> dict[str, dict[str, Tensor]]:
    """Adam's averages by weight name, independent of the order of parameters."""
    return {name: dict(optimiser.state[weight]) for name, weight in network.named_parameters()}


def _restore_optimiser(
    optimiser: torch.optim.Optimizer, network: nn.Module, saved: Mapping[str, Mapping[str, Tensor]]
) -> None:
    names = {weight: name for name, weight in network.named_parameters()}
    content = optimiser.state_dict()
    weights = [weight for group in optimiser.param_groups for weight in group["params"]]
    averages = {number: dict(saved[names[weight]]) for number, weight in enumerate(weights)}
    content["state"] = {number: state for number, state in averages.items() if state}
    optimiser.load_state_dict(content)


def start_from(path: Path, networks: Networks, row: Quality, prepared: PreparedSet) -> str:
    """Copy all weights that fit into the networks; the result describes it in words.

    Raises:
        BadInputError: the sample rate or quality differs (the language may).
        DamagedFileError: a weight is not finite: the training that wrote it diverged.
    """
    checkpoint = read_checkpoint(path)
    bad = next((name for name, weight in checkpoint.generator.items() if not weight.isfinite().all()), None)
    if bad is not None:
        raise DamagedFileError(
            f"{path} has weights that are not finite ({bad})", "use an earlier checkpoint of its run"
        )
    _check_shape(path, checkpoint, row, prepared.rate_hz)
    # A Piper checkpoint has no symbol table: public voices use the default one.
    symbols = checkpoint.extra.get("card", {}).get("phoneme_id_map") or default_map("espeak")
    generator = transfer(checkpoint.generator, networks.generator, symbols, prepared.id_map)
    copied, fresh = generator.copied, list(generator.fresh)
    if checkpoint.discriminator is not None:
        discriminator = transfer(checkpoint.discriminator, networks.discriminator)
        copied, fresh = copied + discriminator.copied, fresh + list(discriminator.fresh)
    else:
        fresh.append("the discriminators")
    new = f"; new: {', '.join(fresh[:4])}{' …' if len(fresh) > 4 else ''}" if fresh else ""
    return f"starting from {path} ({copied} weights copied{new})"


def _check_shape(path: Path, checkpoint: Checkpoint, row: Quality, rate_hz: int) -> None:
    if checkpoint.rate_hz != rate_hz:
        raise BadInputError(
            f"{path} has a sample rate of {checkpoint.rate_hz} Hz, but quality {row.name} has {rate_hz} Hz",
            f"choose the quality of that voice: `quality={checkpoint.quality}`",
        )
    if checkpoint.quality != row.name:
        raise BadInputError(
            f"{path} is a voice of quality {checkpoint.quality}, whose networks differ from those of {row.name}",
            f"choose `quality={checkpoint.quality}`, or omit `from`",
        )
