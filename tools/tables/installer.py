"""The table in install.sh: which images suit an NVIDIA GPU, so that a computer without Python can be told."""

from collections.abc import Iterable
from itertools import product

from tools.images.rows import ROOT
from voxmatrix.machine.facts import Capability, Gpu, Machine
from voxmatrix.plan.image_advice import able_images, oldest_driver
from voxmatrix.tables import rows
from voxmatrix.tables.gpus import architectures

INSTALLER = ROOT / "install.sh"
BEGIN = "# Written by `./run derive`; do not edit.\n"
END = "# End of what is derived.\n"
#: Processors as `uname -m` names them; "-wsl" where `nvidia-smi` shows the version of the Windows driver.
SYSTEMS = tuple(product(("x86_64", "aarch64"), (False, True)))


def with_table(text: str) -> str:
    """install.sh with an up-to-date table.

    Raises:
        ValueError: a marker is missing.
    """
    before, found, rest = text.partition(BEGIN)
    _, found_end, after = rest.partition(END)
    if not (found and found_end):
        raise ValueError(f"{INSTALLER.name} must have the lines {BEGIN.strip()} and {END.strip()}")
    return before + BEGIN + _function(_choices()) + END + after


def _choices() -> dict[str, list[str]]:
    """The images with the oldest driver of each, newest torch first → the computers that they suit."""
    found: dict[str, list[str]] = {}
    for major, minor in architectures():
        capability = Capability(major, minor)
        for processor, wsl in SYSTEMS:
            if suitable := _suitable(processor, wsl, capability):
                found.setdefault(suitable, []).append(f"{processor}{'-wsl' if wsl else ''}:{capability}")
    return found


def _suitable(processor: str, wsl: bool, capability: Capability) -> str:
    machine = Machine(platform="linux", architecture=processor, wsl=wsl, cpus=1)
    gpu = Gpu(index=0, kind="cuda", capability=capability)
    able = sorted(able_images(gpu, machine), key=lambda image: rows.known_version(image.torch), reverse=True)
    return " ".join(f"{image.name} {oldest_driver(image, gpu, machine)}" for image in able)


def _function(choices: dict[str, list[str]]) -> str:
    cases = "".join(
        f"        {_wrapped(computers)})\n            echo {suitable} ;;\n" for suitable, computers in choices.items()
    )
    return f"images_for() {{\n    case $1 in\n{cases}    esac\n}}\n"


def _wrapped(words: Iterable[str], width: int = 100) -> str:
    lines = [""]
    for word in words:
        if len(lines[-1]) + len(word) > width:
            lines.append("")
        lines[-1] += f"{word} | "
    return "\\\n            ".join(lines).removesuffix(" | ")
