"""The computer that `tools/matrix.py recommend` is about. Standard library only."""

import argparse
import json
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from voxmatrix.machine.facts import DRIVER_ERROR, Capability, Gpu, Machine
from voxmatrix.machine.probes import nvidia_smi, system
from voxmatrix.machine.probes.nvidia import visible_gpus
from voxmatrix.tables import rows


class UsageError(Exception):
    """Invalid arguments; the message names the value."""


def selected_machine(args: argparse.Namespace) -> Machine:
    """This computer, the one given by --capability and --driver, or the one described by --machine.

    Raises:
        UsageError: the options or the file are invalid.
    """
    if args.machine is not None:
        if args.capability or args.driver or args.architecture:
            raise UsageError("--machine cannot be combined with --capability, --driver, --architecture: leave them out")
        return read_machine(args.machine)
    here = Machine(
        platform=system.read_platform(),
        architecture=system.read_architecture(),
        wsl=system.read_wsl(Path("/")),
        cpus=os.cpu_count() or 1,
    )
    if args.architecture:
        here = replace(here, architecture=args.architecture)
    if args.capability is None:
        if args.driver:
            raise UsageError("--driver requires --capability: which GPU is it?")
        return replace(here, gpus=visible_gpus(nvidia_smi.read_cards(), None))
    if args.driver is not None and rows.version(args.driver) is None:
        raise UsageError(f"--driver is {args.driver!r}, which is not a version such as 570.86")
    try:
        capability = Capability.parse(args.capability)
    except ValueError as error:
        raise UsageError(f"--capability: {error}") from error
    return replace(here, gpus=(Gpu(index=0, kind="cuda", capability=capability, driver=args.driver),))


def read_machine(path: Path) -> Machine:
    """The parts of a machine description that matter here, read without pydantic.

    Raises:
        UsageError: the file cannot be read, or is not a machine description.
    """
    try:
        described = json.loads(path.read_text(encoding="utf-8-sig"))
        gpus = tuple(_gpu(gpu) for gpu in described.get("gpus", []))
        error = described.get("driver_error")
        if error is not None and re.fullmatch(DRIVER_ERROR, error) is None:
            raise ValueError(f"driver_error is {error!r}")
        return Machine(
            platform=described["platform"], architecture=described.get("architecture"),
            wsl=bool(described.get("wsl")), cpus=described.get("cpus", 1), gpus=gpus, driver_error=error,
        )  # fmt: skip
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(
            f"{path} is not a machine description ({error}); `voxmatrix doctor --record` writes one"
        ) from error


def _gpu(described: Mapping[str, Any]) -> Gpu:
    capability = described.get("capability")
    return Gpu(
        index=described["index"],
        kind=described["kind"],
        name=described.get("name"),
        capability=None if capability is None else Capability.parse(capability),
        target=described.get("target"),
        driver=described.get("driver"),
        unified=bool(described.get("unified")),
    )
