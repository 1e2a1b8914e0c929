"""Engines are listed; recordings of seconds are checked, refused with reasons, and become voices that speak."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serve.conftest import Running, error_of
from tests.serve.jobs.conftest import upload
from tests.toys.engines import install_engine, write_toy_voice
from tests.toys.recordings import recording
from voxmatrix.config import IMAGE_VARIABLE, home
from voxmatrix.external.voice_file import read_voice


@pytest.fixture(autouse=True)
def _engine() -> None:
    install_engine()


def sent(server: Running, path: Path) -> str:
    return upload(server, path.name, path.read_bytes())


@pytest.fixture
def good(server: Running, tmp_path: Path) -> str:
    return sent(server, recording(tmp_path / "me.wav"))


def clone(server: Running, file: str, **fields: Any) -> httpx.Response:
    given = {"file": file, "engine": "toy", "name": "me", "consent": "Joe", **fields}
    return server.post("/v1/voices/clone", {name: value for name, value in given.items() if value is not None})


def check(server: Running, file: str, **fields: Any) -> dict[str, Any]:
    answer = server.post("/v1/voices/clone/check", {"file": file, "engine": "toy", **fields})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_a_recording_becomes_a_voice_that_speaks_until_it_is_deleted(server: Running, good: str) -> None:
    write_toy_voice("bell")
    assert check(server, good)["findings"] == []
    made = clone(server, good, language="de", transcript=" some words ")
    assert made.status_code == 201
    assert made.json()["id"] == "toy/me" and 5 < made.json()["seconds"] < 6.1

    voice = read_voice(home() / "voices" / "toy" / "me.voice")
    assert voice.consent is not None and voice.reference is not None
    assert voice.consent.by == "Joe" and voice.consent.statement.startswith(
        "The voice in this recording is that of Joe"
    )
    assert (voice.language, voice.reference.transcript) == ("de", "some words")
    listed = {each["id"]: each for each in server.get("/v1/voices").json()["voices"]}
    assert (listed["toy/me"]["origin"], listed["toy/me"]["own"], listed["toy/me"]["problem"]) == ("cloned", True, None)
    mine, other = (server.speak(voice=name, seed=1) for name in ("toy/me", "toy/bell"))
    assert mine.status_code == other.status_code == 200 and mine.content != other.content
    assert not list((home() / "jobs" / "server" / "uploads").iterdir())  # the recording is kept once

    assert httpx.delete(f"{server.url}/v1/voices/toy/me").status_code == 200
    assert not list((home() / "voices" / "references").iterdir())


def test_all_that_is_wrong_with_a_recording_is_said_and_it_is_refused(server: Running, tmp_path: Path) -> None:
    bad = sent(server, recording(tmp_path / "bad.wav", 2.0, gain=8.0, noise=0.3))
    found = check(server, bad)["findings"]
    assert [each["severity"] for each in found] == ["error"] * 3 and all(each["remedy"] for each in found)
    refused = clone(server, bad)
    assert refused.status_code == 400
    for each in found:
        assert each["problem"] in error_of(refused)["message"] and each["remedy"] in error_of(refused)["message"]
    assert not (home() / "voices").exists()


@pytest.mark.parametrize(("content", "said"), [(b"RIFF....WAVE", "me.wav"), (b"no sound", "me.wav")])
def test_what_is_no_recording_is_a_finding(server: Running, content: bytes, said: str) -> None:
    found = check(server, upload(server, "me.wav", content))
    assert found["seconds"] == 0 and said in found["findings"][0]["problem"]
    assert clone(server, upload(server, "me.wav", content)).status_code == 400


@pytest.mark.parametrize(
    ("fields", "status", "said"),
    [
        ({"consent": None}, 400, "consent"),
        ({"consent": " "}, 400, "a voice is imitated only if its speaker agrees; name the speaker who does"),
        ({"name": "../me"}, 400, "name"),
        ({"engine": "../toy"}, 400, "the engine ../toy is not installed"),
        ({"engine": "mute"}, 400, "does not imitate recordings; choose another engine"),
        ({"engine": "words"}, 400, "this engine needs the words of the recording; write them"),
        ({"language": "fr"}, 400, "choose one of: en-us, de"),
        ({"weights": "big"}, 400, "the weights big are not installed; voxmatrix engines install toy --weights big"),
        ({"file": "0" * 32}, 404, "there is no such file"),
    ],
)
def test_what_cannot_be_cloned_is_said(
    server: Running, good: str, fields: dict[str, Any], status: int, said: str
) -> None:
    reference = 'reference = {seconds = [3, 10], transcript = "optional"}'
    install_engine("mute", **{reference: ""})
    install_engine("words", **{reference: reference.replace("optional", "required")})
    refused = clone(server, **{"file": good, **fields})
    assert refused.status_code == status and said in error_of(refused)["message"]
    assert str(home()) not in refused.text
    assert not (home() / "voices").exists()


def test_a_name_that_is_taken_is_refused(server: Running, good: str) -> None:
    write_toy_voice("me")
    refused = clone(server, good)
    assert (refused.status_code, error_of(refused)["param"]) == (409, "name")
    assert clone(server, good, name="other").status_code == 201


def test_engines_are_listed_with_what_is_missing(server: Running) -> None:
    broken = home() / "engines" / "broken" / "engine.toml"
    broken.parent.mkdir()
    broken.write_text("[engine]\nname = 3\n")
    answer = server.get("/v1/engines")
    engines = {each["name"]: each for each in answer.json()["engines"]}
    assert str(home()) not in answer.text and "engine.name" in engines["broken"]["problem"]
    assert (engines["toy"]["installed"], engines["toy"]["device"], engines["toy"]["command"]) == (True, "cpu", None)
    assert engines["toy"]["reference"] == {"seconds": [3, 10], "transcript": "optional"}
    weights = {each["id"]: each for each in engines["hf"]["weights"]}
    assert not engines["hf"]["installed"]
    assert weights["pocket"]["command"] == "voxmatrix engines install hf --weights pocket"
    toy = {"engine": "toy", "weights": "", "title": "toy", "languages": ["en-us", "de"]}
    assert answer.json()["cloning"] == [{**toy, "seconds": [3, 10], "transcript": "optional"}]
    assert "{name}" in answer.json()["consent"]


def test_in_an_image_it_is_said_which_one_has_the_engine(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(IMAGE_VARIABLE, "cpu")
    (hf,) = (each for each in server.get("/v1/engines").json()["engines"] if each["name"] == "hf")
    for part in (hf, *hf["weights"]):
        assert (part["device"], part["command"]) == (None, None)
        assert part["reasons"][0] == "it cannot be installed in an image: use the image cpu-hf"


def test_the_settings_of_an_engine_are_those_of_its_manifest_and_are_checked(server: Running) -> None:
    write_toy_voice("bell")
    voices = {each["id"]: each for each in server.get("/v1/audio/voices").json()["voices"]}
    assert voices["toy/bell"]["capabilities"]["knobs"] == {
        "pitch": {"title": "Pitch", "default": 1.0, "low": 0.5, "high": 2.0, "integer": False},
        "steps": {"title": "Steps", "default": 2.0, "low": 1.0, "high": 10.0, "integer": True},
    }
    usual = server.speak(voice="toy/bell", seed=1)
    higher = server.speak(voice="toy/bell", seed=1, knobs={"pitch": 1.5, "steps": 3})
    assert usual.status_code == higher.status_code == 200 and usual.content != higher.content
    refused = server.speak(voice="toy/bell", knobs={"steps": 2.5})
    assert (refused.status_code, error_of(refused)["param"]) == (400, "knobs.steps")
    assert "choose a whole number from 1 to 10" in error_of(refused)["message"]
