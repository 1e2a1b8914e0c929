"""A training as a program of its own, to be killed: `tests.train.program OUT CLIPS STEPS [SLOW_SECONDS [DEVICES]]`."""

import sys
import time
from pathlib import Path
from typing import Any

from tests.train import synthetic
from voxmatrix.errors import VoxmatrixError
from voxmatrix_entrypoint import patches


def main(out: Path, clips: Path, steps: int, slow_seconds: float, devices: int) -> int:
    """Train the small voice; every step sleeps inside one call for `slow_seconds`, as a large one on a CPU would."""
    patches.install()
    synthetic.know_mini()
    from tests.train.asking import preflight, settings
    from voxmatrix.train.fit import fit
    from voxmatrix.train.step import stepper

    real = stepper.gradients

    def slow(*given: Any, **more: Any) -> Any:
        until = time.monotonic() + slow_seconds
        while time.monotonic() < until:
            time.sleep(until - time.monotonic())  # goes on after a signal, as torch does
        return real(*given, **more)

    stepper.gradients = slow
    prepared = synthetic.prepared_set(clips)
    asked = settings(
        out,
        accumulation=1,
        devices=devices,
        threads=1,
        batch_size=4,
        max_steps=steps,
        discriminator_start=3,
        checkpoint_every=5,
        validate_every=20,
        log_every=1,
        keep=2,
    )
    try:
        result = fit(prepared, asked, preflight=preflight())
    except VoxmatrixError as error:
        sys.stdout.write(f"{type(error).__name__}: {error}\n")
        return error.exit_code
    sys.stdout.write(f"done at step {result.steps}\n")
    return 0


if __name__ == "__main__":
    given = [*sys.argv[1:], *("0", "1")[len(sys.argv) - 4 :]]
    sys.exit(main(Path(given[0]), Path(given[1]), int(given[2]), float(given[3]), int(given[4])))
