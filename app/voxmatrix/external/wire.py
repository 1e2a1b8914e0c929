"""The wire to an engine: its frames, and the end of it that runs in the environment of the engine.

A frame is two numbers of 32 bits, little endian: the bytes of a JSON object and those of its binary part; then the
object and the part. The file needs the standard library alone: an engine runs it as `python wire.py ADAPTER ENGINE
PACKAGE…`, without voxmatrix. The pipes are file descriptors that the environment names, so prints do no harm.

The adapter is a file with a function `open(request)`, which returns an object with `opened`, a dict with the fields of
the answer, and `speak(request, references, emit)`, which returns a dict for the fields of `done`. `references` are
(array of float32, samples per second, transcript), or None for a speaker of a script who imitates none; `emit` takes a
buffer of float32, which may be empty, and raises Cancelled when nobody wants the rest.
"""

import json
import os
import queue
import struct
import sys
import threading
from array import array
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

PROTOCOL = 1
IN_VARIABLE, OUT_VARIABLE = "VOXMATRIX_ENGINE_IN", "VOXMATRIX_ENGINE_OUT"
MAX_HEAD_BYTES = 2**20
#: Ten minutes at 24 kHz.
MAX_BODY_BYTES = 2**26
ERROR_KINDS = ("weights", "unsupported", "text", "reference", "memory", "failed")
_SIZES = struct.Struct("<II")
_MAX_MESSAGE = 1000


class FrameError(Exception):
    """What was read is no frame."""


class Cancelled(BaseException):
    """Nobody wants the rest of the sentence. Libraries that catch every Exception do not catch it."""


class Frame(NamedTuple):
    """A JSON object, whose `type` says what it means, and samples as float32, if it has any."""

    head: dict[str, Any]
    body: bytes = b""

    @property
    def type(self) -> str:
        """What it means: open, audio …"""
        return str(self.head["type"])


def encode(head: Mapping[str, Any], body: bytes = b"") -> bytes:
    """The bytes of a frame.

    Raises:
        FrameError: it is too large.
    """
    encoded = json.dumps(head).encode()
    _check_sizes(len(encoded), len(body))
    return _SIZES.pack(len(encoded), len(body)) + encoded + body


def read_frame(read: Callable[[int], bytes], parse: Callable[[bytes], Any] = json.loads) -> Frame:
    """The next frame. `read` returns as many bytes as it is asked for, `parse` the content of a JSON text.

    Raises:
        FrameError: it is none, or is too large.
        Whatever `read` raises.
    """
    head_bytes, body_bytes = _SIZES.unpack(read(_SIZES.size))
    _check_sizes(head_bytes, body_bytes)
    try:
        head = parse(read(head_bytes))
    except (ValueError, RecursionError) as error:
        raise FrameError("its head is not JSON") from error
    if not isinstance(head, dict) or not isinstance(head.get("type"), str):
        raise FrameError("its head has no type")
    return Frame(head, read(body_bytes))


def _check_sizes(head: int, body: int) -> None:
    if head > MAX_HEAD_BYTES or body > MAX_BODY_BYTES or body % 4:
        raise FrameError(f"it has {head:,} bytes of JSON and {body:,} of samples")


class _Engine:
    """The end of the wire at which a model speaks, one sentence after the other."""

    def __init__(self, adapter: str, name: str, packages: list[str]) -> None:
        self._requests: BinaryIO = _pipe(IN_VARIABLE, "rb")
        self._answers: BinaryIO = _pipe(OUT_VARIABLE, "wb")
        os.dup2(2, 1)  # what is printed goes where errors go
        self._adapter = adapter
        self._hello = {"type": "hello", "protocol": PROTOCOL, "engine": name, "versions": _versions(packages)}
        self._waiting: queue.SimpleQueue[Frame] = queue.SimpleQueue()
        self._writing = threading.Lock()
        self._cancelled: set[int] = set()
        self._references: dict[str, tuple[array[float], int, str]] = {}
        self._model: Any = None

    def run(self) -> None:
        """Answer until the other end is closed."""
        self._send(self._hello)
        threading.Thread(target=self._read, name="requests", daemon=True).start()
        while True:
            frame = self._waiting.get()
            try:
                self._answer(frame)
            except BrokenPipeError:
                os._exit(0)
            except Exception as error:
                self._send(_problem(frame, error))

    def _read(self) -> None:
        """Sort requests as they arrive. At the end of all, end the process, whatever it computes."""

        def read(size: int) -> bytes:
            data = self._requests.read(size)
            if len(data) < size:
                os._exit(0)
            return data

        try:
            while True:
                frame = read_frame(read)
                if frame.type == "cancel":
                    self._cancelled.add(frame.head["id"])
                elif frame.type == "status":
                    self._send(self._hello)
                else:
                    self._waiting.put(frame)
        except BaseException as error:
            sys.stderr.write(f"a request is no frame: {error}\n")
            os._exit(2)

    def _answer(self, frame: Frame) -> None:
        if frame.type == "open":
            self._model = _load(self._adapter).open(frame.head)
            self._send({**self._model.opened, "type": "opened"})
        elif frame.type == "reference":
            head, samples = frame.head, array("f", frame.body)
            self._references[head["digest"]] = samples, head["rate"], head.get("transcript") or ""
        elif frame.type == "speak":
            self._speak(frame.head)
        else:
            raise ValueError(f"there is no request {frame.type!r}")

    def _speak(self, request: dict[str, Any]) -> None:
        number, samples = request["id"], 0

        def emit(audio: Any) -> None:
            nonlocal samples
            if number in self._cancelled:
                raise Cancelled
            view = memoryview(audio)
            if not view.nbytes:  # only asked whether to go on
                return
            body = view.cast("B").tobytes()
            samples += len(body) // 4
            for start in range(0, len(body), MAX_BODY_BYTES):
                self._send({"type": "audio", "id": number}, body[start : start + MAX_BODY_BYTES])

        try:
            references = [digest and self._references[digest] for digest in request.get("references", ())]
            done = {"truncated": False, **(self._model.speak(request, references, emit) or {})}
        except Cancelled:
            done = {"truncated": True}
        self._cancelled = {later for later in self._cancelled if later > number}
        self._send({**done, "type": "done", "id": number, "samples": samples})

    def _send(self, head: Mapping[str, Any], body: bytes = b"") -> None:
        with self._writing:
            self._answers.write(encode(head, body))
            self._answers.flush()


def _pipe(variable: str, mode: str) -> Any:
    number = int(os.environ.pop(variable))
    os.set_inheritable(number, False)
    return os.fdopen(number, mode)


def _versions(packages: list[str]) -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": ".".join(map(str, sys.version_info[:3]))}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _load(adapter: str) -> Any:
    """The module in this file, which may import others beside it."""
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location("adapter", adapter)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["adapter"] = module
    sys.path.insert(0, str(Path(adapter).parent))
    spec.loader.exec_module(module)
    return module


def _problem(frame: Frame, error: Exception) -> dict[str, Any]:
    """The answer to a request that failed; the log gets the details."""
    import traceback

    traceback.print_exc()
    kind = getattr(error, "kind", None)
    if kind not in ERROR_KINDS:
        kind = "failed"
        if isinstance(error, MemoryError) or "OutOfMemory" in type(error).__name__:
            kind = "memory"
        elif isinstance(error, ImportError):
            kind = "unsupported"
    message = f"{type(error).__name__}: {error}" if kind == "failed" else str(error) or type(error).__name__
    return {"type": "error", "id": frame.head.get("id"), "kind": kind, "message": message[:_MAX_MESSAGE]}


if __name__ == "__main__":
    _Engine(sys.argv[1], sys.argv[2], sys.argv[3:]).run()
