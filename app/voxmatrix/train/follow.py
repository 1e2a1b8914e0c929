"""A process that only computes: another one saves, reports and talks (voxmatrix.train.step.distributed)."""

from voxmatrix.train.monitor.progress import Progress
from voxmatrix.train.run import Run
from voxmatrix.train.step.stepper import Stepper
from voxmatrix.train.stop import StopRequest


def follow(run: Run, progress: Progress, stop: StopRequest) -> None:
    """Take every step that the leading process takes, until the asked number is done or anybody asks to stop."""
    stepper = Stepper(run=run, progress=progress, stop=stop)
    position = run.state.position
    stepper.set_rate()
    if stepper.finished():
        return
    for plan, batches in run.loader.steps_from(position.epoch, position.index):
        stepper.take(plan, batches)
        if stepper.finished() or run.distributed.any(stop.asked):
            return
