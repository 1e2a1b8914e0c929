"""Voices are added, renamed, chosen and deleted; the library is searched, and its voices are downloaded by jobs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from tests.bundled import BUNDLED
from tests.kokoro.conftest import kokoro
from tests.loopback import FileServer
from tests.serve.conftest import Running, Serve, copy_voice, eventually
from tests.serve.jobs.conftest import submit, upload, wait_for
from tests.toys.engines import install_engine, write_toy_voice
from tests.voices.hub import FREE, RESTRICTED, hub, path_of
from voxmatrix.config import home
from voxmatrix.voices.resolve import make_default

__all__ = ["hub", "kokoro"]  # fixtures


@pytest.fixture
def free(serve: Serve, voice: Path) -> Running:
    """A server without a fixed default, whose user has the voice `mine`."""
    copy_voice(voice, home() / "voices" / "mine.onnx")
    return serve(voice=None)


def listed(server: Running) -> dict[str, dict[str, Any]]:
    return {voice["id"]: voice for voice in server.get("/v1/voices").json()["voices"]}


def send(server: Running, voice: Path, name: str, cut: int | None = None) -> httpx.Response:
    files = [upload(server, "any.onnx", voice.read_bytes()[:cut])]
    files.append(upload(server, "any.onnx.json", Path(f"{voice}.json").read_bytes()))
    return server.post("/v1/voices", {"files": files, "name": name})


def change(server: Running, voice: str, **fields: Any) -> httpx.Response:
    return httpx.patch(f"{server.url}/v1/voices/{voice}", json=fields, timeout=60)


def test_an_uploaded_voice_speaks_at_once(free: Running, voice: Path) -> None:
    assert send(free, voice, "new").status_code == 201
    found = listed(free)["new"]
    assert (found["title"], found["origin"], found["own"], found["problem"]) == ("new", "trained", True, None)
    assert free.speak(voice="new").status_code == 200
    again = send(free, voice, "new")
    assert (again.status_code, again.json()["error"]["code"]) == (409, "voice_exists")


@pytest.mark.parametrize("cut", [1, 5000])
def test_an_upload_that_is_no_voice_is_refused_and_leaves_nothing(free: Running, voice: Path, cut: int) -> None:
    answer = send(free, voice, "new", cut)
    assert answer.status_code == 400
    assert "any.onnx is corrupt" in answer.json()["error"]["message"]
    assert str(home()) not in answer.text
    assert "new" not in listed(free)
    files = [upload(free, "a.txt", b"a"), upload(free, "b.txt", b"b")]
    assert free.post("/v1/voices", {"files": files, "name": "new"}).status_code == 400
    assert free.post("/v1/voices", {"files": files, "name": "../new"}).status_code == 400
    assert sorted(path.name for path in (home() / "voices").iterdir()) == ["mine.onnx", "mine.onnx.json"]


def test_a_voice_is_renamed_made_the_default_and_deleted(free: Running) -> None:
    assert next(iter(listed(free))) == "en_US-heart-student"  # what was added is not
    assert change(free, "mine", default=True).status_code == 200
    assert next(iter(listed(free))) == "mine"
    assert change(free, "en_US-heart-student", default=True).status_code == 200
    assert free.get("/info").json()["voice"]["name"] == "en_US-heart-student"
    assert change(free, "mine", name="yours", default=True).json() == {"id": "yours"}
    assert next(iter(listed(free))) == "yours"
    assert change(free, "yours", name="../x").status_code == 400
    assert change(free, "nobody", default=True).status_code == 404
    assert change(free, "en_US-heart-student", name="other").status_code == 400
    assert httpx.delete(f"{free.url}/v1/voices/en_US-heart-student").status_code == 400
    assert httpx.delete(f"{free.url}/v1/voices/yours").json() == {"id": "yours", "deleted": True}
    assert set(listed(free)) == set(BUNDLED)
    assert httpx.delete(f"{free.url}/v1/voices/yours").status_code == 404


def test_a_voice_gets_a_title_of_any_letters_and_keeps_its_id(free: Running) -> None:
    assert change(free, "mine", title="Mein Erzähler").json() == {"id": "mine"}
    assert listed(free)["mine"]["title"] == "Mein Erzähler"
    (spoken,) = [each for each in free.get("/v1/audio/voices").json()["voices"] if each["id"] == "mine"]
    assert (spoken["title"], spoken["name"]) == ("Mein Erzähler", "mine")
    refused = change(free, "mine", title="x" * 100)
    assert (refused.status_code, refused.json()["error"]["param"]) == (400, "title")
    assert change(free, "nobody", title="x").status_code == 404
    meant = free.speak(voice="mein erzähler").json()["error"]["message"]
    assert meant.startswith("there is no such voice; did you mean mine? Or choose one of: ")


def test_a_default_that_was_given_is_not_changed(server: Running) -> None:
    assert server.get("/v1/voices").json()["default_is_fixed"]
    assert change(server, "en_US-heart-student", default=True).status_code == 409


def test_what_cannot_be_used_is_listed_with_the_reason(free: Running, voice: Path) -> None:
    short = copy_voice(voice, home() / "voices" / "short.onnx")
    short.write_bytes(short.read_bytes()[:5000])
    (home() / "voices" / "alone.onnx").write_bytes(voice.read_bytes())
    found = listed(free)
    assert found["short"]["problem"] == "it is damaged"
    assert "alone.onnx.json" in found["alone"]["problem"] and str(home()) not in found["alone"]["problem"]
    voices = {each["id"]: each for each in free.get("/v1/audio/voices").json()["voices"]}
    assert voices["short"]["problem"] == "it is damaged" and "alone" not in voices
    assert httpx.delete(f"{free.url}/v1/voices/alone").status_code == 200


def test_a_damaged_voice_is_not_the_default(serve: Serve, voice: Path) -> None:
    first = copy_voice(voice, home() / "voices" / "a.onnx")
    copy_voice(voice, home() / "voices" / "b.onnx")
    first.write_bytes(first.read_bytes()[:5000])
    make_default("a")
    assert serve(voice=None).get("/info").json()["voice"]["name"] == "b"


def test_kokoro_is_deleted_whole_and_its_voices_keep_their_language(free: Running, kokoro: Path) -> None:
    found = listed(free)["kokoro/af_bella"]
    assert (found["title"], found["license"], found["origin"]) == ("Bella", "Apache-2.0", "downloaded")
    refused = change(free, "kokoro/af_bella", name="mine")
    assert refused.status_code == 400
    assert "does not say its language" in refused.json()["error"]["message"]
    assert str(home()) not in refused.text
    assert change(free, "kokoro/af_bella", name="af_mine").json() == {"id": "kokoro/af_mine"}
    assert httpx.delete(f"{free.url}/v1/voices/kokoro").status_code == 200
    assert not kokoro.exists()


def test_a_voice_of_the_library_is_found_downloaded_and_spoken_with(free: Running, hub: FileServer) -> None:
    (found,) = free.get("/v1/library", params={"text": "free"}).json()["voices"]
    assert (found["id"], found["title"], found["language"], found["installed"]) == (FREE, "Free", "en-us", False)
    assert free.get(f"/v1/library/{FREE}").json()["license"] == "CC0"
    done = wait_for(free, submit(free, "download", voice=FREE))
    assert (done["state"], done["result"]["voices"]) == ("done", [FREE])
    assert free.speak(voice=FREE).status_code == 200
    assert free.get("/v1/library", params={"text": "free"}).json()["voices"][0]["installed"]
    assert listed(free)[FREE]["license"] == "CC0"


def test_a_licence_is_accepted_by_the_request(free: Running, hub: FileServer) -> None:
    assert not free.get(f"/v1/library/{RESTRICTED}").json()["permissive"]
    refused = wait_for(free, submit(free, "download", voice=RESTRICTED))
    assert refused["state"] == "failed"
    assert "CC BY-NC-SA 4.0" in refused["error"]["message"]
    assert wait_for(free, submit(free, "download", voice=RESTRICTED, accept_licence=True))["state"] == "done"


def test_a_hub_that_does_not_answer_is_said(free: Running, hub: FileServer) -> None:
    hub.status = 503
    answer = free.get("/v1/library").json()
    assert {voice["family"] for voice in answer["voices"]} == {"kokoro"}
    assert "answers 503" in answer["problem"]
    assert free.get(f"/v1/library/{FREE}").status_code == 424
    assert free.get("/v1/library/nobody").status_code == 404
    assert free.post("/v1/jobs", {"kind": "download", "voice": "--help"}).status_code == 400


def test_pipers_clients_list_and_download(free: Running, hub: FileServer) -> None:
    assert free.get("/all-voices").json()[FREE]["language"]["code"] == "en_US"
    assert free.post("/download", {"voice": FREE, "force_redownload": False}).json() == FREE
    assert FREE in free.get("/voices").json()
    assert free.post("/download", {"voice": RESTRICTED}).status_code == 400
    assert free.post("/download", {"voice": "nobody"}).status_code == 404
    del hub.files[path_of(RESTRICTED, "MODEL_CARD")]
    assert free.post("/download", {"voice": RESTRICTED}).status_code == 404


@pytest.mark.parametrize(
    "ask",
    [
        lambda url, headers: httpx.post(f"{url}/v1/voices", json={}, headers=headers),
        lambda url, headers: httpx.patch(f"{url}/v1/voices/random", json={}, headers=headers),
        lambda url, headers: httpx.delete(f"{url}/v1/voices/random", headers=headers),
        lambda url, headers: httpx.post(f"{url}/download", json={}, headers=headers),
    ],
)
def test_pages_of_other_sites_change_nothing(
    server: Running, ask: Callable[[str, dict[str, str]], httpx.Response]
) -> None:
    answer = ask(server.url, {"Origin": "https://evil.example"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "cross_site")


def open_voices(server: Running) -> set[str]:
    return set(server.services.voices.names)


def test_voices_are_unloaded_by_name_or_all_together(serve: Serve, voice: Path) -> None:
    for name in ("mine", "other"):
        copy_voice(voice, home() / "voices" / f"{name}.onnx")
    server = serve()
    for name in ("mine", "other"):
        assert server.speak(voice=name).status_code == 200
    assert open_voices(server) == {"random_cpu", "mine_cpu", "other_cpu"}
    answer = server.post("/v1/voices/unload", {"voice": "MINE"})
    assert answer.json() == {"unloaded": ["mine"], "unloading": []}
    assert open_voices(server) == {"random_cpu", "other_cpu"}
    assert server.post("/v1/voices/unload", {"voice": "mine"}).json() == {"unloaded": [], "unloading": []}
    everything = httpx.post(f"{server.url}/v1/voices/unload", timeout=60)  # without a body
    assert sorted(everything.json()["unloaded"]) == ["other", "random"] and not open_voices(server)
    assert server.speak(voice="mine").status_code == 200


def test_the_process_of_an_engine_ends_with_its_voices(serve: Serve) -> None:
    install_engine()
    for name in ("bell", "horn"):
        write_toy_voice(name)
    server = serve()
    for name in ("toy/bell", "toy/horn"):
        assert server.speak(voice=name).status_code == 200
    before = [one for one in psutil.Process().children(recursive=True) if "wire.py" in " ".join(one.cmdline())]
    assert before
    answer = server.post("/v1/voices/unload", {"engine": "toy"}).json()
    assert (sorted(answer["unloaded"]), answer["unloading"]) == (["toy/bell", "toy/horn"], [])
    eventually(lambda: not [child for child in before if child.is_running()])
    assert open_voices(server) == {"random_cpu"}
    assert server.speak(voice="toy/bell").status_code == 200


@pytest.mark.parametrize(("field", "said"), [("voice", "no such voice"), ("engine", "no voice is of such an engine")])
def test_what_cannot_be_unloaded_is_said(free: Running, field: str, said: str) -> None:
    answer = free.post("/v1/voices/unload", {field: "gone"})
    assert answer.status_code == 404
    assert said in answer.json()["error"]["message"] and answer.json()["error"]["param"] == field


def test_a_text_tells_its_language_and_the_voice_that_speaks_it(free: Running) -> None:
    def told(text: str) -> dict[str, Any]:
        answer = free.post("/v1/text/language", {"text": text})
        assert answer.status_code == 200
        return dict(answer.json())

    assert told("Buenos días. ¿Cómo está?") == {"language": "es", "voice": "es_ES-dora-student"}
    assert told("Guten Tag, wie geht es Ihnen?") == {"language": "de", "voice": None}
    assert told("") == {"language": None, "voice": None}
    assert free.post("/v1/text/language", {"text": "a" * 10_001}).status_code == 400
