"""Programs written for Kokoro find its voices by the names that they know."""

import io
import wave
from pathlib import Path

import numpy as np
import openai
import pytest

from tests.kokoro.conftest import write_styles
from tests.serve.conftest import running
from voxmatrix.kokoro.styles import read_styles
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.serve.settings import ServeSettings
from voxmatrix.voices.resolve import make_default

pytestmark = pytest.mark.espeak


def test_the_server_speaks_with_the_names_of_kokoros_clients(kokoro: Path) -> None:
    make_default("kokoro/af_heart")
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


def test_requests_of_kokoro_fastapis_own_tests_are_answered(kokoro: Path) -> None:
    """Bodies of api/tests/test_openai_endpoints.py, and of its README."""
    voices = ["af_bella", "af_heart+af_bella", "af_bella(2)+af_heart(1)", "kokoro/af_heart+bf_emma", "alloy", "nova"]
    bodies = [
        *({"model": "kokoro", "input": "Hello world", "voice": voice, "response_format": "wav"} for voice in voices),
        {"model": "tts-1", "input": "Hello world", "voice": "alloy", "response_format": "mp3"},
        {"model": "tts-1-hd", "input": "Hello world", "voice": "af_heart", "speed": 1.0, "stream": False},
        {"model": "kokoro", "input": "Hello world", "voice": "af_heart", "response_format": "pcm", "stream": True},
        {"model": "kokoro", "input": "Hello", "voice": "af_heart", "lang_code": "a", "volume_multiplier": 1.5,
         "normalization_options": {"normalize": False}, "return_download_link": False, "download_format": None},
        {"input": "Hello"},
    ]  # fmt: skip
    with running(ServeSettings(voice=None, port=0, device=DeviceRequest(kind="cpu"), threads=1)) as server:
        answers = [server.post("/v1/audio/speech", body) for body in bodies]
        for wrong in ("invalid_voice", "af_heart+nobody_x", "../../af_heart+x", "af_heart(0)"):
            body = {"model": "kokoro", "input": "Hello", "voice": wrong}
            assert server.post("/v1/audio/speech", body).status_code == 400
        assert server.post("/v1/audio/speech", {"model": "no", "input": "Hello"}).status_code == 404
        said_by = [line["voice"] for line in server.requests(len(voices))]
        phonemes = server.post("/dev/phonemize", {"text": "Hello, world.", "language": "b"}).json()["phonemes"]
    assert [answer.status_code for answer in answers] == [200] * len(bodies)
    assert all(len(answer.content) > 1000 for answer in answers)
    assert said_by[:3] == ["kokoro/af_bella", "kokoro/af_heart+af_bella", "kokoro/af_bella(2)+af_heart(1)"]
    assert phonemes.startswith("həlˈQ")


def test_a_mixture_can_be_had_as_a_file(kokoro: Path) -> None:
    with running(ServeSettings(voice=None, port=0, device=DeviceRequest(kind="cpu"), threads=1)) as server:
        made = [
            server.post("/v1/audio/voices/combine", body)
            for body in ("af_heart+af_bella", ["af_heart", "af_bella"], "kokoro/af_heart+af_bella")
        ]
        wrong = [
            server.post("/v1/audio/voices/combine", body).status_code
            for body in (
                "af_heart",
                "af_heart+af_nobody",
                "af_heart(0)+af_bella(0)",
                "../a+b",
                [],
                ["af_heart"],
                {"a": 1},
            )
        ]
    assert {answer.status_code for answer in made} == {200} and len({answer.content for answer in made}) == 1
    assert 'filename="af_heart+af_bella.bin"' in made[0].headers["content-disposition"]
    mean = (read_styles(kokoro / "voices" / "af_heart.bin") + read_styles(kokoro / "voices" / "af_bella.bin")) / 2
    assert np.allclose(np.frombuffer(made[0].content, "<f4"), mean.ravel())
    assert wrong == [400] * 7


def test_openais_names_are_those_of_kokoros_voices_where_these_speak(kokoro: Path) -> None:
    write_styles(kokoro / "voices" / "am_echo.bin", 0.7)
    make_default("kokoro/af_heart")
    with running(ServeSettings(voice=None, port=0, device=DeviceRequest(kind="cpu"), threads=1)) as server:
        names = {"echo": "kokoro/am_echo", "alloy": "kokoro/af_heart", "shimmer": "kokoro/af_heart"}
        for name in names:
            server.speak(voice=name)
        assert [line["voice"] for line in server.requests(3)] == list(names.values())


def test_a_voice_speaks_with_the_phonemes_of_another_language(kokoro: Path) -> None:
    def body(**more: object) -> dict[str, object]:
        return {"input": "Chez nous, 21 jours.", "voice": "af_heart", "response_format": "wav", "stream": False, **more}

    turns = [{"voice": "af_heart", "text": "Chez nous, 21 jours."}]
    with running(ServeSettings(voice=None, port=0, device=DeviceRequest(kind="cpu"), threads=1)) as server:
        plain, american, french, mixed, tag, cast, spoken = (
            server.post(path, content)
            for path, content in (
                ("/v1/audio/speech", body()),
                ("/v1/audio/speech", body(lang_code="a")),
                ("/v1/audio/speech", body(lang_code="f")),
                ("/v1/audio/speech", body(lang_code="fr-fr", voice="af_heart+af_heart")),
                ("/v1/audio/speech", body(voice="af_heart@fr-fr")),
                ("/v1/audio/speech", body(input="[voice:af_heart@f] Chez nous, 21 jours.")),
                ("/dev/dialogue", {**body(lang_code="f"), "turns": turns}),
            )
        )
        refused = [
            server.post("/v1/audio/speech", body(lang_code=code)).json()["error"]
            for code in ("j", "xx", "e@f", "@" * 99)
        ]
        said_by = [line["voice"] for line in server.requests(3)]
    assert said_by == ["kokoro/af_heart", "kokoro/af_heart", "kokoro/af_heart@f"]
    assert plain.content == american.content
    assert len({plain.content, french.content}) == 2
    assert french.content == mixed.content == tag.content == cast.content == spoken.content
    assert not [answer for answer in (american, french) if "x-ignored-fields" in answer.headers]
    assert {error["param"] for error in refused} == {"lang_code"}
    assert "Japanese here, only a (en-us)" in refused[0]["message"]


@pytest.mark.parametrize("speed", [0.25, 4.0])
def test_the_ends_of_openais_range_of_speeds_are_spoken(speed: float, kokoro: Path) -> None:
    with running(ServeSettings(voice=None, port=0, device=DeviceRequest(kind="cpu"), threads=1)) as server:
        client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="anything", max_retries=0)
        for voice in ("af_heart", "alloy"):
            assert client.audio.speech.create(model="tts-1", voice=voice, input="Good morning.", speed=speed).content
        with pytest.raises(openai.BadRequestError, match="speed"):
            client.audio.speech.create(model="tts-1", voice="alloy", input="Good morning.", speed=speed * speed)
