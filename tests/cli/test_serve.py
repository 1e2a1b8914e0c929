"""`voxmatrix serve`: its options, its errors, and its end."""

import importlib.util
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from voxmatrix.cli import main
from voxmatrix.serve.page.files import read_page

ROOT = Path(__file__).parents[2]
VOICE = "en_US-heart-student"


@contextmanager
def served(*words: str, **environment: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server in a process of its own, and its URL."""
    command = [sys.executable, "-m", "voxmatrix_entrypoint", "serve", "--device", "cpu", *words]
    with subprocess.Popen(
        command, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("serving on http://"), (line, process.stderr and process.stderr.read())
            yield line.split()[-1], process
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_also_while_somebody_listens(number: signal.Signals) -> None:
    with served("--port", "0", "--max-input", "1000000") as (url, process):
        body = {"model": "tts-1", "voice": VOICE, "input": "Hello there. " * 5000, "response_format": "pcm"}
        with httpx.stream("POST", f"{url}/v1/audio/speech", json=body, timeout=60) as answer:
            assert answer.status_code == 200
            process.send_signal(number)
            assert process.wait(30) == 0
        assert process.stderr is not None
        assert process.stderr.read().endswith("stopped\n")


def test_the_variables_of_an_older_program_are_understood() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with served(VIBEVOICE_PORT=str(port), VIBEVOICE_MODEL=VOICE) as (url, _):
        assert url == f"http://127.0.0.1:{port}"
        assert httpx.get(f"{url}/info").json()["voice"]["name"] == VOICE


def test_in_an_image_it_tells_the_health_check_where_it_listens(tmp_path: Path) -> None:
    """Where its port comes from, the check need not know."""
    with served(VOXMATRIX_PORT="0", TMPDIR=str(tmp_path), VOXMATRIX_IMAGE="cpu") as (url, process):
        assert (tmp_path / f"voxmatrix-serve-{process.pid}").read_text(encoding="utf-8") == url
        check = [sys.executable, str(ROOT / "docker" / "healthcheck.py")]
        environment = {**os.environ, "TMPDIR": str(tmp_path)}
        assert subprocess.run(check, env=environment, check=False).returncode == 0
        process.kill()
        process.wait()


def test_its_own_variables_and_flags_are_stronger(tmp_path: Path) -> None:
    with served("--port", "0", VIBEVOICE_PORT="1", VOXMATRIX_VOICE=VOICE, VIBEVOICE_MODEL="nobody") as (url, _):
        assert httpx.get(f"{url}/readyz").status_code == 200


def test_the_log_can_be_json() -> None:
    import json

    with served("--port", "0", "--log-json") as (url, process):
        httpx.get(f"{url}/healthz", headers={"X-Request-Id": "mine"})
        assert process.stderr is not None
        line = json.loads(process.stderr.readline())
    assert (line["event"], line["id"], line["path"], line["status"]) == ("request", "mine", "/healthz", 200)


def test_the_files_of_the_page_fill_no_log() -> None:
    with served("--port", "0") as (url, process):
        for path in (f"page/{read_page().version}/js/main.js", "page/missing.js", ""):
            httpx.get(f"{url}/{path}")
        assert process.stderr is not None
        lines = [process.stderr.readline() for _ in range(2)]
    assert ["status=404" in line for line in lines] == [True, False]
    assert "path=/ " in lines[1]


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main.run(["serve", *words])
    return code, capsys.readouterr().err


def test_a_server_that_others_can_reach_makes_a_key_for_its_run() -> None:
    with served("--port", "0", "--host", "0.0.0.0") as (bound, process):
        assert process.stdout is not None
        address, _, key = process.stdout.readline().split()[-1].partition("/#key=")
        assert address == bound.replace("0.0.0.0", "127.0.0.1")
        assert httpx.get(f"{address}/v1/models").status_code == 401
        assert httpx.get(f"{address}/v1/models", headers={"Authorization": f"Bearer {key}"}).status_code == 200


def test_a_container_is_set_by_variables(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("a-long-key-in-a-file\n", encoding="utf-8")
    given = {
        "VOXMATRIX_KEY": "a-long-key-of-ours", "VOXMATRIX_KEY_FILE": str(secret), "VOXMATRIX_OPEN_LISTS": "1",
        "VOXMATRIX_ALLOW_ORIGIN": "http://chat.example,http://other.example:8080/", "VOXMATRIX_ROOT_PATH": "voice/",
        "VOXMATRIX_ALLOW_HOST": "a.example b.example", "VOXMATRIX_LOG_JSON": "1",
    }  # fmt: skip
    with served("--port", "0", "--host", "0.0.0.0", **given) as (bound, process):
        url = bound.replace("0.0.0.0", "127.0.0.1")
        for key in ("a-long-key-of-ours", "a-long-key-in-a-file"):
            answer = httpx.get(f"{url}/voice/v1/machine", headers={"X-API-Key": key}, timeout=60)  # imports torch
            assert answer.status_code == 200
        assert httpx.get(f"{url}/v1/machine").status_code == 401
        listed = httpx.get(f"{url}/v1/audio/voices", headers={"Origin": "http://other.example:8080"})
        assert listed.status_code == 200
        assert listed.headers["access-control-allow-origin"] == "http://other.example:8080"
        assert process.stderr is not None
        line = process.stderr.readline()
        assert line.startswith("{") and "is not a setting" not in line


def test_names_of_hosts_may_be_in_a_variable() -> None:
    with served("--port", "0", VOXMATRIX_ALLOW_HOST="a.example,b.example") as (url, _):
        for host, status in (("a.example", 200), ("b.example:1", 200), ("c.example", 403)):
            assert httpx.get(f"{url}/v1/models", headers={"Host": host}).status_code == status


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["--key", "short"], 2, "--key"),
        (["--key-file", "/nowhere/key"], 3, "/nowhere/key"),
        (["--allow-origin", "chat.example"], 2, "--allow-origin"),
        (["--root-path", "/a b"], 2, "--root-path"),
        (["--zeroconf"], 2, "--wyoming-port"),
        (["--zeroconf", "--wyoming-port", "0"], 2, "--wyoming-host"),
    ],
)
def test_a_value_that_cannot_be_used_is_named(
    capsys: pytest.CaptureFixture[str], words: list[str], code: int, told: str
) -> None:
    got, message = run(capsys, *words)
    assert (got, told in message) == (code, True), message


def test_everybody_is_answered_where_that_is_wanted() -> None:
    with served("--port", "0", "--host", "0.0.0.0", "--no-keys") as (bound, _):
        assert httpx.get(f"{bound.replace('0.0.0.0', '127.0.0.1')}/v1/models").status_code == 200


def test_wyoming_which_has_no_keys_is_not_opened_to_others_unasked(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, message = run(capsys, "--wyoming-port", "0", "--wyoming-host", "0.0.0.0", "--keys", str(tmp_path / "keys"))
    assert code == 2
    assert "Wyoming has no keys" in message
    assert "--no-keys" in message


def test_wyoming_has_a_line_and_a_port_of_its_own() -> None:
    with served("--port", "0", "--wyoming-port", "0") as (_, process):
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("serving on tcp://127.0.0.1:")
        socket.create_connection(("127.0.0.1", int(line.rpartition(":")[2]))).close()


@pytest.mark.parametrize("option", ["--port", "--wyoming-port"])
def test_a_port_in_use_is_named(capsys: pytest.CaptureFixture[str], option: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, message = run(capsys, "--port", "0", option, str(taken.getsockname()[1]))
    assert code == 2
    assert "in use" in message
    assert f"e.g. {option} " in message


@pytest.mark.parametrize("value", ["http", "70000", "-1"])
def test_an_older_port_that_is_no_port_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("VIBEVOICE_PORT", value)
    code, message = run(capsys)
    assert code == 2
    assert "VIBEVOICE_PORT" in message


def test_an_unknown_voice_ends_it(capsys: pytest.CaptureFixture[str]) -> None:
    code, message = run(capsys, "--voice", "nobody", "--port", "0")
    assert code == 3
    assert VOICE in message


def test_a_damaged_voice_ends_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from voxmatrix.voices.resolve import locate

    _, source = locate(VOICE)
    (tmp_path / "bad.onnx").write_bytes(source.read_bytes()[:1000])
    (tmp_path / "bad.onnx.json").write_bytes(Path(f"{source}.json").read_bytes())
    code, message = run(capsys, "--voice", str(tmp_path / "bad.onnx"), "--port", "0")
    assert code == 9
    assert "bad.onnx" in message


@pytest.mark.redis
def test_a_cluster_that_does_not_answer_is_a_warning() -> None:
    with served("--port", "0", "--cluster", "redis://:SECRET@127.0.0.1:1/0") as (url, process):
        assert httpx.get(f"{url}/healthz").status_code == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0 and process.stderr is not None
        said = process.stderr.read()
        assert said.startswith("warning: no books on the cluster yet: redis://:**@127.0.0.1:1/0 cannot be reached")
        assert "SECRET" not in said


def test_a_cluster_that_is_no_url_ends_it(capsys: pytest.CaptureFixture[str]) -> None:
    code, message = run(capsys, "--cluster", "redis://", "--port", "0")
    assert code == 2 and "not a valid URL" in message


def test_without_its_packages_it_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec

    def without(name: str, *more: Any) -> Any:
        return None if name == "fastapi" else find(name, *more)

    monkeypatch.setattr("voxmatrix.cli.serve.find_spec", without)
    code, message = run(capsys)
    assert code == 7
    assert 'pip install "voxmatrix[serve]"' in message


def test_a_new_key_is_printed_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "keys"
    assert main.run(["serve", "--keys", str(file), "--new-key"]) == 0
    key = capsys.readouterr().out.strip()
    assert re.fullmatch(r"[0-9a-f]{64}\n", file.read_text(encoding="utf-8"))
    with served("--port", "0", "--keys", str(file), "--host", "0.0.0.0") as (bound, _):
        url = bound.replace("0.0.0.0", "127.0.0.1")
        assert httpx.get(f"{url}/v1/models").status_code == 401
        assert httpx.get(f"{url}/v1/models", headers={"Authorization": f"Bearer {key}"}).status_code == 200


def test_the_program_imports_the_server_only_to_run_it() -> None:
    check = (
        "import sys; from voxmatrix_entrypoint.launch import launch; launch(['serve', '--help']);"
        "assert not {'fastapi', 'uvicorn', 'prometheus_client'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", check], check=True, stdout=subprocess.DEVNULL)
