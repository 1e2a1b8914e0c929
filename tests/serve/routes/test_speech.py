"""OpenAI's contract, one row per field and error, and its own Python client."""

import base64
import io
import json
import subprocess
import wave
from typing import Any

import httpx
import numpy as np
import openai
import pytest
import soundfile

from tests.serve.conftest import SENTENCE, Running, Serve, copy_voice, error_of, eventually
from voxmatrix.audio.ffmpeg import ffmpeg_program
from voxmatrix.config import home
from voxmatrix.errors import BadInputError
from voxmatrix.models.style import Output, Style
from voxmatrix.piper.engines.onnx import SEGMENT_SAMPLES
from voxmatrix.piper.files import config_path
from voxmatrix.serve.speech.formats import FORMAT_NAMES
from voxmatrix.speak.output import speak_to
from voxmatrix.speak.wav import HEADER_BYTES

TYPES = {
    "mp3": "audio/mpeg",
    "opus": "audio/opus",
    "aac": "audio/aac",
    "flac": "audio/flac",
    "wav": "audio/wav",
    "pcm": "audio/pcm",
}


def seconds_of(sound: bytes, name: str) -> float:
    """The duration of a sound that ffmpeg decodes without an error."""
    given = ["-f", "s16le", "-ar", "24000", "-ac", "1"] if name == "pcm" else []
    command = [ffmpeg_program(), "-v", "error", *given, "-i", "pipe:0", "-ac", "1", "-ar", "24000", "-f", "s16le", "-"]
    done = subprocess.run(command, input=sound, capture_output=True, check=True)
    assert done.stderr == b""
    return len(done.stdout) / 2 / 24000


def client_of(server: Running, **more: Any) -> openai.OpenAI:
    """The official client; only its base URL is ours."""
    return openai.OpenAI(base_url=f"{server.url}/v1", api_key="anything", max_retries=0, **more)


def test_the_official_client_gets_all_six_formats_of_the_same_length(server: Running) -> None:
    client = client_of(server)
    text = f"{SENTENCE} {SENTENCE} {SENTENCE}"
    lengths = {}
    for name in FORMAT_NAMES:
        answer = client.audio.speech.create(model="tts-1", voice="alloy", input=text, response_format=name)
        assert answer.response.headers["content-type"] == TYPES[name]
        lengths[name] = seconds_of(answer.content, name)
    told = [facts["audio_seconds"] for facts in server.requests(6)]
    for (name, seconds), spoken in zip(lengths.items(), told, strict=True):
        assert seconds == pytest.approx(spoken, abs=0.15), name


def test_the_official_client_streams(server: Running) -> None:
    client = client_of(server)
    with client.audio.speech.with_streaming_response.create(
        model="gpt-4o-mini-tts", voice="coral", input=f"{SENTENCE} {SENTENCE}", response_format="wav",
        instructions="Speak in a cheerful tone.",
    ) as answer:  # fmt: skip
        pieces = list(answer.iter_bytes(4096))
    sound = b"".join(pieces)
    assert len(pieces) > 1
    assert sound[:4] == b"RIFF"
    assert seconds_of(sound, "wav") > 1


@pytest.mark.parametrize(
    ("fields", "error", "param"),
    [
        ({"model": "gpt-99"}, openai.NotFoundError, "model"),
        ({"voice": "nobody"}, openai.BadRequestError, "voice"),
        ({"input": "x" * 5000}, openai.BadRequestError, "input"),
        ({"speed": 9}, openai.BadRequestError, "speed"),
    ],
)
def test_the_official_client_raises_its_own_errors(
    server: Running, fields: dict[str, Any], error: type[openai.APIStatusError], param: str
) -> None:
    with pytest.raises(error) as raised:
        client_of(server).audio.speech.create(**{"model": "tts-1", "voice": "alloy", "input": SENTENCE, **fields})
    assert raised.value.param == param
    assert raised.value.type == "invalid_request_error"
    assert raised.value.request_id.startswith("req_")


ERRORS: list[tuple[str, dict[str, Any], int, str | None, str]] = [
    ("no input", {"input": None}, 400, "input", "missing_required_parameter"),
    ("model of another type", {"model": 7}, 400, "model", "invalid_type"),
    ("input of another type", {"input": ["a"]}, 400, "input", "invalid_type"),
    ("voice of another type", {"voice": 7}, 400, "voice", "invalid_type"),
    ("voice without an id", {"voice": {"name": "alloy"}}, 400, "voice", "invalid_type"),
    ("unknown model", {"model": "gpt-99"}, 404, "model", "model_not_found"),
    ("unknown voice", {"voice": "nobody"}, 400, "voice", "invalid_value"),
    ("unknown voice as an object", {"voice": {"id": "nobody"}}, 400, "voice", "invalid_value"),
    ("unknown speaker", {"voice": "random:9"}, 400, "voice", "invalid_value"),
    ("empty input", {"input": ""}, 400, "input", "string_below_min_length"),
    ("blank input", {"input": " \n "}, 400, "input", "string_below_min_length"),
    ("input of letters that no voice has", {"input": "你好"}, 400, "input", "invalid_value"),
    ("long input", {"input": "x" * 4097}, 400, "input", "string_above_max_length"),
    ("long instructions", {"instructions": "x" * 4097}, 400, "instructions", "string_above_max_length"),
    ("unknown format", {"response_format": "ogg"}, 400, "response_format", "invalid_value"),
    ("too slow", {"speed": 0.24}, 400, "speed", "decimal_below_min_value"),
    ("too fast", {"speed": 4.01}, 400, "speed", "decimal_above_max_value"),
    ("speed of another type", {"speed": "fast"}, 400, "speed", "invalid_value"),
    ("unknown stream format", {"stream_format": "ws"}, 400, "stream_format", "invalid_value"),
    ("path as a voice", {"voice": "../../etc/passwd"}, 400, "voice", "invalid_value"),
    ("path with a null", {"voice": "a\0b"}, 400, "voice", "invalid_value"),
    ("endless voice", {"voice": "x" * 300}, 400, "voice", "string_above_max_length"),
    ("path as a model", {"model": "/etc/passwd"}, 404, "model", "model_not_found"),
    ("knob that is too high", {"knobs": {"noise_w": 0.5, "noise": 10.5}}, 400, "knobs.noise", "invalid_value"),
    ("knob of another family", {"knobs": {"temperature": 1}}, 400, "knobs.temperature", "invalid_value"),
    ("knob of another type", {"knobs": {"noise": "loud"}}, 400, "knobs.noise", "invalid_value"),
    ("knobs of another type", {"knobs": ["noise"]}, 400, "knobs", "invalid_value"),
    ("too many knobs", {"knobs": {str(n): 0 for n in range(101)}}, 400, "knobs", "invalid_value"),
    ("knob with an endless name", {"knobs": {"x" * 300: 1}}, 400, "knobs", "string_above_max_length"),
    ("negative seed", {"seed": -1}, 400, "seed", "decimal_below_min_value"),
    ("endless seed", {"seed": 2**63}, 400, "seed", "decimal_above_max_value"),
    ("seed of another type", {"seed": "any"}, 400, "seed", "invalid_value"),
]


@pytest.mark.parametrize(("fields", "status", "param", "code"), [row[1:] for row in ERRORS], ids=[r[0] for r in ERRORS])
def test_every_invalid_field_is_an_error_of_openai(
    shared: Running, fields: dict[str, Any], status: int, param: str | None, code: str
) -> None:
    answer = shared.speak(**fields)
    error = error_of(answer)
    assert (answer.status_code, error["param"], error["code"]) == (status, param, code)
    assert error["type"] == "invalid_request_error"


@pytest.mark.parametrize(
    "fields",
    [
        {"voice": "random"},
        {"voice": {"id": "random"}},
        {"voice": {"id": "nova"}},
        {"model": "random"},
        {"model": "tts-1-hd"},
        {"model": None},  # not sent
        {"voice": None},
        {"model": "TTS-1", "voice": "Alloy", "response_format": "WAV"},
        {"voice": "RANDOM"},
        {"voice": "", "model": ""},
        {"input": "😀🎉"},
        {"input": "... !!!"},
        {"speed": 0.25},
        {"speed": 4},
        {"instructions": "Whisper."},
        {"input": "A." + " " * 4094},  # the longest, and soon spoken
        {"input": "Ünïcödé 你好 😀 and words"},
        {"a_field_of_tomorrow": True},
        {"knobs": {}},
        {"knobs": {"noise": 0, "noise_w": 10}, "input": "Hello."},
        {"seed": 2**63 - 1},
    ],
    ids=str,
)
def test_every_valid_field_is_accepted(shared: Running, fields: dict[str, Any]) -> None:
    answer = shared.speak(**fields)
    assert answer.status_code == 200, answer.content
    assert seconds_of(answer.content, "wav") > 0.1


BODIES = [
    ("not JSON", b"{", "application/json", 400),
    ("not an object", b"[]", "application/json", 400),
    ("nothing", b"", "application/json", 400),
    ("not UTF-8", b'{"model": "\xff"}', "application/json", 400),
    ("deep", b"[" * 100_000, "application/json", 400),
    ("a form", b"model=tts-1&input=a&voice=alloy", "application/x-www-form-urlencoded", 400),
    ("a surrogate", b'{"model":"tts-1","voice":"alloy","input":"\\ud800"}', "application/json", 400),
]


@pytest.mark.parametrize(("body", "kind", "status"), [row[1:] for row in BODIES], ids=[row[0] for row in BODIES])
def test_a_broken_body_is_an_error_of_openai(shared: Running, body: bytes, kind: str, status: int) -> None:
    answer = httpx.post(f"{shared.url}/v1/audio/speech", content=body, headers={"Content-Type": kind}, timeout=60)
    assert answer.status_code == status
    assert error_of(answer)["type"] == "invalid_request_error"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/nowhere", 404), ("GET", "/v1/audio/speech", 405), ("POST", "/healthz", 405)],
)
def test_other_paths_and_methods_are_errors_of_openai(shared: Running, method: str, path: str, status: int) -> None:
    answer = httpx.request(method, shared.url + path)
    assert answer.status_code == status
    assert error_of(answer)["type"] == "invalid_request_error"


def test_events_carry_the_audio_and_its_usage(shared: Running) -> None:
    *deltas, done = _events(shared, f"{SENTENCE} {SENTENCE}")
    assert {event["type"] for event in deltas} == {"speech.audio.delta"}
    assert len(deltas) > 1
    assert done["type"] == "speech.audio.done"
    usage = done["usage"]
    assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"]
    assert min(usage.values()) > 0
    assert seconds_of(b"".join(base64.b64decode(event["audio"]) for event in deltas), "pcm") > 1


def test_the_first_piece_of_the_second_answer_is_short_because_the_loudness_of_the_voice_is_known(
    server: Running,
) -> None:
    text = " ".join([SENTENCE.rstrip(".")] * 4)
    first, second = (len(base64.b64decode(_events(server, text)[0]["audio"])) / 2 / 24000 for _ in range(2))
    assert first >= 1.4
    assert second <= SEGMENT_SAMPLES / 16000 < 0.8  # no more than what is computed first


def _events(server: Running, text: str) -> list[dict[str, Any]]:
    """The events of an answer."""
    body = {"model": "tts-1", "voice": "alloy", "input": text, "response_format": "pcm", "stream_format": "sse"}
    with httpx.stream("POST", f"{server.url}/v1/audio/speech", timeout=60, json=body) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        return [json.loads(line.removeprefix("data: ")) for line in answer.iter_lines() if line]


def test_speed_changes_the_length(shared: Running) -> None:
    slow, usual, fast = (seconds_of(shared.speak(speed=speed).content, "wav") for speed in (0.25, 1.0, 4.0))
    assert slow > 2 * usual > 2 * fast


def test_a_knob_changes_the_sound(shared: Running) -> None:
    usual, same, flat = (shared.speak(seed=1, **more).content for more in ({}, {"knobs": {}}, {"knobs": {"noise": 0}}))
    assert usual == same != flat


def test_the_knobs_of_a_voice_are_told_to_who_asks_for_others(shared: Running) -> None:
    assert error_of(shared.speak(knobs={"temperature": 1}))["message"].endswith("choose one of: noise, noise_w")
    assert "from 0 to 10" in error_of(shared.speak(knobs={"noise": 11}))["message"]


def test_the_same_seed_gives_the_bytes_of_the_command_line_whatever_was_spoken_before(server: Running) -> None:
    text, style = f"{SENTENCE} And then it slept.", Style(seed=7)
    spoken = io.BytesIO()
    speak_to(spoken, text, server.services.catalogue.default, style, output=Output(raw=True))
    first = server.speak(input=text, seed=7).content
    server.speak(input="Something else is louder, or not as loud.")
    again = server.speak(input=text, seed=7).content
    assert first == again
    assert first[HEADER_BYTES:] == spoken.getvalue()
    assert server.speak(input=text, seed=8).content != first


def test_a_wav_stream_has_no_length_and_is_read_by_other_programs(shared: Running) -> None:
    sound = shared.speak().content
    assert sound[4:8] == sound[40:44] == b"\xff\xff\xff\xff"
    samples, rate_hz = soundfile.read(io.BytesIO(sound), dtype="int16")
    assert rate_hz == 16000
    assert np.abs(samples).max() > 1000


OPTIONAL = ("model", "voice", "response_format", "speed", "stream_format", "stream", "knobs", "seed", "instructions")


def test_null_is_as_if_the_field_were_missing(shared: Running) -> None:
    body = {"input": SENTENCE, **dict.fromkeys(OPTIONAL)}
    answer = shared.post("/v1/audio/speech", body)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "audio/mpeg")


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_an_answer_that_is_not_streamed_has_its_length(shared: Running, name: str) -> None:
    answer = shared.speak(response_format=name, stream=False)
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert answer.headers["content-type"] == TYPES[name]
    if name == "wav":
        with wave.open(io.BytesIO(answer.content)) as read:
            assert len(read.readframes(read.getnframes())) == 2 * read.getnframes() == len(answer.content) - 44


def test_fields_without_an_effect_are_named(shared: Running) -> None:
    more = {"download_format": "a", "volume_multiplier": 2, "instructions": "Whisper.", "bad\r\nname": 1, "speed": 1}
    assert shared.speak(**more).headers["x-ignored-fields"] == "download_format, instructions"
    assert "x-ignored-fields" not in shared.speak().headers


@pytest.mark.parametrize("code", ["a", "en-us", "EN_us", "en"])
def test_the_language_of_the_voice_may_be_named(code: str, shared: Running) -> None:
    answer = shared.speak(lang_code=code)
    assert answer.status_code == 200 and "x-ignored-fields" not in answer.headers


@pytest.mark.parametrize("code", ["e", "fr-fr", "j", "@", "x" * 200])
def test_another_language_of_a_voice_that_has_one_is_refused(code: str, shared: Running) -> None:
    error = shared.post("/v1/audio/speech", {"input": "Hello.", "lang_code": code}).json()["error"]
    assert error["param"] == "lang_code" and "speaks en-us only" in error["message"]


def test_a_speaker_is_named_after_the_voice(serve: Serve, make_onnx: Any) -> None:
    copy_voice(make_onnx("tiny", 3, "text"), home() / "voices" / "choir.onnx")
    server = serve()
    listed = {voice["id"]: voice for voice in server.get("/v1/audio/voices").json()["voices"]}
    assert listed["choir"]["speakers"] == ["anna", "bo", "cleo"]
    assert server.speak(voice="choir:bo").status_code == 200
    assert server.speak(voice="Choir:BO").status_code == 200
    error = error_of(server.speak(voice="choir:dora"))
    assert "anna, bo, cleo" in error["message"]


def test_an_unknown_voice_is_told_what_exists(shared: Running) -> None:
    assert "random" in error_of(shared.speak(voice="nobody"))["message"]


@pytest.mark.parametrize("given", ["abc-123", "req_7"])
def test_the_id_of_a_request_is_returned(shared: Running, given: str) -> None:
    assert shared.get("/healthz", headers={"X-Request-Id": given}).headers["x-request-id"] == given


def test_an_id_that_could_forge_a_line_of_the_log_is_replaced(shared: Running) -> None:
    assert shared.get("/healthz", headers={"X-Request-Id": "a b\tc"}).headers["x-request-id"].startswith("req_")


def samples_of(answer: httpx.Response) -> np.ndarray:
    assert answer.status_code == 200, answer.text
    samples, _ = soundfile.read(io.BytesIO(answer.content))
    return samples


def test_pause_and_volume_of_the_server_hold_where_a_request_says_nothing(serve: Serve) -> None:
    server = serve(sentence_pause=3.0, volume=0.0)
    quiet = samples_of(server.speak(input="One. Two.", stream=False, seed=1))
    assert not quiet.any()
    own = samples_of(server.speak(input="One. Two.", stream=False, seed=1, sentence_pause=0.0, volume_multiplier=1.0))
    assert own.any() and len(quiet) == pytest.approx(len(own) + 3 * 16000, abs=2)
    plain = samples_of(server.post("/synthesize", {"text": "One. Two."}))
    assert not plain.any() and len(plain) > 3 * 16000


def test_rules_are_switched_off_by_one_word(shared: Running) -> None:
    text = {"input": "It cost $5,200.75 in 1998.", "stream": False, "seed": 1}
    by_rules, without, by_options = (
        samples_of(shared.speak(**text, **more))
        for more in ({}, {"normalize": False}, {"normalization_options": {"normalize": False}})
    )
    assert len(without) < len(by_rules) and np.array_equal(without, by_options)


def test_quotations_and_emphasis_have_their_voices(serve: Serve, voice: Any) -> None:
    for name in ("anna", "bo"):
        copy_voice(voice, home() / "voices" / f"{name}.onnx")
    server = serve(dialogue_voice="anna")
    assert server.speak(input='He said "hello" *twice*.').status_code == 200
    assert set(server.services.voices.names) == {"random_cpu", "anna_cpu"}
    both = {"emphasis_voice": "bo", "dialogue_voice": "random"}
    assert server.speak(input='He said "hello" *twice*.', **both).status_code == 200
    assert set(server.services.voices.names) == {"random_cpu", "anna_cpu", "bo_cpu"}
    tagged = server.speak(input="He said [voice:anna] “hello” [voice] twice.", seed=1)
    quoted = server.speak(input="He said “hello” twice.", seed=1)
    assert quoted.content == tagged.content
    assert error_of(server.speak(emphasis_voice="nobody"))["param"] == "emphasis_voice"


def test_names_in_a_text_have_the_voices_of_the_cast(serve: Serve, voice: Any) -> None:
    copy_voice(voice, home() / "voices" / "other.onnx")
    server = serve()
    cast = {"Anna": "other", "Bo": "random"}
    lines = server.speak(input="Anna: Who is there?\n\n[voice:bo] It is me.", cast=cast, seed=1)
    tags = server.speak(input="[voice:other] Who is there? [voice]\n\n[voice:random] It is me.", seed=1)
    assert lines.content == tags.content
    assert set(server.services.voices.names) == {"random_cpu", "other_cpu"}
    assert error_of(server.speak(cast={"Anna": "nobody"}))["param"] == "cast"
    for name in ("", "a|b", "a:b", "a\nb", "[a", " a"):
        assert server.speak(cast={name: "random"}).status_code == 400


def test_a_server_does_not_start_with_a_voice_that_is_missing(serve: Serve) -> None:
    with pytest.raises(BadInputError, match="dialogue_voice is 'nobody'"):
        serve(dialogue_voice="nobody")


@pytest.fixture
def endless(voice: Any, tmp_path: Any) -> Any:
    """A voice that takes far too long for every sentence."""
    path = copy_voice(voice, home() / "voices" / "endless.onnx")
    facts = json.loads(config_path(path).read_text())
    facts["inference"]["length_scale"] = 60.0
    config_path(path).write_text(json.dumps(facts))
    return path


def test_a_whole_answer_says_which_marks_of_its_text_are_read_aloud(server: Running) -> None:
    said = server.speak(input="Wait [pause 1s] here. \u00e9", stream=False)
    assert "write [pause:1.5s]" in said.headers["X-Voxmatrix-Warning"]
    assert not any(event == "warning" for event, _ in server.lines)


def test_an_answer_that_cannot_be_its_text_has_a_warning(server: Running, endless: Any) -> None:
    whole = server.speak(input="Two. Hello.", voice="endless", stream=False)
    assert whole.headers["X-Voxmatrix-Warning"].startswith("sentence 1 of 4 characters: it lasts ")
    assert "too long for its text" in whole.headers["X-Voxmatrix-Warning"]
    piper = server.post("/synthesize", {"text": "Two.", "voice": "endless"})
    assert "too long for its text" in piper.headers["X-Voxmatrix-Warning"]
    streamed = server.speak(input="Two.", voice="endless")
    assert "X-Voxmatrix-Warning" not in streamed.headers

    def told() -> list[str]:
        return [facts["problem"] for event, facts in server.lines if event == "warning"]

    eventually(lambda: len(told()) == 3)
    warnings = told()
    assert all("the voice endless does not say what it should" in each for each in warnings)
    assert not any("Two" in each for each in warnings)
    good = server.speak(input="Two. Hello.", stream=False)
    assert "X-Voxmatrix-Warning" not in good.headers
