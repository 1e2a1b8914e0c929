"""The pages of the server: their curl lines run as written, and they name what can be sent and what is answered."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import get_args

import pytest

from tests.serve.conftest import Serve
from voxmatrix.serve.jobs.jobs import AnyJobRequest
from voxmatrix.serve.speech.request import SpeechRequest

DOCS = Path(__file__).parents[2] / "docs"
TEXT = "".join((DOCS / name).read_text(encoding="utf-8") for name in ("server.md", "api.md"))
CURL = re.findall(r"^    (curl .+)$", TEXT, re.MULTILINE)


@pytest.mark.espeak
@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_every_curl_line_runs_as_written(serve: Serve, tmp_path: Path) -> None:
    server = serve(voice=Path("en_US-heart-student"))
    assert len(CURL) >= 4
    for line in CURL:
        command = line.replace("127.0.0.1:3000", f"127.0.0.1:{server.port}").replace("curl -s", "curl -sS --fail")
        subprocess.run(command, shell=True, check=True, cwd=tmp_path)
    for sound in ("hello.mp3", "hello.wav", "piper.wav"):
        assert (tmp_path / sound).stat().st_size > 5000


def test_every_field_of_a_request_is_on_the_page() -> None:
    (jobs, _) = get_args(AnyJobRequest)
    for request in (SpeechRequest, *get_args(jobs)):
        missing = [name for name in request.model_fields if f"`{name}`" not in TEXT]
        assert not missing, request


def test_every_capability_of_a_voice_is_on_the_page(serve: Serve) -> None:
    (listed, *_) = serve().get("/v1/audio/voices").json()["voices"]
    assert [name for name in listed["capabilities"] if f"| `{name}` |" not in TEXT] == []
