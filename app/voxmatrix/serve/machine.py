"""What `doctor --json` and `plan --json` print, kept for some seconds: probing takes as long as a sentence."""

import threading
import time
from collections.abc import Sequence
from typing import Any

from voxmatrix.doctor.examine import describe
from voxmatrix.errors import Finding
from voxmatrix.machine.detect import detect
from voxmatrix.machine.facts import Machine
from voxmatrix.machine.profile_store import profile_of
from voxmatrix.machine.saved_device import saved_device
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.plan.plan import Overrides, Plan, make_plan, plan_to_json
from voxmatrix.wording import plain, with_messages

_FRESH_SECONDS = 15.0


class MachineReport:
    """This computer, and the plan for training on it. Thread-safe."""

    def __init__(self, device: DeviceRequest) -> None:
        self._device = device
        self._lock = threading.Lock()
        self._machine: tuple[Machine, Sequence[Finding]] | None = None
        self._report: dict[str, Any] | None = None
        self._until = 0.0

    def read(self) -> dict[str, Any]:
        """The report, from at most some seconds ago. No smoke test is run.

        Raises:
            NoDeviceError: the required device is not available.
        """
        with self._lock:
            machine, notes = self._probed()
            if self._report is None:
                plan = _plan(machine, "medium", Overrides(device=self._device))
                report = {"doctor": describe(machine, "auto", notes).to_json(), "plan": plan_to_json(plan)}
                self._report = with_messages(report, plain)
            return self._report

    def plan(self, quality: str, overrides: Overrides) -> Plan:
        """The plan for a training on this computer.

        Raises:
            UsageError: there is no such quality.
            NoDeviceError, NoKernelsError: the requested device cannot be used.
        """
        return _plan(self.machine(), quality, overrides)

    def machine(self) -> Machine:
        """What this computer is."""
        with self._lock:
            return self._probed()[0]

    def automatic_device(self) -> str:
        """The device of a training that requests none."""
        return self.plan("medium", Overrides()).device.value

    def _probed(self) -> tuple[Machine, Sequence[Finding]]:
        if self._machine is None or time.monotonic() >= self._until:
            self._machine, self._report = detect(), None
            self._until = time.monotonic() + _FRESH_SECONDS
        return self._machine


def _plan(machine: Machine, quality: str, overrides: Overrides) -> Plan:
    return make_plan(machine, quality, overrides, task="train", saved_device=saved_device(), profile=profile_of)
