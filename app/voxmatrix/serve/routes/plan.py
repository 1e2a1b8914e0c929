"""How a training would run: every automatic setting with its reason, what was requested, and what to expect."""

import math
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import ConfigDict, Field

from voxmatrix.errors import NoDeviceError
from voxmatrix.machine.facts import Machine
from voxmatrix.machine.profile_store import profile_of
from voxmatrix.machine.saved_device import CPU
from voxmatrix.plan.advice import Intended, advise
from voxmatrix.plan.device_request import AUTO, parse_device
from voxmatrix.plan.overrides import override_number, override_precision, override_switch
from voxmatrix.plan.plan import Overrides, Plan, plan_to_json
from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.jobs.kinds.train import PlanFields
from voxmatrix.serve.routes.route import Route
from voxmatrix.serve.services import Services
from voxmatrix.settings import Setting
from voxmatrix.tables.quality import QualityName, quality
from voxmatrix.tables.training import cpu_speed
from voxmatrix.train.config import DEFAULT_EPOCHS
from voxmatrix.wording import plain, pluralise, with_messages


def expected_training(
    machine: Machine, plan: Plan, name: str, clips: int, seconds: float, *, fine_tuned: bool = False
) -> dict[str, Any]:
    """Its learning rate, the steps and seconds of an epoch, null if nothing was measured on such a device, and advice.

    Args:
        name: of the quality.
        clips: recordings that are used.
        seconds: of speech in all of them.
        fine_tuned: whether it starts from another voice.
    """
    rate, steps = quality(name).learning_rate, math.ceil(clips / plan.effective_batch.value)
    advice = advise(
        Intended(
            seconds=seconds,
            clips=clips,
            batch=plan.effective_batch.value,
            learning_rate=rate,
            steps=DEFAULT_EPOCHS * steps,
            steps_per_epoch=steps,
            fine_tuned=fine_tuned,
            on_gpu=plan.device.value != CPU,
        )
    )
    took, source = _epoch_seconds(machine, plan, name, clips, seconds)
    return {
        "learning_rate": rate,
        "steps_per_epoch": steps,
        "seconds_per_epoch": took,
        "source": source,
        "advice": [plain(sentence) for sentence in advice],
    }


def _epoch_seconds(machine: Machine, plan: Plan, name: str, clips: int, seconds: float) -> tuple[float | None, str]:
    """The duration of an epoch, and how it is known."""
    gpu = next((gpu for gpu in machine.gpus if plan.device.value == f"{gpu.kind}:{gpu.index}"), None)
    profile, checkpointing = profile_of(gpu, machine).one, plan.gradient_checkpointing.value
    measured = profile and profile.latest(name, plan.precision.value, gradient_checkpointing=checkpointing)
    if measured:
        speech_per_second = measured.speech_per_second(plan.batch_size.value) * plan.devices.value
        return seconds / speech_per_second, f"measured on {measured.date}"
    row = cpu_speed(name)
    if plan.device.value != "cpu" or row is None:
        return None, ""
    return row.seconds(clips, seconds, machine.cpus), f"estimated for {pluralise(machine.cpus, 'CPU')}"


_NUMBERS = ("devices", "batch_size", "accumulation", "prepare_workers")
_SWITCHES = ("tf32", "cudnn_benchmark", "gradient_checkpointing", "compile", "graphs")


class PlanRequest(PlanFields):
    """The body of `/v1/plan`. With the recordings, what follows from them is told as well."""

    model_config = ConfigDict(extra="forbid")

    quality: QualityName = "medium"
    clips: Annotated[int, Field(ge=1, le=10**9)] | None = None
    seconds: Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False)] | None = None  # of speech in all clips
    fine_tuned: bool = False  # whether the training starts from another voice


def plan_routes(services: Services) -> APIRouter:
    """The route of the plan of a training."""
    router = APIRouter(route_class=Route)

    @router.post("/v1/plan")
    def plan(body: PlanRequest) -> dict[str, Any]:
        """What `plan --json` prints, and what to expect of the training."""
        try:
            chosen = services.machine.plan(body.quality, _overrides(body))
        except NoDeviceError as error:  # the request names a device that is not there
            raise ApiError(400, error.problem, param="device", code="invalid_value") from error
        shown: dict[str, Any] = with_messages(plan_to_json(chosen), plain)
        if body.clips is None or body.seconds is None:
            return shown
        machine = services.machine.machine()
        expected = expected_training(
            machine, chosen, body.quality, body.clips, body.seconds, fine_tuned=body.fine_tuned
        )
        return {**shown, "training": expected}

    return router


def _overrides(body: PlanRequest) -> Overrides:
    forced: dict[str, Setting[Any] | None] = {}
    for name in _NUMBERS:
        forced[name] = override_number(_text(body, name), name, "flag")
    for name in _SWITCHES:
        forced[name] = override_switch(_text(body, name), name, "flag")
    forced["precision"] = override_precision(_text(body, "precision"), "precision", "flag")
    forced["workers"] = override_number(_text(body, "workers"), "workers", "flag", none=True)
    device = AUTO if body.device is None else parse_device(body.device, "flag", f"device {body.device}")
    return Overrides(device=device, **forced)


def _text(body: PlanRequest, name: str) -> str:
    """A value as on the command line; empty if it is not set."""
    value = getattr(body, name)
    return "" if value is None else str(value)
