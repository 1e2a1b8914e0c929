"""What the routes share: one of each per server."""

import threading
from dataclasses import dataclass, field
from functools import partial

from voxmatrix.models.style import Runtime
from voxmatrix.serve.catalogue import Catalogue
from voxmatrix.serve.jobs.jobs import Jobs
from voxmatrix.serve.log import Log, log_finding
from voxmatrix.serve.machine import MachineReport
from voxmatrix.serve.metrics import ServerMetrics
from voxmatrix.serve.settings import ServeSettings
from voxmatrix.serve.speech.answer import SpeechService
from voxmatrix.serve.speech.queue import SpeechQueue
from voxmatrix.voices.opened import OpenVoices


@dataclass(frozen=True, kw_only=True)
class Services:
    """The parts of a server."""

    settings: ServeSettings
    log: Log
    metrics: ServerMetrics
    catalogue: Catalogue
    voices: OpenVoices
    speech: SpeechService
    machine: MachineReport
    jobs: Jobs
    #: Set when the default voice was loaded for the first time.
    started: threading.Event = field(default_factory=threading.Event)


def make_services(settings: ServeSettings, log: Log) -> Services:
    """Create the parts. No voice is loaded yet.

    Raises:
        UsageError: a setting of how texts are spoken is out of its range.
        BadInputError: there is no default voice, or its config is missing or invalid, or a named voice is missing.
        DamagedFileError: a file of it is corrupt.
    """
    metrics = ServerMetrics()

    warn = partial(log_finding, log)
    voices = OpenVoices(
        settings.device,
        Runtime(threads=settings.threads),
        settings.voice_memory_mib,
        settings.voice_idle_seconds,
        warn=warn,
        on_count=metrics.voices_loaded.set,
    )
    catalogue = Catalogue(settings.voice, voices.has_failed, warn, settings.aliases)
    catalogue.check_names({name: getattr(settings.style, name) for name in ("dialogue_voice", "emphasis_voice")})
    machine = MachineReport(settings.device)
    return Services(
        settings=settings,
        log=log,
        metrics=metrics,
        catalogue=catalogue,
        voices=voices,
        speech=SpeechService(voices, SpeechQueue(settings.queue, metrics, voices.is_on_gpu), metrics, warn),
        machine=machine,
        jobs=Jobs(catalogue, log, settings, automatic_device=machine.automatic_device),
    )
