"""What an engine answers: the content of the frame that is due, or the error that it reports."""

from collections.abc import Mapping
from typing import Any

from voxmatrix.errors import BadInputError, DamagedFileError, MemoryExhaustedError, MissingProgramError, VoxmatrixError
from voxmatrix.external import wire
from voxmatrix.external.installed import Engine
from voxmatrix.tables.rows import meets
from voxmatrix.wording import printable

_MAX_SHOWN = 40
_ERRORS: Mapping[str, type[VoxmatrixError]] = {
    "weights": DamagedFileError,
    "unsupported": MissingProgramError,
    "text": BadInputError,
    "reference": BadInputError,
    "memory": MemoryExhaustedError,
}


def content_of(frame: wire.Frame, wanted: str, engine: Engine) -> dict[str, Any]:
    """The content of a frame of the type that is due.

    Raises:
        VoxmatrixError: the engine reports an error.
        FrameError: the frame is of another type.
    """
    if frame.type == "error":
        kind, message = str(frame.head.get("kind")), printable(str(frame.head.get("message")))[:1000]
        remedies = {
            "text": "change the text, or choose another voice",
            "reference": "choose another recording",
            "memory": "end other programs on the device, choose smaller weights, or set `device=cpu`",
        }
        remedy = remedies.get(kind, f"voxmatrix engines check {engine.name}")
        raise _ERRORS.get(kind, VoxmatrixError)(f"the engine {engine.name}: {message}", remedy)
    if frame.type != wanted:
        raise wire.FrameError(f"it sends {shown(frame.type)!r} instead of {wanted!r}")
    return frame.head


def shown(value: Any) -> str:
    """What an engine sent, for messages: on one line, and short."""
    text = printable(str(value))
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"


def checked_versions(frame: wire.Frame, engine: Engine) -> dict[str, str]:
    """The versions that an engine tells in its first frame: of Python, torch, and what its manifest names.

    Raises:
        MissingProgramError: it speaks another protocol, or one of them does not suit its manifest.
        Other errors of `content_of`.
    """
    hello, again = content_of(frame, "hello", engine), f"voxmatrix engines install {engine.name}"
    if hello.get("protocol") != wire.PROTOCOL:
        spoken = shown(hello.get("protocol"))
        raise MissingProgramError(
            f"the engine {engine.name} speaks protocol {spoken}, and this voxmatrix {wire.PROTOCOL}", again
        )
    told = hello.get("versions")
    versions = {str(name): str(found) for name, found in told.items()} if isinstance(told, dict) else {}
    table = engine.manifest.engine
    for package, requirement in (("python", table.python), ("torch", table.torch)):
        found = versions.get(package)
        if found is not None and not meets(found, requirement):
            raise MissingProgramError(
                f"the engine {engine.name} needs {package} {requirement}, and its environment has {shown(found)}", again
            )
    return versions
