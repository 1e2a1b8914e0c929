"""docker/healthcheck.py asks the server of a container, wherever it listens, and nobody where another command runs."""

import runpy
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent.parent / "docker" / "healthcheck.py"
port_of = runpy.run_path(str(SCRIPT))["port_of"]
PROGRAM = ("tini", "--", "python3", "-m", "voxmatrix_entrypoint")


@pytest.mark.parametrize(
    ("words", "environment", "port"),
    [
        (("serve",), {}, "3000"),
        (("serve", "--port", "8080"), {"VOXMATRIX_PORT": "1"}, "8080"),
        (("serve", "--voice", "a", "--port=8081"), {}, "8081"),
        (("serve",), {"VOXMATRIX_PORT": "8082", "VIBEVOICE_PORT": "1"}, "8082"),
        (("serve",), {"VIBEVOICE_PORT": "8083"}, "8083"),
        (("train", "/data/recordings"), {"VOXMATRIX_PORT": "8080"}, None),
        ((), {}, None),
    ],
)
def test_the_port_is_that_of_the_command(words: tuple[str, ...], environment: dict[str, str], port: str | None) -> None:
    assert port_of([*PROGRAM, *words, ""], environment) == port
