"""Programs written for Kokoro find its voices by the names that they know."""

import io
import wave
from pathlib import Path

import openai
import pytest

from tests.serve.conftest import running
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.serve.settings import ServeSettings

pytestmark = pytest.mark.espeak


def test_the_server_speaks_with_the_names_of_kokoros_clients(kokoro: Path) -> None:
    with running(ServeSettings(voice=None, port=0, device=DeviceRequest(kind="cpu"), threads=1)) as server:
        listed = [voice["id"] for voice in server.get("/v1/audio/voices").json()["voices"]]
        client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="anything", max_retries=0)
        said = {
            (model, voice): client.audio.speech.create(
                model=model, voice=voice, input="Good morning.", response_format="wav"
            ).content
            for model, voice in (("kokoro", "af_bella"), ("tts-1", "kokoro/af_bella"), ("kokoro", "alloy"))
        }
        with pytest.raises(openai.BadRequestError, match="no such voice"):
            client.audio.speech.create(model="kokoro", voice="af_nobody", input="Good morning.")
    assert listed[:2] == ["kokoro/af_heart", "kokoro/af_bella"]
    assert said["kokoro", "af_bella"] == said["tts-1", "kokoro/af_bella"]
    for sound in said.values():
        with wave.open(io.BytesIO(sound)) as file:
            assert file.getframerate() == 24_000
