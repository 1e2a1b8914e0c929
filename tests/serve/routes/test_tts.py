"""`POST /tts`: the fields of Chatterbox-TTS-Server and of LocalAI mean the same."""

import io
from pathlib import Path
from typing import Any

import httpx
import pytest
import soundfile

from tests.serve.conftest import Running, Serve, copy_voice
from tests.toys.engines import install_engine, write_toy_voice
from voxmatrix.config import home

TEXT = "Hello there, friends."


def tts(server: Running, **fields: Any) -> httpx.Response:
    return server.post("/tts", fields)


def test_both_servers_fields_give_the_same_speech(serve: Serve, voice: Path) -> None:
    copy_voice(voice, home() / "voices" / "other.onnx")
    server = serve()
    chatterbox = tts(
        server,
        text=TEXT,
        voice_mode="predefined",
        predefined_voice_id="other",
        speed_factor=1.5,
        seed=7,
        chunk_size=120,
    )
    localai = tts(server, input=TEXT, model="tts-1", voice="other", speed=1.5, seed=7, backend="piper")
    assert chatterbox.status_code == localai.status_code == 200
    assert chatterbox.content == localai.content
    assert chatterbox.headers["content-type"] == "audio/wav"
    assert chatterbox.headers["content-disposition"] == 'attachment; filename="speech.wav"'
    assert int(chatterbox.headers["content-length"]) == len(chatterbox.content)
    assert soundfile.info(io.BytesIO(chatterbox.content)).samplerate == 16_000
    assert localai.headers["X-Ignored-Fields"] == "backend"
    by_model = tts(server, input=TEXT, model="other", speed=1.5, seed=7)
    assert by_model.content == localai.content


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"output_format": "mp3"}, "audio/mpeg"),
        ({"output_format": "opus"}, "audio/opus"),
        ({"response_format": "flac"}, "audio/flac"),
    ],
)
def test_formats(shared: Running, fields: dict[str, str], kind: str) -> None:
    answer = tts(shared, text=TEXT, **fields)
    assert (answer.status_code, answer.headers["content-type"]) == (200, kind)


def test_the_sample_rate_can_be_chosen_and_the_answer_streamed(shared: Running) -> None:
    whole = tts(shared, input=TEXT, sample_rate=44_100)
    assert soundfile.info(io.BytesIO(whole.content)).samplerate == 44_100
    streamed = tts(shared, input=TEXT, stream=True)
    assert streamed.status_code == 200 and "content-length" not in streamed.headers


def test_settings_reach_voices_that_have_them(shared: Running) -> None:
    install_engine()
    write_toy_voice()
    low, high = (tts(shared, text=TEXT, voice="toy/bell", seed=1, **fields) for fields in ({}, {"pitch": 1.5}))
    as_text = tts(shared, text=TEXT, voice="toy/bell", seed=1, params={"pitch": "1.5"})
    assert low.status_code == 200 and low.content != high.content == as_text.content
    assert "X-Ignored-Fields" not in high.headers
    wrong = tts(shared, text=TEXT, voice="toy/bell", pitch=9)
    assert (wrong.status_code, wrong.json()["error"]["param"]) == (400, "knobs.pitch")
    assert tts(shared, text=TEXT, voice="toy/bell", pitch="high").status_code == 400
    other = tts(shared, text=TEXT, exaggeration=0.5, cfg_weight=0.5, language="fr")
    assert other.headers["X-Ignored-Fields"] == "exaggeration, cfg_weight, language"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"text": ""}, "input"),
        ({"text": TEXT, "predefined_voice_id": "Emily.wav"}, "there is no such voice"),
        ({"text": TEXT, "voice_mode": "clone"}, "reference_audio_filename"),
        ({"text": TEXT, "voice_mode": "clone", "reference_audio_filename": "Gianna.wav"}, "there is no such voice"),
        (
            {"text": TEXT, "voice_mode": "clone", "reference_audio_filename": "../../etc/passwd"},
            "there is no such voice",
        ),
        ({"text": TEXT, "output_format": "exe"}, "response_format"),
        ({"text": TEXT, "speaker": "Ann"}, "speaker has no effect here"),
    ],
)
def test_errors_have_what_clients_of_both_read_and_no_other_voice_speaks(
    shared: Running, fields: dict[str, str], said: str
) -> None:
    refused = tts(shared, **fields)
    assert refused.status_code == 400
    assert said in refused.json()["detail"] and refused.json()["detail"] == refused.json()["error"]["message"]


def test_in_the_mode_clone_the_file_is_a_voice(serve: Serve, voice: Path) -> None:
    copy_voice(voice, home() / "voices" / "me.onnx")
    spoken = tts(serve(), text=TEXT, voice_mode="clone", reference_audio_filename="me")
    assert spoken.status_code == 200
