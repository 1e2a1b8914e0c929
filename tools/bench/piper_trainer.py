"""Time Piper's trainer (piper-tts, unmodified except for its missing alignment module) per batch.

Run as a separate program by train_beside_piper.py; prints one JSON object. GPL: never imported by the app.
"""

import argparse
import json
import sys
import tempfile
import time
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np


def provide_alignment() -> None:
    """Provide monotonic alignment search, which the wheel of piper-tts lacks, from the package that voxmatrix uses."""
    import torch
    from monotonic_alignment_search import maximum_path

    def maximum_path_c(paths: np.ndarray, values: np.ndarray, text: np.ndarray, frames: np.ndarray) -> None:
        # Piper passes (batch, frames, text), and frames before text; the package expects (batch, text, frames).
        n_frames, n_text = text, frames
        mask = np.zeros(values.shape, dtype=np.float32)
        for row in range(len(values)):
            mask[row, : n_frames[row], : n_text[row]] = 1.0
        solved = maximum_path(
            torch.from_numpy(values.transpose(0, 2, 1).copy()), torch.from_numpy(mask.transpose(0, 2, 1).copy())
        )
        paths[:] = solved.numpy().transpose(0, 2, 1)

    package = "piper.train.vits.monotonic_align.monotonic_align"
    core = types.ModuleType(f"{package}.core")
    core.maximum_path_c = maximum_path_c  # type: ignore[attr-defined]
    sys.modules[package] = types.ModuleType(package)
    sys.modules[f"{package}.core"] = core


@dataclass
class Clock:
    """Wall time and audio samples from the end of the warm-up to the end of the last step."""

    warmup: int
    measured: int  # steps to measure
    started: float = 0.0
    ended: float = 0.0
    samples: int = 0
    steps: int = 0  # after the warm-up

    @property
    def is_at_an_end(self) -> bool:
        """Whether the step that ends now is the last of the warm-up, or of those measured."""
        return self.warmup == 1 or self.steps + 1 == self.measured

    def passed(self, samples: int) -> bool:
        """Count a finished step; whether it was the last one."""
        self.ended = time.perf_counter()
        if self.warmup:
            self.warmup -= 1
            self.started = self.ended
        else:
            self.samples += samples
            self.steps += 1
        return self.steps >= self.measured


def main() -> None:
    """Train, and print audio seconds, wall time and the number of steps."""
    args = _arguments()

    import torch

    torch.set_num_threads(args.threads)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True  # as piper.train.__main__ does
    provide_alignment()
    import lightning as L  # noqa: N812
    from piper.train.vits.lightning import VitsModel

    class Stopper(L.Callback):
        """Counts batches, over any number of epochs, and stops the trainer after enough of them."""

        def on_train_batch_end(self, trainer, module, outputs, batch, batch_idx) -> None:  # type: ignore[no-untyped-def]
            if torch.cuda.is_available() and clock.is_at_an_end:
                torch.cuda.synchronize()
            trainer.should_stop = clock.passed(int(batch.audio_lengths.sum()))

    clock = Clock(args.warmup, args.steps)
    with tempfile.TemporaryDirectory() as folder:
        L.seed_everything(1, verbose=False)
        data = _recordings(args, Path(folder))
        if args.prepare:
            data.prepare_data()
            return
        trainer = L.Trainer(
            max_epochs=args.warmup + args.steps,  # an epoch has at least one batch
            limit_train_batches=args.warmup + args.steps,
            limit_val_batches=0,
            num_sanity_val_steps=0,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            logger=False,
            accelerator=args.accelerator,
            devices=1,
            precision=args.precision,
            callbacks=[Stopper()],
            default_root_dir=folder,
        )
        trainer.fit(VitsModel(batch_size=args.batch_size, mos_metric=None), datamodule=data)
    rate = data.sample_rate
    seconds = clock.ended - clock.started
    print(json.dumps({"audio_seconds": clock.samples / rate, "seconds": seconds, "steps": clock.steps}))


def _recordings(args: argparse.Namespace, folder: Path) -> Any:
    """The recordings, prepared in the folder unless there is a cache."""
    import torch
    from piper.train.vits.dataset import VitsDataModule

    class Data(VitsDataModule):  # type: ignore[misc]
        """The recordings `--repeat` times in each epoch: the pause between epochs is not what is measured."""

        def setup(self, stage: str) -> None:
            super().setup(stage)
            self.train_dataset: Any = torch.utils.data.ConcatDataset([self.train_dataset] * args.repeat)

    return Data(
        csv_path=args.data / "metadata.csv",
        cache_dir=args.cache or folder / "cache",
        espeak_voice="en-us",
        config_path=folder / "config.json",
        voice_name="bench",
        audio_dir=args.data,
        batch_size=args.batch_size,
        num_workers=args.workers,
        phoneme_type=args.phonemes,
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--batch-size", type=int, default=4)
    parser.add_argument("--warmup", type=int, default=2)
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--workers", type=int, default=1, help="that load recordings")
    parser.add_argument("--repeat", type=int, default=1, help="how often an epoch has each recording")
    parser.add_argument("--phonemes", default="espeak", choices=["espeak", "text"])
    parser.add_argument("--accelerator", default="cpu", choices=["cpu", "gpu"])
    parser.add_argument("--precision", default="32-true")
    parser.add_argument("--cache", type=Path, metavar="DIR", help="prepared recordings, kept for the next run")
    parser.add_argument("--prepare", action="store_true", help="only prepare the recordings")
    return parser.parse_args()


if __name__ == "__main__":
    main()
