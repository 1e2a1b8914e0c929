"""A process that only computes: another one saves, reports and talks (app.train.ranks)."""

from app.train.run import Run
from app.train.stepper import Stepper
from app.train.stopping import StopRequest
from app.train.watch import Watch


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
