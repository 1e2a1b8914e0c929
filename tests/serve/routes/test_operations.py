"""Health, readiness, metrics, the machine, and the lists of models and voices."""

import shutil
from collections import namedtuple
from pathlib import Path

import httpx
import openai
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.bundled import BUNDLED
from tests.serve.conftest import Running, Serve, copy_voice, error_of
from voxmatrix.config import home
from voxmatrix.errors import BadInputError, Finding, NoDeviceError
from voxmatrix.piper.engines.onnx import SplitModelEngine
from voxmatrix.remote.servers import RemoteVoice, Server, save_server

Usage = namedtuple("Usage", "total used free")


def metrics(server: Running) -> dict[str, float]:
    """All samples, read by Prometheus' own parser."""
    answer = server.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=")
    return {
        " ".join([sample.name, *sample.labels.values()]): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


@pytest.mark.parametrize("path", ["/", "/healthz", "/v1/models", "/config"])
def test_head_is_answered_as_get_without_a_body(server: Running, path: str) -> None:
    head, get = httpx.head(server.url + path), server.get(path)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == get.headers["content-length"]
    assert server.requests(1)[0]["method"] == "HEAD"


def test_metrics_count_what_happened(server: Running) -> None:
    server.speak()
    server.speak(voice="nobody")
    server.get("/nowhere", headers={"Host": "evil.example"})
    server.requests(3)
    found = metrics(server)
    assert found["voxmatrix_requests_total /v1/audio/speech 200"] == 1
    assert found["voxmatrix_requests_total /v1/audio/speech 400"] == 1
    assert found["voxmatrix_requests_total other 403"] == 1
    assert found["voxmatrix_rejected_total host"] == 1
    assert found["voxmatrix_first_byte_seconds_count /v1/audio/speech"] == 2
    assert found["voxmatrix_audio_seconds_total random"] > 0.5
    assert found["voxmatrix_queue_length random"] == 0
    assert found["voxmatrix_voices_loaded"] == 1


def test_a_server_is_ready_once_its_voice_was_loaded(server: Running) -> None:
    assert server.get("/healthz").json() == {"status": "ok"}
    assert server.get("/readyz").json() == {"ready": True, "reasons": []}
    server.services.voices.close()  # as after an hour without a request
    assert server.get("/readyz").status_code == 200
    server.services.started.clear()
    answer = server.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["reasons"] == ["the voice random is not loaded"]
    assert server.get("/healthz").status_code == 200


def test_a_server_whose_voice_was_damaged_is_not_ready_until_it_is_repaired(serve: Serve, voice: Path) -> None:
    mine = copy_voice(voice, home() / "voices" / "mine.onnx")
    server = serve(voice=mine)
    content = mine.read_bytes()
    mine.write_bytes(content[:1000])
    answer = server.speak(voice="mine")
    assert answer.status_code == 500
    error = error_of(answer)
    assert (error["param"], error["message"]) == ("voice", "the voice mine cannot be loaded; choose another")
    assert str(mine) not in answer.text
    server.requests(1)
    assert any("is corrupt" in facts.get("problem", "") for _, facts in server.lines), server.lines
    listed = {voice["id"]: voice for voice in server.get("/v1/audio/voices").json()["voices"]}
    assert listed["mine"]["problem"] == "it cannot be loaded"
    assert "problem" not in listed["en_US-heart-student"]
    assert server.get("/readyz").json()["reasons"] == ["the voice mine cannot be loaded"]
    mine.write_bytes(content)
    assert server.speak(voice="mine").status_code == 200
    assert server.get("/readyz").status_code == 200


BAD_VOICES: dict[str, tuple[bytes | None, bytes | None]] = {
    "a config of something else": (b"", b'{"bad": 1}'),
    "a config that is no JSON": (b"", b"\xff{"),
    "a config that is a list": (b"", b"[]"),
    "no config, which is still being copied": (b"", None),
    "a config alone": (None, b"{}"),
    "a model of eight bytes": (b"nonsense", b""),
    "half a model": (None, b""),
}


@pytest.mark.parametrize("bad", BAD_VOICES)
def test_a_bad_voice_that_is_the_first_one_stops_no_server(serve: Serve, voice: Path, bad: str) -> None:
    model, config = BAD_VOICES[bad]
    good = copy_voice(voice, home() / "voices" / "good.onnx")
    if config is not None:
        (home() / "voices" / "a.onnx.json").write_bytes(config or Path(f"{good}.json").read_bytes())
    if model is not None or not config:
        (home() / "voices" / "a.onnx").write_bytes(good.read_bytes()[:1000] if model is None else model)
    if bad != "a config alone":
        (home() / "voices" / "default").write_text("a")
    default = BUNDLED[0] if bad == "a config alone" else "good"
    server = serve(voice=None)
    assert server.services.catalogue.default.id == default
    assert next(iter(server.get("/v1/audio/voices").json()["voices"]))["id"] == default
    assert server.speak(voice="good").status_code == 200
    assert server.get("/readyz").status_code == 200
    warned = [facts["problem"] for event, facts in server.lines if event == "warning"]
    assert all("a.onnx" in problem or "voice a" in problem for problem in warned)
    assert warned or bad == "a config alone"


def test_without_a_voice_that_can_be_used_there_is_no_server(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voxmatrix.config.bundled_folders", tuple)
    with pytest.raises(BadInputError, match="there is no voice in"):
        serve(voice=None)
    (home() / "voices").mkdir(parents=True)
    (home() / "voices" / "a.onnx").touch()
    with pytest.raises(BadInputError, match="no voice can be used"):
        serve(voice=None)


def test_a_server_with_a_full_disk_is_not_ready(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10**9, 10**9, 0))
    answer = server.get("/readyz")
    assert answer.status_code == 503
    assert "the disk of VOXMATRIX_HOME is full" in answer.json()["reasons"]


def test_a_server_that_lost_its_device_is_not_ready(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: object) -> None:
        raise NoDeviceError("cuda:0 was requested and failed", "run voxmatrix doctor")

    monkeypatch.setattr(SplitModelEngine, "begin", lost)
    answer = server.speak()
    assert answer.status_code == 503
    assert error_of(answer)["code"] == "unavailable"
    assert server.get("/readyz").json()["reasons"] == ["the device failed: restart the server to use it again"]


def test_a_device_that_never_worked_is_a_warning_only(server: Running) -> None:
    voices = server.services.voices
    finding = Finding(
        problem="cuda:0 failed, falling back to the CPU", remedy="run voxmatrix doctor", severity="warning"
    )
    voices._on_device_failure(("loading.onnx", "loading"), finding)
    assert voices.lost_device is None
    warnings = ["the CPU speaks: cuda:0 failed, falling back to the CPU → run voxmatrix doctor"]
    assert server.get("/readyz").json() == {"ready": True, "reasons": [], "warnings": warnings}
    assert server.get("/healthz").json() == {"status": "ok", "warnings": warnings}
    assert metrics(server)["voxmatrix_cpu_fallback"] == 1
    default = server.services.catalogue.default
    voices._on_device_failure((str(default.path), default.id), finding)
    assert voices.lost_device == finding
    assert [event for event, _ in server.lines].count("warning") == 2


def test_the_machine_is_described_and_not_probed_again_at_once(server: Running) -> None:
    report = server.get("/v1/machine").json()
    assert set(report) == {"doctor", "plan"}
    assert report["doctor"]["machine"]["cpus"] >= 1
    assert report["plan"]["settings"]["batch_size"]["reason"]
    assert server.services.machine.read() is server.services.machine.read()


def test_settings_that_are_not_valid_are_named_in_the_log_alone(server: Running) -> None:
    (home() / "settings.toml").write_text("[device")
    for answer in (server.get("/v1/machine"), server.post("/v1/plan", {"quality": "medium"})):
        assert answer.status_code == 500 and error_of(answer)["code"] == "internal_error"
        assert "settings is not valid; its log says why" in answer.text and str(home()) not in answer.text
    server.requests(2)
    said = [facts["problem"] for event, facts in server.lines if event == "error"]
    assert all(f"{home() / 'settings.toml'} is not valid TOML" in each for each in said) and len(said) == 2
    (home() / "settings.toml").unlink()
    assert server.get("/v1/machine").status_code == 200


def test_a_choice_of_the_default_voice_that_is_damaged_is_named(serve: Serve, voice: Path) -> None:
    copy_voice(voice, home() / "voices" / "mine.onnx")
    (home() / "voices" / "default").write_text("mi")
    server = serve(voice=None)
    assert any("default names 'mi'" in facts.get("problem", "") for event, facts in server.lines if event == "warning")
    assert server.speak().status_code == 200


def test_a_remote_voice_whose_server_is_lost_is_listed_with_the_reason(server: Running) -> None:
    remote = RemoteVoice(server="other", voice="anna", model="tts-1", rate_hz=24000, language="en-us")
    save_server("other", Server(url="http://127.0.0.1:9/v1"), [remote])
    file = home() / "remotes.toml"
    whole = file.read_text()

    def problem() -> object:
        voices = server.get("/v1/voices").json()["voices"]
        return next(one["problem"] for one in voices if one["id"] == "remote:other/anna")

    file.write_text("[oth")
    assert "VOXMATRIX_HOME/remotes.toml is not valid TOML" in str(problem())
    file.write_text("")
    assert "there is no server 'other' in VOXMATRIX_HOME/remotes.toml" in str(problem())
    file.write_text(whole)
    assert problem() is None
    said = " ".join(facts["problem"] for event, facts in server.lines if event == "warning")
    assert f"{file} is not valid TOML" in said and "there is no server 'other'" in said


def test_the_official_client_lists_models(server: Running) -> None:
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="anything", max_retries=0) as client:
        names = [model.id for model in client.models.list()]
        assert names[:3] == ["tts-1", "tts-1-hd", "gpt-4o-mini-tts"]
        assert "random" in names
        assert client.models.retrieve("random").object == "model"
        with pytest.raises(openai.NotFoundError):
            client.models.retrieve("gpt-99")


def test_voices_are_listed_the_default_one_first(serve: Serve, voice: Path) -> None:
    copy_voice(voice, home() / "voices" / "a-first-name.onnx")
    (home() / "voices" / "broken.onnx").touch()
    listed = serve().get("/v1/audio/voices").json()["voices"]
    assert [found["id"] for found in listed] == ["random", "a-first-name", *BUNDLED]
    whole_range = {"low": 0.0, "high": 10.0, "integer": False}
    assert listed[0] == {
        "id": "random",
        "title": "random", "name": "random", "language": "en-us", "quality": "tiny", "rate_hz": 16000, "speakers": [],
        "capabilities": {
            "knobs": {
                "noise": {"title": "Variation of the sound", "default": 0.667, **whole_range},
                "noise_w": {"title": "Variation of the rhythm", "default": 0.8, **whole_range},
            },
            "speed": [0.1, 10.0],
            "phonemes": True,
            "seed": "device",
        },
    }  # fmt: skip


def test_a_voice_that_arrives_while_the_server_runs_is_found(server: Running, voice: Path) -> None:
    assert server.speak(voice="late").status_code == 400
    copy_voice(voice, home() / "voices" / "late.onnx")
    assert server.speak(voice="late").status_code == 200
