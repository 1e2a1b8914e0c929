"""ElevenLabs' routes: its formats, the times of characters, its lists and its errors."""

import base64
import io
import json
from hashlib import sha256
from typing import Any

import httpx
import pytest
import soundfile

from tests.serve.conftest import Running, Serve
from tests.toys.engines import install_engine, write_toy_voice

TEXT = "Hello there, 911 friends.\n\nHow are **you** today?"


def convert(server: Running, path: str = "/v1/text-to-speech/alloy", **fields: Any) -> httpx.Response:
    query = fields.pop("output_format", None)
    return server.post(path, {"text": TEXT, **fields}, params={"output_format": query} if query else None)


@pytest.mark.parametrize(
    ("output_format", "kind", "rate_hz"),
    [("mp3_22050_32", "audio/mpeg", 22050), ("wav_44100", "audio/wav", 44100), ("opus_48000_64", "audio/opus", 48000)],
)
def test_formats_have_the_rate_that_their_name_says(
    shared: Running, output_format: str, kind: str, rate_hz: int
) -> None:
    answer = convert(shared, output_format=output_format)
    assert (answer.status_code, answer.headers["content-type"]) == (200, kind)
    assert soundfile.info(io.BytesIO(answer.content)).samplerate == rate_hz


def test_formats_without_a_header_have_the_samples_of_their_rate(shared: Running) -> None:
    sizes = {
        name: len(convert(shared, output_format=name, seed=1).content)
        for name in ("pcm_8000", "pcm_16000", "pcm_24000", "pcm_48000", "ulaw_8000", "alaw_8000")
    }
    seconds = sizes["pcm_16000"] / 2 / 16_000
    for name, size in sizes.items():
        codec, rate_hz = name.split("_")
        assert size / (2 if codec == "pcm" else 1) / int(rate_hz) == pytest.approx(seconds, abs=0.01), name


def test_a_bit_rate_is_kept(shared: Running) -> None:
    small, large = (len(convert(shared, output_format=f"mp3_44100_{kbit}", seed=1).content) for kbit in (32, 192))
    assert large > 4 * small


@pytest.mark.parametrize("name", ["mp3", "mp3_1", "flac_44100", "mp3_44100_9999", "pcm_16001", "-i_8000"])
def test_another_format_is_refused(shared: Running, name: str) -> None:
    refused = convert(shared, output_format=name)
    assert refused.status_code == 400
    assert refused.json()["detail"]["status"] == "invalid_output_format"


def test_every_character_of_the_text_has_its_time(shared: Running) -> None:
    whole = convert(shared, "/v1/text-to-speech/alloy/with-timestamps", output_format="pcm_16000", seed=1).json()
    alignment = whole["alignment"]
    assert "".join(alignment["characters"]) == TEXT
    starts, ends = alignment["character_start_times_seconds"], alignment["character_end_times_seconds"]
    seconds = len(base64.b64decode(whole["audio_base64"])) / 2 / 16_000
    assert starts == sorted(starts) and ends == sorted(ends) and ends[-1] <= seconds + 0.01
    assert all(start <= end for start, end in zip(starts, ends, strict=True))
    pause = TEXT.index("\n")
    assert ends[pause + 1] - starts[pause] > 0.19  # between the sentences

    path = "/v1/text-to-speech/alloy/stream/with-timestamps"
    lines = [
        json.loads(line) for line in convert(shared, path, output_format="pcm_16000", seed=1).text.splitlines() if line
    ]
    assert len(lines) > 1
    parts = [line["alignment"] for line in lines if line["alignment"]]
    assert [time for part in parts for time in part["character_start_times_seconds"]] == starts
    assert "".join(character for part in parts for character in part["characters"]) == TEXT


def test_a_voice_that_tells_no_times_of_words_shares_those_of_its_sentences(shared: Running) -> None:
    install_engine()
    write_toy_voice()
    text = "Hello there. How are you?"
    answer = shared.post("/v1/text-to-speech/toy/bell/with-timestamps", {"text": text})
    alignment = answer.json()["alignment"]
    assert "".join(alignment["characters"]) == text
    assert alignment["character_start_times_seconds"][text.index("How")] > 0.2


def test_the_speed_is_a_setting_of_the_voice_and_others_are_named_as_ignored(shared: Running) -> None:
    usual, fast = (
        convert(shared, output_format="pcm_16000", seed=1, voice_settings=settings)
        for settings in (None, {"speed": 2.0, "stability": 0.5})
    )
    assert len(fast.content) < 0.75 * len(usual.content)
    assert convert(shared, voice_settings={"speed": 9}).status_code == 400
    ignored = convert(shared, previous_text="Well.", language_code="fr", input="What?")
    assert ignored.status_code == 200
    assert ignored.headers["X-Ignored-Fields"] == "previous_text, language_code"


@pytest.mark.parametrize("name", ["voice", "voice_id", "speaker", "ref_audio", "speaker_wav"])
def test_the_path_alone_says_who_speaks(shared: Running, name: str) -> None:
    refused = convert(shared, **{name: "random"})
    assert refused.status_code == 400 and f"{name} has no effect here" in refused.json()["detail"]["message"]


def test_an_unknown_voice_is_never_another_one(serve: Serve) -> None:
    server = serve(aliases={"JBFqnCBsd6RMkjVDRZzb": "random"})
    refused = convert(server, "/v1/text-to-speech/21m00Tcm4TlvDq8ikWAM")
    assert (refused.status_code, refused.json()["detail"]["status"]) == (404, "voice_not_found")
    assert "--alias 21m00Tcm4TlvDq8ikWAM=VOICE" in refused.json()["detail"]["message"]
    assert convert(server, "/v1/text-to-speech/JBFqnCBsd6RMkjVDRZzb").status_code == 200


def test_the_key_is_in_their_header(serve: Serve) -> None:
    server = serve(key_digests=frozenset([sha256(b"right").digest()]))
    for key, status in (("right", 200), ("wrong", 401)):
        answer = server.post("/v1/text-to-speech/alloy", {"text": "Hello."}, headers={"xi-api-key": key})
        assert answer.status_code == status


def test_voices_are_found_some_at_a_time(shared: Running) -> None:
    install_engine()
    for name in ("ann", "ben", "cat"):
        write_toy_voice(name)
    first = shared.get("/v2/voices", params={"search": "TOY/", "page_size": 2}).json()
    assert [voice["voice_id"] for voice in first["voices"]] == ["toy/ann", "toy/ben"]
    assert (first["has_more"], first["total_count"]) == (True, 3)
    rest = {"search": "toy/", "page_size": 2, "next_page_token": first["next_page_token"]}
    last = shared.get("/v2/voices", params=rest).json()
    assert ([voice["name"] for voice in last["voices"]], last["has_more"]) == (["toy/cat"], False)


def test_models_have_the_form_that_the_client_reads(shared: Running) -> None:
    theirs = shared.get("/v1/models", headers={"xi-api-key": "any"}).json()
    assert {"model_id": "random", "name": "random", "can_do_text_to_speech": True} in theirs
    assert shared.get("/v1/models").json()["object"] == "list"


def test_one_voice_is_told(shared: Running) -> None:
    one = shared.get("/v1/voices/random").json()
    assert (one["voice_id"], one["name"], one["id"]) == ("random", "random", "random")
    assert one in shared.get("/v1/voices").json()["voices"]
    assert shared.get("/v1/voices/nobody").status_code == 404
