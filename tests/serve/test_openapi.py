"""The OpenAPI document: schemathesis sends what it allows, and what it does not. It starts no jobs, which take long."""

from typing import Any

import hypothesis
import pytest
import schemathesis
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.serve.conftest import Running, running
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.serve.settings import ServeSettings

schemathesis.serializer.alias("audio/wav", "application/octet-stream")
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


@pytest.fixture(scope="module")
def documented(voice: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VOXMATRIX_HOME", str(tmp_path_factory.mktemp("home")))
        with running(ServeSettings(voice=voice, port=0, device=DeviceRequest(kind="cpu"), threads=1)) as server:
            yield server


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["allowed", "forbidden"])
def test_every_answer_is_what_the_document_says_and_no_failure(documented: Running, mode: GenerationMode) -> None:
    content = documented.get("/openapi.json").json()
    speech = content["components"]["schemas"]["SpeechRequest"]["properties"]
    speech["model"]["enum"], speech["voice"]["enum"] = ["tts-1", "nobody"], ["alloy", "random"]  # most requests speak
    speech["knobs"]["propertyNames"] = {"enum": ["noise", "noise_w", "temperature"]}
    document = schemathesis.openapi.from_dict(content)
    operations = [found.ok() for found in document.exclude(path="/v1/jobs", method="POST").get_all_operations()]
    assert len(operations) > 10
    for operation in operations:
        if mode is GenerationMode.NEGATIVE and not operation.body:
            continue  # there is nothing that could be wrong

        @hypothesis.settings(
            max_examples=15, derandomize=True, deadline=None, database=None,
            suppress_health_check=list(hypothesis.HealthCheck),  # they measure the speed of the computer
        )  # fmt: skip
        @hypothesis.given(case=operation.as_strategy(generation_mode=mode))
        def answered(case: schemathesis.Case) -> None:
            case.call_and_validate(base_url=documented.url, checks=CHECKS, timeout=60)

        answered()


def test_the_document_names_what_is_sent_and_received(documented: Running) -> None:
    paths = documented.get("/openapi.json").json()["paths"]
    speech = paths["/v1/audio/speech"]["post"]
    assert set(speech["responses"]) == {"200", "default"}
    assert set(speech["responses"]["200"]["content"]) >= {"audio/mpeg", "audio/pcm", "text/event-stream"}
    assert paths["/synthesize"]["post"]["requestBody"]["required"]
