"""The process of an engine: started, asked for one sentence after the other, and ended whatever it does.

An engine that hangs, crashes or sends nonsense is killed with its children, and is an error with what to do; the next
sentence starts it again.
"""

import os
import subprocess
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from voxmatrix.audio.waves import Samples
from voxmatrix.child_environment import for_engine
from voxmatrix.closing import Closeable
from voxmatrix.compute.child import place
from voxmatrix.errors import (
    MemoryExhaustedError,
    MissingProgramError,
    VoxmatrixError,
)
from voxmatrix.external import wire
from voxmatrix.external.answers import checked_versions, content_of, shown
from voxmatrix.external.channel import Channel
from voxmatrix.external.confinement import engine_environment, engine_home, engine_limits
from voxmatrix.external.installed import Engine, check_weights, weights_folder
from voxmatrix.machine.facts import Gpu
from voxmatrix.processes import OUT_OF_MEMORY, EndedError, describe_exit, kill_group
from voxmatrix.processes import start as start_process
from voxmatrix.wording import printable, quoted

_END_SECONDS = 5.0
_MAX_LINE = 300


class Limits(NamedTuple):
    """How long an engine may take, in seconds."""

    start: float = 60.0
    open: float = 900.0
    silence: float = 600.0  # until the next samples of a sentence
    cancel: float = 30.0  # until it stops when nobody wants the rest


#: Of one that hands out whole sentences, which take long on a CPU.
WHOLE_SENTENCE_SECONDS = 3600.0


class Recording(NamedTuple):
    """A voice to imitate."""

    digest: str
    samples: Samples
    rate_hz: int
    transcript: str = ""


@dataclass
class _Progress:
    """Of a sentence that is spoken."""

    cancelled: Callable[[], bool]
    most: float  # samples that are believed
    received: int = 0
    stopping: float | None = None  # since when


@dataclass(frozen=True, kw_only=True)
class EngineStart:
    """What an engine is started with. Equal ones share a process."""

    folder: Path
    weights: tuple[tuple[str, str], ...]  # id and digest
    gpu: Gpu | None
    dtype: str
    attention: str
    threads: int
    version: str = ""  # of its files


class EngineProcess(Closeable):
    """A running engine."""

    def __init__(
        self, engine: Engine, start: EngineStart, limits: Limits, wanted: Callable[[], bool] = lambda: True
    ) -> None:
        """Start it and open its weights. As soon as it is not `wanted` any more, whatever it does ends.

        Raises:
            CancelledError: it is not wanted any more.
            VoxmatrixError: it does not start, or cannot use the weights.
        """
        if os.name == "nt":
            raise MissingProgramError("engines do not run on Windows", "use WSL, or an image that has the engine")
        self._engine, self._limits, self._wanted = engine, limits, wanted
        self._number, self._killed = 0, False
        self._known: set[str] = set()
        self._log: deque[bytes] = deque(maxlen=20)
        placement = place(start.gpu, for_engine())
        self._scratch = tempfile.TemporaryDirectory(prefix="voxmatrix-engine-", ignore_cleanup_errors=True)
        self._channel = Channel()
        self._process = self._spawn(placement.environment, [weights_folder(digest) for _, digest in start.weights])
        self._logging = threading.Thread(target=self._keep_log, daemon=True, name="engine")
        self._logging.start()
        try:
            with self._doing("starts"):
                #: Of Python, torch, and the packages that the manifest names.
                self.versions = checked_versions(self._channel.receive(limits.start, self._check_wanted), engine)
            with self._doing("opens its weights"):
                weights = {name: str(check_weights(digest, engine)) for name, digest in start.weights}
                device = {"device": placement.device, "dtype": start.dtype, "attention": start.attention}
                self._channel.send(
                    {"type": "open", "weights": weights, **device, "threads": start.threads}, limits.open
                )
                #: What the engine says of itself: rate, voices, memory, attention.
                self.opened = content_of(self._channel.receive(limits.open, self._check_wanted), "opened", engine)
                if self.opened.get("rate") != engine.manifest.can.rate:
                    said = f"it speaks at {shown(self.opened.get('rate'))} Hz"
                    raise wire.FrameError(f"{said}, and its manifest says {engine.manifest.can.rate}")
        except BaseException:
            self.close()
            raise

    @property
    def pid(self) -> int:
        """The process ID."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether it can be asked."""
        return self._process.poll() is None

    def speak(
        self,
        request: Mapping[str, Any],
        recordings: Sequence[Recording | None],
        on_audio: Callable[[Samples], None],
        cancelled: Callable[[], bool],
        max_seconds: float,
    ) -> dict[str, Any]:
        """Speak a text, and return the fields of `done`. Its samples are passed on as they arrive.

        The recordings are those of its speakers; None is a speaker who imitates none.

        Raises:
            CancelledError: the engine is not wanted any more.
            VoxmatrixError: it cannot. After some errors the process is gone.
        """
        self._number += 1
        progress = _Progress(cancelled, max_seconds * self._engine.manifest.can.rate)
        with self._doing("speaks"):
            for one in (one for one in recordings if one and one.digest not in self._known):
                head = {"type": "reference", "digest": one.digest, "rate": one.rate_hz, "transcript": one.transcript}
                self._channel.send(head, self._limits.silence, one.samples.astype("<f4").tobytes())
                self._known.add(one.digest)
            references = {"references": [one and one.digest for one in recordings]} if any(recordings) else {}
            self._channel.send({"type": "speak", "id": self._number, **request, **references}, self._limits.silence)
            while (frame := self._channel.receive(self._limits.silence, partial(self._look, progress))).type == "audio":
                if frame.head.get("id") != self._number:
                    raise wire.FrameError(f"it sends samples of another sentence ({shown(frame.head.get('id'))})")
                if not frame.body:  # it could keep a sentence waiting for ever with these
                    raise wire.FrameError("it sends samples, and there are none")
                progress.received += len(frame.body) // 4
                if progress.stopping is None:
                    on_audio(np.frombuffer(frame.body, "<f4").astype(np.float32))
            done = content_of(frame, "done", self._engine)
            if done.get("samples") != progress.received:
                sent = f"it says that it has sent {shown(done.get('samples'))} samples"
                raise wire.FrameError(f"{sent}, and {progress.received} came")
        if progress.received > progress.most:
            raise VoxmatrixError(
                f"the engine {self._engine.name} did not end after {max_seconds:.0f} s of {quoted(request['text'])}",
                "speak it again with another `seed`, or change its words",
            )
        return done

    def _check_wanted(self) -> None:
        if not self._wanted():
            raise CancelledError

    def _look(self, progress: "_Progress") -> None:
        """Tell the engine once to stop, if it should, and do not wait long until it does."""
        self._check_wanted()
        if progress.stopping is None:
            if progress.cancelled() or progress.received > progress.most:
                progress.stopping = time.monotonic()
                self._channel.send({"type": "cancel", "id": self._number}, self._limits.cancel)
        elif time.monotonic() - progress.stopping > self._limits.cancel:
            raise TimeoutError

    def close(self) -> None:
        """End it: its end of the pipe first, then it and its children."""
        self._channel.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS)
        self._kill()

    def _spawn(self, environment: Mapping[str, str], weights: Sequence[Path]) -> "subprocess.Popen[bytes]":
        engine, scratch = self._engine, Path(self._scratch.name)
        own = engine_home(engine, scratch)
        table = engine.manifest.engine
        command = [
            engine.python,
            "-Iu",
            wire.__file__,
            engine.folder / table.adapter,
            engine.name,
            "torch",
            *table.imports,
        ]
        try:
            return start_process(
                list(map(str, command)),
                environment={**engine_environment(environment, own, scratch), **self._channel.variables},
                limits=engine_limits(engine, weights, own, scratch),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=self._channel.inherited,
                start_new_session=True,  # a group of its own: Ctrl-C does not reach it, and its children end with it
            )
        except (FileNotFoundError, PermissionError) as error:
            self._channel.close()
            self._scratch.cleanup()
            raise MissingProgramError(
                f"the environment of the engine {engine.name} cannot be started: {error.strerror}: {engine.python}",
                f"voxmatrix engines install {engine.name}",
            ) from error
        finally:
            self._channel.close_inherited()

    def _keep_log(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as errors:
            while line := errors.readline(_MAX_LINE):
                self._log.append(line)

    @contextmanager
    def _doing(self, what: str) -> Iterator[None]:
        """Turn what is wrong with the process into an error, and end the process."""
        name = self._engine.name
        check = f"voxmatrix engines check {name}"
        try:
            yield
        except CancelledError:
            self._kill()
            raise
        except EndedError as error:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_END_SECONDS)
            code = self._kill()
            said = self._last_line()
            problem = f"the engine {name} {describe_exit(code)} while it {what}{': ' * bool(said)}{said}"
            if code == OUT_OF_MEMORY:
                raise MemoryExhaustedError(f"{problem}; the memory may have run out", "end other programs") from error
            raise VoxmatrixError(problem, check) from error
        except wire.FrameError as error:
            self._kill()
            raise VoxmatrixError(
                f"the engine {name} sent what is no message while it {what}: {error}", check
            ) from error
        except TimeoutError as error:
            self._kill()
            raise VoxmatrixError(
                f"the engine {name} did not answer in time while it {what}, and was ended", check
            ) from error

    def _kill(self) -> int:
        """Kill the process and its children; returns its exit code."""
        if not self._killed:  # later, its number may be that of another process
            self._killed = True
            kill_group(self._process.pid)
            self._process.kill()
        code = self._process.wait()
        self._logging.join(1.0)
        self._scratch.cleanup()
        return code

    def _last_line(self) -> str:
        lines = [line.decode("utf-8", "replace").strip() for line in self._log]
        return printable(next(filter(None, reversed(lines)), ""))
