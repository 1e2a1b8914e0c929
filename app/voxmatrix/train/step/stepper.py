"""Take the steps of a run: gradients, exchange between processes, update, position."""

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
from voxmatrix.vits.layers.gradient_checkpointing import set_gradient_checkpointing


@dataclass(frozen=True, kw_only=True)
class Stepper:
    """Takes steps, and recovers when memory runs out."""

    run: Run
    progress: Progress
    stop: StopRequest

    def finished(self) -> bool:
        """Whether the requested steps or epochs are done."""
        settings, position = self.run.settings, self.run.state.position
        epochs = epochs_limit(settings.max_steps, settings.epochs)
        steps_done = settings.max_steps is not None and position.step >= settings.max_steps
        return steps_done or (epochs is not None and position.epoch >= epochs)

    def has_stalled(self) -> bool:
        """Whether so many validations were no better that the training is to end. Only rank zero validates."""
        patience = self.run.settings.patience
        return patience is not None and self.run.state.position.since_best >= patience

    def take(self, plan: StepPlan, batches: list[Batch]) -> Mapping[str, Tensor]:
        """Take a step and return its losses. Weights, optimisers and position change together, under the lock."""
        run, state, position = self.run, self.run.state, self.run.state.position
        seeds = [step_seed(state.recipe.seed, position.step, number) for number in range(len(batches))]
        losses = run.distributed.all_reduce(state.networks, self._gradients(batches, seeds), run.device)
        with self.stop.lock:
            update(state.networks, state.optimisers, state.recipe.clip_norm)
            position.step += 1
            position.epoch, position.index = (plan.epoch + 1, 0) if plan.last else (plan.epoch, plan.index + 1)
        if plan.last:
            self.set_rate()
        self.progress.stepped(position.step)
        return losses

    def set_rate(self) -> None:
        """Set the learning rate, which decays per epoch and depends on the epoch only."""
        state = self.run.state
        state.optimisers.set_rate(state.recipe.learning_rate * RATE_DECAY**state.position.epoch)

    def _gradients(self, batches: list[Batch], seeds: list[int]) -> dict[str, Tensor]:
        """Compute the gradients and losses of a step; if memory runs out, try again with less of it."""
        run, state, oom_recovery = self.run, self.run.state, self.run.oom_recovery
        networks, adversarial = state.networks, state.position.step >= state.recipe.discriminator_start
        while True:
            try:
                return gradients(
                    networks,
                    state.optimisers.scaler,
                    batches,
                    seeds=seeds,
                    autocast=run.autocast,
                    adversarial=adversarial,
                    split=oom_recovery.parts,
                    segment_frames=oom_recovery.savings.segment_frames,
                    compute=oom_recovery.savings.graphs,
                )
            except Exception as error:
                if not is_out_of_memory(error):
                    raise
                measure = oom_recovery.reduce(error)
            # After the except block, because the error holds references to the tensors in memory.
            self.progress.warned(measure)
            networks.generator.zero_grad()
            networks.discriminator.zero_grad()
            set_gradient_checkpointing((networks.generator, networks.discriminator), oom_recovery.savings.checkpointed)
            free_cached(run.device)


def follow(run: Run, progress: Progress, stop: StopRequest) -> None:
    """Take the same steps as rank zero, which alone reports and saves (voxmatrix.train.step.distributed).

    Ends when the requested steps are done, the voice gets no better, or a stop is requested in any process.
    """
    stepper = Stepper(run=run, progress=progress, stop=stop)
    position = run.state.position
    stepper.set_rate()
    if stepper.finished() or stepper.has_stalled():
        return
    for plan, batches in run.loader.steps_from(position.epoch, position.index):
        stepper.take(plan, batches)
        if stepper.finished() or run.distributed.any(stop.requested):
            return


def epochs_limit(max_steps: int | None, epochs: int | None) -> int | None:
    """The maximum number of epochs; a default if neither limit is set."""
    return DEFAULT_EPOCHS if max_steps is None and epochs is None else epochs
