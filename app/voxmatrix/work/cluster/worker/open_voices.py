"""The voices that a worker has open, each under the name of the voice and its device."""

import logging
from collections import OrderedDict
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from voxmatrix.errors import Finding
from voxmatrix.models.device import SpeakDevice
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.plan.preflight import Preflight
from voxmatrix.speak.batch.messages import Opening, SpeakOne, WorkerStart
from voxmatrix.speak.options import SpeakSettings
from voxmatrix.voices.device_selection import select_devices

logger = logging.getLogger(__name__)

FELL_BACK = "GPU requested but not available, falling back to CPU"
#: The voices that are kept open. Each takes some hundred megabytes, on the GPU too.
_MAX_OPEN = 3


class OpenVoices:
    """Opens each voice once, on the best device for it."""

    def __init__(self, preflight: Preflight, request: DeviceRequest, scratch: Path, opening: Opening) -> None:
        self._preflight = preflight
        self._request = request
        self._scratch = scratch
        self._opening = opening
        self._open: OrderedDict[tuple[str, str], tuple[str, SpeakOne, ExitStack]] = OrderedDict()
        self._told: set[str] = set()  # findings about the device, which are the same for every batch
        #: The kind of the device of the voice that was opened last.
        self.device_type = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The open voices: NAME_cuda, NAME_cpu."""
        return tuple(name for name, _, _ in self._open.values())

    def speaker(self, checksum: str, path: Path, settings: SpeakSettings) -> SpeakOne:
        """The function that speaks with this voice, which is opened if it is not yet.

        Raises:
            VoxmatrixError: the voice cannot be opened.
        """
        device = self._device(path)
        kind = "cpu" if device.on is None else device.on.gpu.kind
        key = (checksum, kind)
        if key not in self._open:
            while len(self._open) >= _MAX_OPEN:
                self._open.popitem(last=False)[1][2].close()
            name = f"{path.stem}_{kind}"
            self._open[key] = (name, *self._opened(name, path, settings, device))
        self._open.move_to_end(key)
        self.device_type = kind
        return self._open[key][1]

    def close(self) -> None:
        """Close all voices."""
        while self._open:
            self._open.popitem()[1][2].close()

    def _device(self, path: Path) -> SpeakDevice:
        selection = select_devices(path, self._request, self._preflight)
        for finding in selection.findings:
            if finding.problem not in self._told:
                self._told.add(finding.problem)
                log_finding(finding)
                if self._request.kind not in ("auto", "cpu") and selection.best.on is None:
                    logger.warning(FELL_BACK)
        return selection.best

    def _opened(
        self, name: str, path: Path, settings: SpeakSettings, device: SpeakDevice
    ) -> tuple[SpeakOne, ExitStack]:
        kind, available = "cpu" if device.on is None else device.on.gpu.kind, bool(self._preflight.machine.gpus)
        logger.info("Loading TTS model: %s (device: %s, GPU available: %s)", name, kind, available)
        start = WorkerStart(
            voice=path,
            settings=replace(settings, seed=settings.seed or 0),
            scratch=self._scratch,
            opening=self._opening,
            device=device,
        )
        stack = ExitStack()
        return stack.enter_context(self._opening(start, log_finding)), stack


def log_finding(finding: Finding) -> None:
    """Report a finding in the log of the worker."""
    logger.warning("%s; %s", finding.problem, finding.remedy)
