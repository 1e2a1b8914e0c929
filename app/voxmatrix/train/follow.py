"""A process that only computes: another one saves, reports and talks (voxmatrix.train.step.distributed)."""

from voxmatrix.train.monitor.progress import Watch
from voxmatrix.train.run import Run
from voxmatrix.train.step.stepper import Stepper
from voxmatrix.train.stop import StopRequest


def follow(run: Run, watch: Watch, stop: StopRequest) -> None:
    """Take every step that the leading process takes, until the asked number is done or anybody asks to stop."""
    stepper = Stepper(run=run, watch=watch, stop=stop)
    progress = run.state.progress
    stepper.set_rate()
    if stepper.finished():
        return
    for plan, batches in run.feed.steps_from(progress.epoch, progress.index):
        stepper.take(plan, batches)
        if stepper.finished() or run.ranks.any(stop.asked):
            return
