"""A worker: Celery in this process, which never imports torch or onnxruntime, and a child that has the voices open."""

import logging
import os
import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from voxmatrix.child_environment import drop_read_secrets
from voxmatrix.machine.detect import detect
from voxmatrix.machine.facts import Gpu
from voxmatrix.machine.saved_device import saved_device
from voxmatrix.machine.sensors.reading import BackgroundSensor, Sensor
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.device import SpeakDevice
from voxmatrix.models.style import Runtime
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.plan.device_selection import SelectedDevice
from voxmatrix.plan.preflight import Preflight
from voxmatrix.processes import die_with_parent
from voxmatrix.voices.in_memory import device_name
from voxmatrix.voices.opened import OpenVoices
from voxmatrix.work.cluster.broker import SPEAK, cluster_app, is_redis, queue_of, unacknowledged_keys
from voxmatrix.work.cluster.broker_client import LiveRuns
from voxmatrix.work.cluster.messages import read_batch, to_message
from voxmatrix.work.cluster.store import open_store, redis_client
from voxmatrix.work.cluster.worker.control import ControlFolder
from voxmatrix.work.cluster.worker.speaking import BatchSpeaker, log_finding
from voxmatrix.work.cluster.worker.state import WorkerState, register_commands, tell_with_heartbeats

logger = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 1.0
FELL_BACK = "GPU requested but not available, falling back to CPU"
#: Of the voices that are kept open, on the GPU too. A larger one is open alone.
_MEMORY_MIB = 1024
#: Loggers that repeat for every batch what the progress of the coordinator shows.
_CHATTY = ("celery.app.trace", "celery.worker.strategy")


@dataclass(frozen=True, kw_only=True)
class NodeSettings:
    """How a worker is started."""

    name: str
    host: str
    broker: str
    results: str  # a result backend of Celery; "": the broker
    store: str  # a URL; "": the Redis of the broker
    request: DeviceRequest
    threads: int  # 0: all CPUs that this process may use
    scratch: Path


def run_node(settings: NodeSettings) -> None:
    """Work until SIGTERM, or until the process that started this one is gone. Exits with the code of Celery."""
    if hasattr(os, "setsid"):
        os.setsid()  # Ctrl-C in a terminal reaches the parent only, which then ends this process
    die_with_parent()
    drop_read_secrets()  # the broker is one of the settings
    incarnation = uuid.uuid4().hex
    # A device that is not there is a warning, as in older programs.
    request = replace(settings.request, fallback="cpu")
    preflight = Preflight.on(detect().machine, request, "speak", saved_device=saved_device())
    gpu = preflight.selected.gpu
    control = ControlFolder(settings.scratch)
    for left_over in settings.scratch.iterdir():
        left_over.unlink()
    app = cluster_app(settings.broker, settings.results, worker=settings.name)
    app.set_current()
    _forget_earlier_starts(settings)
    voices = _voices(settings, request, preflight)
    _register_task(app, settings, voices, control, incarnation)
    state = WorkerState(
        name=settings.name,
        incarnation=incarnation,
        queue=queue_of(settings.name),
        gpu=gpu,
        control=control,
        sensor=BackgroundSensor(_free_memory(gpu)),
    )
    register_commands(state)
    stopping = tell_with_heartbeats(state, control.stop)
    worker = app.Worker(
        hostname=f"{settings.name}@{settings.host}",
        queues=[queue_of(settings.name)],
        loglevel="INFO",
        quiet=True,
        task_events=True,
        without_mingle=True,
        without_gossip=True,
        heartbeat_interval=HEARTBEAT_SECONDS,
    )
    for name in _CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)
    _log_start(settings, preflight.selected)
    worker.start()
    del stopping  # Celery's signals keep no strong references to their receivers
    raise SystemExit(worker.exitcode)


def _voices(settings: NodeSettings, request: DeviceRequest, preflight: Preflight) -> OpenVoices:
    available = bool(preflight.machine.gpus)

    def on_open(card: VoiceCard, device: SpeakDevice) -> None:
        kind = "cpu" if device.on is None else device.on.gpu.kind
        if kind == "cpu" and request.kind not in ("auto", "cpu"):
            logger.warning(FELL_BACK)
        name = device_name(card, device)
        logger.info("Loading TTS model: %s (device: %s, GPU available: %s)", name, kind, available)

    runtime = Runtime(threads=settings.threads, reproducible=True)
    return OpenVoices(request, runtime, _MEMORY_MIB, warn=log_finding, preflight=preflight, on_open=on_open)


def _log_start(settings: NodeSettings, selected: SelectedDevice) -> None:
    wanted_gpu = settings.request.kind not in ("auto", "cpu")
    for finding in selected.findings if wanted_gpu or selected.gpu is not None else ():
        log_finding(finding)
    if wanted_gpu and selected.gpu is None:
        logger.warning(FELL_BACK)
    device = "cpu" if selected.gpu is None else f"{selected.gpu.device} ({selected.gpu.name or 'unnamed GPU'})"
    logger.info("worker %s is ready (device: %s)", settings.name, device)


def _register_task(
    app: Any, settings: NodeSettings, voices: OpenVoices, control: ControlFolder, incarnation: str
) -> None:
    """Define the task. It runs in the child process, which opens voices and connections when it first speaks."""
    opened: list[BatchSpeaker] = []

    def speak(task: Any, **message: Any) -> Any:
        if not opened:
            store, runs = open_store(settings.store, settings.broker), LiveRuns(settings.broker)
            opened.append(BatchSpeaker(voices, store, runs, control, incarnation=incarnation))

        def report(progress: Any) -> None:
            try:
                task.update_state(state="PROGRESS", meta=to_message(progress))
            except Exception as error:  # the next report says the same and more
                logger.warning("progress could not be reported: %s", type(error).__name__)

        return to_message(opened[0].speak(task.request.id, read_batch(message), report))

    app.task(bind=True, name=SPEAK)(speak)


def _forget_earlier_starts(settings: NodeSettings) -> None:
    """Delete what is left of earlier starts in the broker: whoever sent it sends it again."""
    if is_redis(settings.broker):
        client = redis_client(settings.broker)
        try:
            client.delete(queue_of(settings.name), *unacknowledged_keys(settings.name).values())
        except Exception as error:  # Celery waits for the broker; what is left is dropped by its incarnation
            logger.warning("the broker cannot be reached: %s", type(error).__name__)
        client.close()


def _free_memory(gpu: Gpu | None) -> AbstractContextManager[Sensor]:
    if gpu is None or gpu.kind != "cuda":
        from voxmatrix.machine.sensors.cpu import CpuSensor

        return nullcontext(CpuSensor())
    return _gpu_sensor(gpu)


@contextmanager
def _gpu_sensor(gpu: Gpu) -> Iterator[Sensor]:
    """NVML does not touch CUDA, which would not survive the fork of the child."""
    from voxmatrix.machine.sensors.nvml import nvml_sensor

    with nvml_sensor(import_module("pynvml"), gpu.device, gpu.uuid or "") as sensor:
        yield sensor
