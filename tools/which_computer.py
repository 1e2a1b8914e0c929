"""The computer that `tools/matrix.py recommend` speaks of. Standard library only."""

import argparse
import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from voxmatrix.machine.facts import Capability, Gpu, Machine
from voxmatrix.machine.probes import nvidia_smi, system
from voxmatrix.machine.probes.nvidia import visible_gpus
from voxmatrix.tables import rows


class UsageError(Exception):
    """What was asked cannot be understood; the sentence says what was seen."""


def asked_machine(asked: argparse.Namespace) -> Machine:
    """This computer, the one that --capability and --driver tell of, or a described one.

    Raises:
        UsageError: the flags or the file make no sense.
    """
    if asked.machine is not None:
        if asked.capability or asked.driver:
            raise UsageError("--machine says all of the computer: leave --capability and --driver out")
        return read_machine(asked.machine)
    here = Machine(
        platform=system.read_platform(),
        architecture=system.read_architecture(),
        wsl=system.read_wsl(Path("/")),
        cpus=os.cpu_count() or 1,
    )
    if asked.capability is None:
        if asked.driver:
            raise UsageError("--driver needs --capability: which GPU is it?")
        return replace(here, gpus=visible_gpus(nvidia_smi.read_cards(), None))
    if asked.driver is not None and rows.version(asked.driver) is None:
        raise UsageError(f"--driver is {asked.driver!r}, which is no version such as 570.86")
    try:
        capability = Capability.parse(asked.capability)
    except ValueError as error:
        raise UsageError(f"--capability: {error}") from error
    return replace(here, gpus=(Gpu(index=0, kind="cuda", capability=capability, driver=asked.driver),))


def read_machine(path: Path) -> Machine:
    """What a described computer says that matters here. (`voxmatrix doctor` checks every key, with pydantic.)

    Raises:
        UsageError: it cannot be read, or is no described computer.
    """
    try:
        described = json.loads(path.read_text(encoding="utf-8-sig"))
        gpus = tuple(_gpu(each) for each in described.get("gpus", []))
        return Machine(
            platform=described["platform"], architecture=described.get("architecture"),
            wsl=bool(described.get("wsl")), cpus=described.get("cpus", 1), gpus=gpus,
        )  # fmt: skip
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(f"{path} describes no computer ({error}); `voxmatrix doctor --record` writes one") from error


def _gpu(described: Mapping[str, Any]) -> Gpu:
    capability = described.get("capability")
    return Gpu(
        index=described["index"],
        kind=described["kind"],
        name=described.get("name"),
        capability=None if capability is None else Capability.parse(capability),
        driver=described.get("driver"),
        unified=bool(described.get("unified")),
    )
