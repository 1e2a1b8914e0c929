"""What `doctor --json` and `plan --json` print, kept for some seconds: probing takes as long as a sentence."""

import threading
import time
from typing import Any

from voxmatrix.doctor.examine import describe
from voxmatrix.machine.detect import detect
from voxmatrix.machine.profiles.store import profile_of
from voxmatrix.machine.saved_device import saved_device
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.plan.plan import Overrides, make_plan
from voxmatrix.plan.show import plan_to_json

_FRESH_SECONDS = 15.0


class MachineReport:
    """This computer, and the plan for training on it. Thread-safe."""

    def __init__(self, device: DeviceRequest) -> None:
        self._device = device
        self._lock = threading.Lock()
        self._report: dict[str, Any] = {}
        self._until = 0.0

    def read(self) -> dict[str, Any]:
        """The report, from at most some seconds ago. No smoke test is run.

        Raises:
            NoDeviceError: the required device is not available.
        """
        with self._lock:
            if time.monotonic() >= self._until:
                self._report = _probed(self._device)
                self._until = time.monotonic() + _FRESH_SECONDS
            return self._report


def _probed(device: DeviceRequest) -> dict[str, Any]:
    machine, notes = detect()
    plan = make_plan(
        machine, "medium", Overrides(device=device), task="train", saved_device=saved_device(), profile=profile_of
    )
    return {"doctor": describe(machine, "auto", notes).to_json(), "plan": plan_to_json(plan)}
