"""A real Redis server, and real workers as processes."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import psutil

TONE_WORKER = Path(__file__).with_name("tone_worker.py")
_REPOSITORY = Path(__file__).parents[3]
#: For something that takes a second on an idle computer.
LONG_SECONDS = 60.0


def wait_until(reached: Callable[[], object], seconds: float = LONG_SECONDS) -> None:
    until = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.05)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class RedisServer:
    """A server on a port of its own, which keeps its data like the one of docker/cluster.yaml."""

    def __init__(
        self, folder: Path, password: str = "", *, certificate: Path | None = None, port: int | None = None
    ) -> None:
        """With TLS, if it gets a certificate, beside which its key lies."""
        self.port = port or free_port()
        self.password, self._folder, self._certificate = password, folder, certificate
        address = f"{f':{password}@' if password else ''}127.0.0.1:{self.port}/0"
        self.url = f"rediss://{address}?ssl_ca_certs={certificate}" if certificate else f"redis://{address}"
        import redis  # here, because these tests are skipped where it is not installed

        self.client, self._error = redis.Redis.from_url(self.url), redis.RedisError
        self.start()

    def start(self) -> None:
        self._folder.mkdir(exist_ok=True)
        options = ["--port", str(self.port)] if self._certificate is None else self._with_tls(self._certificate)
        options += ["--bind", "127.0.0.1", "--dir", str(self._folder), "--save", ""]
        options += ["--appendonly", "yes", "--loglevel", "warning"]
        options += ["--requirepass", self.password] if self.password else []
        self._process = subprocess.Popen(["redis-server", *options], stdout=subprocess.DEVNULL)
        wait_until(self._answers)

    def _with_tls(self, certificate: Path) -> list[str]:
        files = ["--tls-cert-file", str(certificate), "--tls-key-file", str(certificate.with_suffix(".key"))]
        return ["--port", "0", "--tls-port", str(self.port), *files, "--tls-auth-clients", "no"]

    def kill(self, *, lose_data: bool = False) -> None:
        self._process.kill()
        self._process.wait()
        if lose_data:
            shutil.rmtree(self._folder)

    def close(self) -> None:
        self.client.close()
        self.kill(lose_data=True)

    def _answers(self) -> bool:
        try:
            return bool(self.client.ping())
        except self._error:
            return False


class ClusterWorker:
    """A worker with its processes: the one that supervises, Celery's, and the one that speaks."""

    def __init__(self, command: list[str], url: str, name: str, log: Path, environment: Mapping[str, str]) -> None:
        self.url, self.name, self._log = url, name, log
        python_path = os.pathsep.join(str(_REPOSITORY / part) for part in ("app", "entrypoint", ""))
        with log.open("wb") as file:
            self.process = subprocess.Popen(
                [sys.executable, *command],
                stdout=file,
                stderr=file,
                env={**os.environ, "PYTHONPATH": python_path, "C_FORCE_ROOT": "1", **environment},
                start_new_session=True,
            )

    @property
    def log(self) -> str:
        return self._log.read_text(errors="replace")

    def ready(self) -> bool:
        assert self.process.poll() is None, self.log
        return f"{self.name}@{socket.gethostname()} ready" in self.log

    def node(self) -> psutil.Process:
        """Celery's process."""
        return next(p for p in psutil.Process(self.process.pid).children() if "resource_tracker" not in _words(p))

    def child(self) -> psutil.Process:
        """The process that speaks."""
        return self.node().children()[0]

    def everything(self) -> list[psutil.Process]:
        top = psutil.Process(self.process.pid)
        return [top, *top.children(recursive=True)]

    def close(self) -> None:
        processes = self.everything() if self.process.poll() is None else []
        for process in processes:
            try:
                process.resume()
                process.kill()
            except psutil.NoSuchProcess:
                continue
        self.process.wait()

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(LONG_SECONDS)


def _words(process: psutil.Process) -> str:
    return " ".join(process.cmdline())
