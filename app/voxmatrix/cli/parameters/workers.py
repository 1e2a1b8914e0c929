"""What speaks many texts: processes of this computer, or the workers of a cluster."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from voxmatrix.cli.parameters.options import ClusterOptions
from voxmatrix.cli.terminal.messages import warn
from voxmatrix.config import environment
from voxmatrix.settings import Setting

if TYPE_CHECKING:
    from voxmatrix.machine.facts import Machine
    from voxmatrix.models.card import VoiceCard
    from voxmatrix.models.device import SpeakDevice
    from voxmatrix.models.style import Style
    from voxmatrix.work.executor import Executor, Workers


def own_processes(
    voice: "VoiceCard",
    style: "Style",
    devices: Sequence["SpeakDevice"],
    forced: Setting[int] | None,
    *,
    threads: int,
    reproducible: bool = True,
) -> "Workers":
    """Worker processes on these devices: as many as `forced`, else as many as fit."""
    number = forced.value if forced else max_workers(devices, voice)

    def start(incoming: Path, most: int) -> "AbstractContextManager[Executor]":
        from voxmatrix.models.style import Runtime
        from voxmatrix.work.local_executor import LocalExecutor

        runtime = Runtime(threads=threads, reproducible=reproducible)
        workers = max(1, min(number, most))
        return LocalExecutor(voice, style, incoming, runtime, workers=workers, devices=devices, warn=warn)

    return start


def cluster_workers(voice: "VoiceCard", options: ClusterOptions) -> "Workers":
    """The workers of a cluster."""
    from voxmatrix.work.cluster.broker import broker_url

    broker = broker_url(options.cluster, environment())

    def start(incoming: Path, _most: int) -> "AbstractContextManager[Executor]":
        from voxmatrix.work.cluster.celery_executor import CeleryExecutor

        return CeleryExecutor(broker, voice, incoming, store=options.store, results=options.results, warn=warn)

    return start


def max_workers(devices: Sequence["SpeakDevice"], voice: "VoiceCard") -> int:
    """How many workers fit on the devices together."""
    from voxmatrix.machine.detect import detect

    return sum(
        workers_on(device, device.on.machine if device.on else detect().machine, voice, None).value
        for device in devices
    )


def workers_on(
    device: "SpeakDevice", machine: "Machine", voice: "VoiceCard", forced: Setting[int] | None
) -> Setting[int]:
    """How many workers fit on a device of this computer, and why."""
    from voxmatrix.plan.budget import memory_budget
    from voxmatrix.plan.parallelism import choose_parallel_voices
    from voxmatrix.tables.training import memory_table

    gpu, capabilities, table = device.on.gpu if device.on else None, voice.capabilities, memory_table()
    by_onnxruntime = (
        gpu is None and not capabilities.uses_torch and capabilities.arithmetic is None and voice.memory_mib
    )
    mib = table.onnxruntime_mib + voice.memory_mib if by_onnxruntime else max(table.voice_mib, voice.memory_mib)
    budget = memory_budget(gpu, machine)
    return choose_parallel_voices(gpu, machine, budget, forced, voice_mib=mib, cpus_per_voice=capabilities.cpus)
