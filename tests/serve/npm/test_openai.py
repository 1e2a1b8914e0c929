"""OpenAI's official client for JavaScript, unchanged but for the base URL."""

import json
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from tests.serve.conftest import Serve
from tests.serve.routes.test_speech import seconds_of
from voxmatrix.serve.speech.formats import FORMAT_NAMES

PROGRAM = Path(__file__).with_name("speak.mjs")


@pytest.mark.node
def test_the_official_client_of_npm_speaks_streams_and_raises_its_own_errors(serve: Serve, tmp_path: Path) -> None:
    server = serve(queue=1, key_digests=frozenset([sha256(b"right").digest()]))
    command = ["node", str(PROGRAM), server.url, str(tmp_path), "right"]
    told = json.loads(subprocess.run(command, check=True, capture_output=True, timeout=300).stdout)

    # The seven answers and the three errors: an error may be logged before the answer that came first.
    spoken = [facts["audio_seconds"] for facts in server.requests(10) if facts["audio_seconds"] is not None]
    for name, seconds in zip(FORMAT_NAMES, spoken, strict=False):
        found = seconds_of((tmp_path / f"speech.{name}").read_bytes(), name)
        assert found == pytest.approx(seconds, abs=0.15), name

    assert told["pieces"] > 1
    assert seconds_of((tmp_path / "streamed.wav").read_bytes(), "wav") == pytest.approx(spoken[6], abs=0.01)

    raised = {what: (error["name"], error["status"], error["code"]) for what, error in told["errors"].items()}
    assert raised == {
        "key": ("AuthenticationError", 401, "invalid_api_key"),
        "voice": ("BadRequestError", 400, "invalid_value"),
        "model": ("NotFoundError", 404, "model_not_found"),
    }
    refused = [error for error in told["crowd"] if error is not None]
    assert 0 < len(refused) < 12
    for error in refused:
        assert (error["name"], error["status"], error["type"]) == ("RateLimitError", 429, "requests")
        assert int(error["retryAfter"]) >= 1
    for error in [*told["errors"].values(), *refused]:
        assert error["known"]
        assert error["requestID"].startswith("req_")

    assert told["models"][0] == "tts-1"
