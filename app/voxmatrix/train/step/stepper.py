"""One step of a run after another: passes, agreement between processes, update, position."""

from collections.abc import Mapping
from dataclasses import dataclass

from torch import Tensor

from voxmatrix.compute.memory import free_cached, is_out_of_memory
from voxmatrix.train.config import DEFAULT_EPOCHS, RATE_DECAY
from voxmatrix.train.data.batches import Batch, StepPlan
from voxmatrix.train.monitor.progress import Progress
from voxmatrix.train.run import Run
from voxmatrix.train.step.step import gradients, step_seed, update
from voxmatrix.train.stop import StopRequest
from voxmatrix.voice.layers.gradient_checkpointing import set_gradient_checkpointing


@dataclass(frozen=True, kw_only=True)
class Stepper:
    """Takes steps; gives way when memory runs out."""

    run: Run
    progress: Progress
    stop: StopRequest

    def finished(self) -> bool:
        """Whether the asked steps or epochs are done."""
        settings, position = self.run.settings, self.run.state.position
        epochs = epochs_limit(settings.max_steps, settings.epochs)
        steps_done = settings.max_steps is not None and position.step >= settings.max_steps
        return steps_done or (epochs is not None and position.epoch >= epochs)

    def take(self, plan: StepPlan, batches: list[Batch]) -> Mapping[str, Tensor]:
        """One step, and its losses. Weights, optimisers and position change together, under the lock."""
        run, state, position = self.run, self.run.state, self.run.state.position
        seeds = [step_seed(state.recipe.seed, position.step, number) for number in range(len(batches))]
        losses = run.distributed.add_up(state.networks, self._passes(batches, seeds), run.device)
        with self.stop.lock:
            update(state.networks, state.optimisers, state.recipe.clip_norm)
            position.step += 1
            position.epoch, position.index = (plan.epoch + 1, 0) if plan.last else (plan.epoch, plan.index + 1)
        if plan.last:
            self.set_rate()
        self.progress.stepped(position.step)
        return losses

    def set_rate(self) -> None:
        """The learning rate falls once an epoch, as a function of the epoch alone."""
        state = self.run.state
        state.optimisers.set_rate(state.recipe.learning_rate * RATE_DECAY**state.position.epoch)

    def _passes(self, batches: list[Batch], seeds: list[int]) -> dict[str, Tensor]:
        """Losses and gradients of a step; where memory runs out, again in a way that needs less of it."""
        run, networks, oom_recovery = self.run, self.run.state.networks, self.run.oom_recovery
        while True:
            try:
                return gradients(
                    networks,
                    run.state.optimisers.scaler,
                    batches,
                    seeds=seeds,
                    autocast=run.autocast,
                    split=oom_recovery.parts,
                    segment_frames=oom_recovery.savings.segment_frames,
                )
            except Exception as error:
                if not is_out_of_memory(error):
                    raise
                given_way = oom_recovery.reduce(error)
            # Behind the except block: the error held the tensors that filled the memory.
            self.progress.warned(given_way)
            networks.generator.zero_grad()
            networks.discriminator.zero_grad()
            set_gradient_checkpointing((networks.generator, networks.discriminator), oom_recovery.savings.checkpointed)
            free_cached(run.device)


def follow(run: Run, progress: Progress, stop: StopRequest) -> None:
    """Only compute, where another process saves, reports and talks (voxmatrix.train.step.distributed).

    Takes every step that the leading process takes, until the asked number is done or anybody asks to stop.
    """
    stepper = Stepper(run=run, progress=progress, stop=stop)
    position = run.state.position
    stepper.set_rate()
    if stepper.finished():
        return
    for plan, batches in run.loader.steps_from(position.epoch, position.index):
        stepper.take(plan, batches)
        if stepper.finished() or run.distributed.any(stop.asked):
            return


def epochs_limit(max_steps: int | None, epochs: int | None) -> int | None:
    """How many epochs at most: without any limit given, a default."""
    return DEFAULT_EPOCHS if max_steps is None and epochs is None else epochs
