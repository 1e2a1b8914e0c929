"""Time the voxmatrix trainer per batch, for comparison with piper_trainer.py. Prints one JSON object."""

import argparse
import json
import tempfile
from pathlib import Path

from voxmatrix.dataset.prepare import prepare
from voxmatrix.dataset.prepared import PrepareSettings
from voxmatrix.plan.device_request import parse_device
from voxmatrix.plan.overrides import override_number
from voxmatrix.plan.plan import Overrides
from voxmatrix.train.config import TrainSettings
from voxmatrix.train.fit import fit
from voxmatrix.train.monitor.progress import QuietProgress, StepReport
from voxmatrix_entrypoint import patches


class Clock(QuietProgress):
    """Accumulates wall time and audio seconds of all steps after the warm-up."""

    def __init__(self, warmup: int) -> None:
        self.warmup, self.seconds, self.audio_seconds = warmup, 0.0, 0.0

    def reported(self, report: StepReport) -> None:
        """Add one step; the report has its speed."""
        if report.step > self.warmup:
            seconds = 1 / report.steps_per_second
            self.seconds += seconds
            self.audio_seconds += report.audio_seconds_per_second * seconds


def main() -> None:
    """Train, and print audio seconds, wall time and the number of steps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--quality", default="medium")
    parser.add_argument("--batch-size", type=int, default=4)
    parser.add_argument("--warmup", type=int, default=2)
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    patches.install()
    steps = args.warmup + args.steps
    with tempfile.TemporaryDirectory() as folder:
        prepared = prepare(
            args.data,
            PrepareSettings(
                quality=args.quality, language="en-us", phoneme_type="espeak", cache=Path(folder) / "cache", workers=2
            ),
        )
        clock = Clock(args.warmup)
        settings = TrainSettings(
            out=Path(folder) / "run",
            overrides=Overrides(
                device=parse_device("cpu", "flag", "--device cpu"),
                batch_size=override_number(str(args.batch_size), "--batch-size", "flag"),
                accumulation=override_number("1", "--accumulation", "flag"),
            ),
            max_steps=steps,
            threads=args.threads,
            log_every=1,
            validate_every=10 * steps,
            checkpoint_every=10 * steps,
        )
        fit(prepared, settings, clock)
    print(json.dumps({"audio_seconds": clock.audio_seconds, "seconds": clock.seconds, "steps": args.steps}))


if __name__ == "__main__":
    main()
