"""docker/healthcheck.py asks the server of a container, wherever it listens, and nobody where another command runs."""

import http.server
import runpy
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent.parent / "docker" / "healthcheck.py"
main = runpy.run_path(str(SCRIPT))["main"]
HEALTHY, UNHEALTHY = 0, 1


class Answering(http.server.BaseHTTPRequestHandler):
    """Ready or not, as the test says."""

    code = 200

    def do_GET(self) -> None:
        self.send_response(self.code if self.path == "/readyz" else 404)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")  # which nothing inside the container is asked through
    monkeypatch.setattr(Answering, "code", 200)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    (tmp_path / "proc" / "1").mkdir(parents=True)
    (tmp_path / "proc" / "7").mkdir()
    return tmp_path / "proc"


def started(proc: Path, *words: str) -> Path:
    """A container that was started with these words; its folder for temporary files."""
    (proc / "1" / "cmdline").write_text("\0".join([*words, ""]), encoding="utf-8")
    (proc.parent / "tmp").mkdir(exist_ok=True)
    return proc.parent / "tmp"


ENTRYPOINT = ("tini", "--", "python3", "-m", "voxmatrix_entrypoint")


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
@pytest.mark.parametrize("words", [(*ENTRYPOINT, "serve"), ("tini", "--", "bash", "-c", "…; voxmatrix serve")])
def test_a_server_is_asked_where_it_listens_and_healthy_when_it_is_ready(
    words: tuple[str, ...], host: str, port: int, proc: Path
) -> None:
    folder = started(proc, *words)
    (folder / "voxmatrix-serve-7").write_text(f"http://{host}:{port}", encoding="utf-8")
    assert main(folder, proc) == HEALTHY
    Answering.code = 503
    assert main(folder, proc) == UNHEALTHY


def test_a_server_that_has_not_come_so_far_is_not_healthy(proc: Path) -> None:
    assert main(started(proc, *ENTRYPOINT, "serve", "--port", "1"), proc) == UNHEALTHY
    (proc.parent / "tmp" / "voxmatrix-serve-7").write_text("http://0.0.0.0:0", encoding="utf-8")
    assert main(proc.parent / "tmp", proc) == UNHEALTHY


@pytest.mark.parametrize(
    "words", [("train", "my-recordings", "--out", "serve"), ("speak", "--text", "serve"), (), ("--help",)]
)
def test_another_command_is_healthy_while_it_runs(words: tuple[str, ...], proc: Path) -> None:
    folder = started(proc, *ENTRYPOINT, *words)
    assert main(folder, proc) == HEALTHY
    (folder / "voxmatrix-serve-99").write_text("http://127.0.0.1:1", encoding="utf-8")  # of a process that was killed
    assert main(folder, proc) == HEALTHY
