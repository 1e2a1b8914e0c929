"""Clips a batch, batches a step, and whether gradients are checkpointed. Pure."""

from dataclasses import dataclass

from voxmatrix.errors import Finding
from voxmatrix.plan.budget import Budget, Need
from voxmatrix.settings import Setting, automatic

#: Clips from which one step learns, whatever the GPU: what is learned must not depend on it.
EFFECTIVE_BATCH = 32
_SIZES = (32, 16, 8, 4, 2, 1)
#: With fewer clips a GPU waits for its own kernels to start: computing again what was not kept (a tenth to a
#: quarter more time: docs/measurements.md) costs less. A CPU does not wait.
SMALLEST_ON_A_GPU, SMALLEST_ON_A_CPU = 4, 1


@dataclass(frozen=True, kw_only=True)
class Batching:
    """Four settings that depend on each other."""

    batch_size: Setting[int]
    accumulation: Setting[int]
    effective_batch: Setting[int]
    checkpointing: Setting[bool]
    findings: tuple[Finding, ...] = ()


def choose_batching(
    budget: Budget,
    need: Need,
    *,
    smallest: int = SMALLEST_ON_A_GPU,
    batch_size: Setting[int] | None = None,
    accumulation: Setting[int] | None = None,
    checkpointing: Setting[bool] | None = None,
) -> Batching:
    """The largest batch that fits, brought to an effective 32; what is forced stays as it is."""
    sizes = _sizes(accumulation)
    checkpointed = checkpointing or _checkpointing(
        budget, need, batch_size.value if batch_size else min(smallest, sizes[0])
    )
    if checkpointed.value and checkpointing is None:
        # No more than without checkpointing on a slightly larger GPU: more memory never means a smaller batch.
        sizes = [size for size in sizes if size <= smallest]
    batch = batch_size or _batch_size(budget, need, checkpointed.value, sizes)
    steps = accumulation or _accumulation(batch.value)
    effective = automatic(batch.value * steps.value, _effective_reason(batch, steps))
    return Batching(
        batch_size=batch,
        accumulation=steps,
        effective_batch=effective,
        checkpointing=checkpointed,
        findings=_too_large(budget, need, batch.value, checkpointed.value),
    )


def _checkpointing(budget: Budget, need: Need, smallest: int) -> Setting[bool]:
    takes = f"batch {smallest} takes about {need.mib(smallest, False):.0f} MiB without it ({need.basis(False)})"
    budget = budget.when(need.measured(False))
    if budget.mib is None:
        return automatic(False, budget.why)
    if need.fits(smallest, False, budget):
        return automatic(False, f"{takes}, and {budget.mib:.0f} MiB may be taken ({budget.why})")
    return automatic(True, f"{takes}, but only {budget.mib:.0f} MiB may be taken ({budget.why})")


def _batch_size(budget: Budget, need: Need, checkpointed: bool, sizes: list[int]) -> Setting[int]:
    if budget.mib is None:
        size = next((size for size in sizes if size <= SMALLEST_ON_A_GPU), sizes[-1])
        return automatic(size, f"{budget.why}, so a small one; `train --tune` measures what fits")
    size = next((size for size in sizes if need.fits(size, checkpointed, budget)), sizes[-1])
    budget = budget.when(need.measured(checkpointed))
    takes = f"about {need.mib(size, checkpointed):.0f} MiB for clips of {need.seconds:g} s ({need.basis(checkpointed)})"
    return automatic(size, f"{takes}; {budget.mib:.0f} MiB may be taken: {budget.why}")


def _sizes(accumulation: Setting[int] | None) -> list[int]:
    """Sizes to try, largest first: divisors of 32, and of them those that a forced accumulation leaves."""
    most = max(1, EFFECTIVE_BATCH // accumulation.value) if accumulation else EFFECTIVE_BATCH
    return [size for size in _SIZES if size <= most]


def _accumulation(batch_size: int) -> Setting[int]:
    steps = max(1, round(EFFECTIVE_BATCH / batch_size))
    if steps * batch_size == EFFECTIVE_BATCH:
        return automatic(steps, f"{steps} × {batch_size} = {EFFECTIVE_BATCH} clips a step")
    return automatic(
        steps, f"{steps} × {batch_size} is as near to {EFFECTIVE_BATCH} clips a step as batch {batch_size} comes"
    )


def _effective_reason(batch: Setting[int], steps: Setting[int]) -> str:
    effective = batch.value * steps.value
    if effective == EFFECTIVE_BATCH:
        return f"{batch.value} × {steps.value}, the same on every computer, so that every one learns alike"
    forced = " and ".join(part.reason for part in (batch, steps) if part.source != "automatic")
    return f"{batch.value} × {steps.value} and not {EFFECTIVE_BATCH}, because of what was forced ({forced})"


def _too_large(budget: Budget, need: Need, batch_size: int, checkpointed: bool) -> tuple[Finding, ...]:
    budget = budget.when(need.measured(checkpointed))
    if budget.mib is None or need.fits(batch_size, checkpointed, budget):
        return ()
    return (
        Finding(
            problem=f"batch {batch_size} takes about {need.mib(batch_size, checkpointed):.0f} MiB "
            f"({need.basis(checkpointed)}) and {budget.mib:.0f} MiB may be taken ({budget.why}): memory may run out",
            remedy="choose a smaller --batch-size or --quality, or free memory on the device",
            severity="warning",
        ),
    )
