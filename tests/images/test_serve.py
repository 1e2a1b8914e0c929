"""The server in a container with every restriction: it is healthy, needs its key, speaks, and can be stopped."""

import json
from collections.abc import Iterator

import pytest

from tests.images.containers import Container, Hardened, docker

pytestmark = [pytest.mark.docker, pytest.mark.slow]

#: Run in the container, which has no network but its own. It prints what is answered without the key and with it.
CLIENT = """
import io, json, sys, urllib.error, urllib.request, wave

def ask(path, key="", body=None):
    request = urllib.request.Request(sys.argv[1] + path, body and json.dumps(body).encode())
    request.add_header("Content-Type", "application/json")
    if key:
        request.add_header("Authorization", f"Bearer {key}")
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()

key = sys.argv[2]
spoken = {"model": "tts-1", "voice": "alloy", "input": "It speaks.", "response_format": "wav"}
with wave.open(io.BytesIO(ask("/v1/audio/speech", key, spoken)[1])) as file:
    frames = len(file.readframes(file.getnframes())) // 2
print(json.dumps({
    "without": ask("/v1/models")[0],
    "with": ask("/v1/models", key)[0],
    "page": "<title>" in ask("/")[1].decode(),
    "metrics": ask("/metrics", key)[0],
    "frames": frames,
}))
"""


@pytest.fixture(scope="module")
def server(hardened: Hardened) -> Iterator[Container]:
    with hardened.started("serve", "--port=3001") as container:
        container.wait_until(lambda: "#key=" in container.said(), "the address to open")
        yield container


def test_it_answers_those_who_have_its_key(server: Container) -> None:
    address, _, key = server.said().partition("open ")[2].split()[0].partition("/#key=")
    assert address.endswith(":3001")
    said = json.loads(server.exec("python3", "-c", CLIENT, address, key).stdout)
    assert said.pop("frames") > 2000
    assert said == {"without": 401, "with": 200, "page": True, "metrics": 200}


def test_it_is_healthy(server: Container) -> None:
    server.wait_until(lambda: _health(server) == "healthy", "a healthy container")


def test_it_ends_when_it_is_stopped(server: Container) -> None:
    assert server.stop() == 0
    assert "stopped" in server.said()


def test_healthy_is_ready_wherever_the_port_comes_from(hardened: Hardened) -> None:
    settings = hardened.give("voxmatrix.toml", "port = 4777\n")
    with hardened.started("serve") as container:
        container.wait_until(lambda: _health(container) == "healthy", "a healthy container")
        assert "serving on http://0.0.0.0:4777" in container.said()
    settings.unlink()


def test_another_command_is_healthy_while_it_runs(hardened: Hardened) -> None:
    """Also one whose words have that of the server among them."""
    with hardened.started("bash", "-c", "sleep 600; voxmatrix serve") as container:
        container.wait_until(lambda: _health(container) == "healthy", "a healthy container")


def _health(container: Container) -> str:
    return docker("inspect", "--format", "{{.State.Health.Status}}", container.name).stdout.strip()
