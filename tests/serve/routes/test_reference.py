"""A recording in a request is imitated where the voice can, and never left out silently."""

import base64
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serve.conftest import Running, error_of
from tests.toys.engines import install_engine, write_toy_voice
from tests.toys.recordings import recording
from voxmatrix.config import home
from voxmatrix.serve.speech.reference import MAX_CHARACTERS


@pytest.fixture
def sound(tmp_path: Path) -> str:
    install_engine()
    write_toy_voice()
    return base64.b64encode(recording(tmp_path / "me.wav").read_bytes()).decode()


def speak(server: Running, **fields: Any) -> httpx.Response:
    return server.speak(**{"voice": "toy/bell", "seed": 1, "consent": "Ann Example", **fields})


@pytest.mark.parametrize(
    "name",
    [
        "ref_audio", "reference_audio", "audio_prompt", "speaker_wav", "spk_audio_prompt", "prompt_wav", "refAudio",
        "voice_sample", "audio_prompt_path",
    ],
)  # fmt: skip
def test_it_is_imitated_by_whatever_name_it_comes(shared: Running, sound: str, name: str) -> None:
    plain = speak(shared)
    imitated = speak(shared, **{name: f"data:audio/wav;base64,{sound}"})
    assert plain.status_code == imitated.status_code == 200, imitated.text
    assert imitated.content != plain.content
    assert "X-Ignored-Fields" not in imitated.headers
    assert speak(shared).content == plain.content  # the voice is as it was
    assert not (home() / "voices" / "references").exists()
    logged = [facts for event, facts in shared.lines if event == "reference"][-1]
    assert (logged["voice"], logged["consent"]) == ("toy/bell", "Ann Example")


def test_alone_in_base_64_or_in_a_list_it_is_the_same(shared: Running, sound: str) -> None:
    in_url, alone, in_list = (
        speak(shared, ref_audio=given) for given in (f"data:audio/x-wav;base64,{sound}", sound, [sound])
    )
    assert in_url.content == alone.content == in_list.content
    assert speak(shared, ref_audio=sound, ref_text="some words").status_code == 200
    assert error_of(speak(shared, ref_audio=[sound, sound]))["param"] == "ref_audio"


def test_other_voices_of_the_text_stay_as_they_are(shared: Running, sound: str) -> None:
    write_toy_voice("ann")
    text = "[voice:toy/ann] Hello there."
    assert speak(shared, input=text).content == speak(shared, input=text, ref_audio=sound).content


@pytest.mark.parametrize("path", ["/dev/captioned_speech", "/tts"])
def test_other_doors_imitate_as_well(shared: Running, sound: str, path: str) -> None:
    body = {"input": "Hello.", "voice": "toy/bell", "seed": 1, "stream": False}
    plain, imitated = (
        shared.post(path, {**body, **more}) for more in ({}, {"ref_audio": sound, "consent": "Ann Example"})
    )
    assert plain.status_code == imitated.status_code == 200 and plain.content != imitated.content


@pytest.mark.parametrize("named", ["alloy", "random", "mute/mute"])
def test_a_voice_that_imitates_nothing_refuses_it(shared: Running, sound: str, named: str) -> None:
    install_engine("mute", **{'reference = {seconds = [3, 10], transcript = "optional"}': ""})
    write_toy_voice("mute", engine="mute")
    refused = speak(shared, voice=named, ref_audio=sound)
    assert refused.status_code == 400
    assert error_of(refused)["param"] == "ref_audio"
    assert "imitates no recording" in error_of(refused)["message"] and "toy/bell" in error_of(refused)["message"]


@pytest.mark.parametrize(
    "fields", [{"ref_audio": "AAAA"}, {"turns": [{"voice": "alloy", "text": "Hi.", "speaker_wav": "A"}]}]
)
def test_in_a_dialogue_voices_are_named(shared: Running, fields: dict[str, Any]) -> None:
    refused = shared.post("/dev/dialogue", {"turns": [{"voice": "alloy", "text": "Hi."}], **fields})
    assert refused.status_code == 400
    assert error_of(refused)["param"] in fields or error_of(refused)["param"] == "speaker_wav"


@pytest.mark.parametrize("consent", [None, "", "  "])
def test_without_consent_nobody_is_imitated(shared: Running, sound: str, consent: str | None) -> None:
    refused = speak(shared, ref_audio=sound, consent=consent)
    assert (refused.status_code, error_of(refused)["param"]) == (400, "consent")
    assert "a voice is imitated only if its speaker agrees" in error_of(refused)["message"]


@pytest.mark.parametrize(
    "given", ["/etc/passwd", "me.wav", "file:///etc/passwd", "https://example.org/me.wav", "data:audio/wav,abc", "%%%"]
)
@pytest.mark.parametrize("name", ["ref_audio", "reference_audio_filename", "audio_prompt_path", "ref_audio_url"])
def test_no_file_or_address_is_opened(shared: Running, sound: str, given: str, name: str) -> None:
    refused = speak(shared, **{name: given})
    assert (refused.status_code, error_of(refused)["param"]) == (400, "ref_audio")
    assert "not opened" in error_of(refused)["message"] or "ref_audio" in error_of(refused)["message"]


def test_what_is_wrong_with_a_recording_is_said(shared: Running, sound: str, tmp_path: Path) -> None:
    short = base64.b64encode(recording(tmp_path / "short.wav", 1.0).read_bytes()).decode()
    said = error_of(speak(shared, ref_audio=short))["message"]
    assert (
        "ref_audio has 1.0 s of speech, and the engine needs 3 s" in said and "/" not in said.partition("ref_audio")[0]
    )
    assert error_of(speak(shared, ref_audio=base64.b64encode(b"no sound").decode()))["param"] == "ref_audio"
    long = speak(shared, ref_audio="A" * (MAX_CHARACTERS + 4))
    assert (long.status_code, error_of(long)["code"]) == (400, "string_above_max_length")
    assert speak(shared, ref_audio="A" * (2 * MAX_CHARACTERS)).status_code == 413


def test_an_engine_that_needs_the_words_asks_for_them(shared: Running, sound: str) -> None:
    reference = 'reference = {seconds = [3, 10], transcript = "optional"}'
    install_engine("words", **{reference: reference.replace("optional", "required")})
    write_toy_voice("ann", engine="words")
    refused = error_of(speak(shared, voice="words/ann", ref_audio=sound))
    assert "ref_text=WORDS" in refused["message"] or "ref_text = WORDS" in refused["message"]
    assert speak(shared, voice="words/ann", ref_audio=sound, reference_text="some words").status_code == 200


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("speaker", "ann"),
        ("speaker_id", 3),
        ("voice_id", "ann"),
        ("speaker_embedding", [0.1, 0.2]),
        ("references", [{"audio": "x", "text": "y"}]),
        ("reference_id", "ann"),
        ("something", "data:audio/wav;base64,AAAA"),
    ],
)
def test_fields_that_say_who_speaks_are_never_ignored(shared: Running, name: str, value: object) -> None:
    refused = shared.speak(**{name: value})
    assert refused.status_code == 400
    assert shared.speak(**{name: None}).status_code == 200


def test_fields_that_do_not_say_it_are(shared: Running) -> None:
    answer = shared.speak(voice_speed=1.0, audio_format="x", sample_rate=3, task_type="Base", prompt="x", speech_rate=1)
    assert answer.status_code == 200
    assert (
        answer.headers["X-Ignored-Fields"] == "voice_speed, audio_format, sample_rate, task_type, prompt, speech_rate"
    )
