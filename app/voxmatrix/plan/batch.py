"""Batch size, gradient accumulation and gradient checkpointing. Pure."""

from dataclasses import dataclass

from voxmatrix.errors import Finding
from voxmatrix.plan.budget import Budget, Need
from voxmatrix.settings import Setting, automatic

#: Clips per step, the same on every device, so that training results do not depend on the hardware.
EFFECTIVE_BATCH = 32
_SIZES = (32, 16, 8, 4, 2, 1)
#: With smaller batches a GPU is limited by kernel launches, and gradient checkpointing (10 to 25 % more time:
#: docs/inside/measurements.md) costs less. A CPU has no such overhead.
SMALLEST_ON_A_GPU, SMALLEST_ON_A_CPU = 4, 1


@dataclass(frozen=True, kw_only=True)
class Batching:
    """Batch size, accumulation, effective batch and checkpointing, which depend on each other."""

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
    """The largest batch that fits, accumulated to an effective batch of 32; forced settings are kept."""
    sizes = _sizes(accumulation)
    checkpointed = checkpointing or _checkpointing(
        budget, need, batch_size.value if batch_size else min(smallest, sizes[0])
    )
    if checkpointed.value and checkpointing is None:
        # No larger than without checkpointing on a slightly larger GPU: more memory must not mean a smaller batch.
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
    needs = f"batch {smallest} needs about {need.mib(smallest, False):.0f} MiB without it ({need.basis(False)})"
    budget = budget.when(need.measured(False))
    if budget.mib is None:
        return automatic(False, budget.why)
    if need.fits(smallest, False, budget):
        return automatic(False, f"{needs}, and the budget is {budget.mib:.0f} MiB ({budget.why})")
    return automatic(True, f"{needs}, but the budget is only {budget.mib:.0f} MiB ({budget.why})")


def _batch_size(budget: Budget, need: Need, checkpointed: bool, sizes: list[int]) -> Setting[int]:
    if budget.mib is None:
        size = next((size for size in sizes if size <= SMALLEST_ON_A_GPU), sizes[-1])
        return automatic(size, f"{budget.why}, so the batch is small; `train --tune` measures what fits")
    size = next((size for size in sizes if need.fits(size, checkpointed, budget)), sizes[-1])
    budget = budget.when(need.measured(checkpointed))
    needs = (
        f"about {need.mib(size, checkpointed):.0f} MiB for clips of {need.seconds:.3g} s ({need.basis(checkpointed)})"
    )
    return automatic(size, f"{needs}; the budget is {budget.mib:.0f} MiB: {budget.why}")


def _sizes(accumulation: Setting[int] | None) -> list[int]:
    """Candidate sizes, largest first: divisors of 32, limited by a forced accumulation."""
    largest = max(1, EFFECTIVE_BATCH // accumulation.value) if accumulation else EFFECTIVE_BATCH
    return [size for size in _SIZES if size <= largest]


def _accumulation(batch_size: int) -> Setting[int]:
    steps = max(1, round(EFFECTIVE_BATCH / batch_size))
    if steps * batch_size == EFFECTIVE_BATCH:
        return automatic(steps, f"{steps} × {batch_size} = {EFFECTIVE_BATCH} clips per step")
    return automatic(
        steps, f"{steps} × {batch_size} is the closest to {EFFECTIVE_BATCH} clips per step with batch {batch_size}"
    )


def _effective_reason(batch: Setting[int], steps: Setting[int]) -> str:
    effective = batch.value * steps.value
    if effective == EFFECTIVE_BATCH:
        return f"{batch.value} × {steps.value}, the same on every computer, so that results do not depend on it"
    forced = " and ".join(part.reason for part in (batch, steps) if part.source != "automatic")
    return f"{batch.value} × {steps.value} instead of {EFFECTIVE_BATCH}, because settings are forced ({forced})"


def _too_large(budget: Budget, need: Need, batch_size: int, checkpointed: bool) -> tuple[Finding, ...]:
    if budget.limit_mib is not None and need.least_mib > budget.limit_mib:
        return (
            Finding(
                problem=f"training needs at least {need.least_mib:.0f} MiB, even with single clips of "
                f"{need.seconds:g} s, and there are only {budget.limit_mib} MiB",
                remedy="choose a smaller `quality`, or give it more memory: in a container, a larger --memory",
            ),
        )
    budget = budget.when(need.measured(checkpointed))
    if budget.mib is None or need.fits(batch_size, checkpointed, budget):
        return ()
    return (
        Finding(
            problem=f"batch {batch_size} needs about {need.mib(batch_size, checkpointed):.0f} MiB "
            f"({need.basis(checkpointed)}), the budget is {budget.mib:.0f} MiB ({budget.why}): memory may run out",
            remedy="choose a smaller `batch_size` or `quality`, or free memory on the device"
            if batch_size > 1
            else "free memory on the device (`nvidia-smi` shows who uses a GPU), or choose a smaller `quality`",
            severity="warning",
        ),
    )
