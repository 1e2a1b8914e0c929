"""A family that nothing above the families knows is searched, downloaded, licensed and removed like those built in."""

import hashlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.loopback import FileServer, file_server
from tests.serve.conftest import Running, running
from tests.serve.jobs.conftest import submit, wait_for
from tests.toys.family import tones, write_voice  # noqa: F401 (a fixture)
from voxmatrix.cli import main
from voxmatrix.config import home
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.serve.settings import ServeSettings
from voxmatrix.voices.library import add
from voxmatrix.voices.resolve import installed, resolve

FREE, RESTRICTED = "tones_bells", "tones_horns"


@pytest.fixture
def shop(tones: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:  # noqa: F811
    """A server with two voices, which is the model hub for everybody: it has none of Piper's."""
    with file_server() as server:
        index = {}
        for name, license in ((FREE, "CC0"), (RESTRICTED, "research only")):
            content = write_voice(tmp_path / "shop" / f"{name}.tones", license=license).read_bytes()
            server.files[f"tones/{name}.tones"] = content
            index[name] = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest(), "license": license}
        server.files["tones/index.json"] = json.dumps(index).encode()
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        monkeypatch.delenv("HF_HUB_OFFLINE")
        yield server


def run(*words: str) -> int:
    return main.run(["voices", *words])


def told(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    """What the command answers as JSON."""
    capsys.readouterr()
    assert run(*words, "--json") == 0
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_its_voices_are_found_with_those_of_others(shop: FileServer, capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys, "search", "american")
    families = {voice["family"] for voice in found["voices"]}
    assert families == {"tones", "kokoro"} and found["problem"].startswith("Piper's voices are not listed")
    (horns,) = told(capsys, "search", "horns")["voices"]
    assert (horns["name"], horns["title"], horns["installed"]) == (RESTRICTED, "Horns", False)


def test_one_whose_list_is_out_of_reach_hides_no_other(shop: FileServer, capsys: pytest.CaptureFixture[str]) -> None:
    shop.status = 503
    found = told(capsys, "search", "heart")
    assert [voice["name"] for voice in found["voices"]] == ["kokoro/af_heart"]
    assert "Toy's voices are not listed" in found["problem"] and "Piper's voices" in found["problem"]


def test_it_is_shown_downloaded_and_removed(shop: FileServer, capsys: pytest.CaptureFixture[str]) -> None:
    facts = told(capsys, "show", FREE)
    assert (facts["license"], facts["permissive"], facts["installed"]) == ("CC0", True, False)

    assert run("download", FREE) == 0
    assert f"licence CC0, from {shop.url}/tones" in capsys.readouterr().err
    assert (resolve(FREE).family, resolve(FREE).license) == ("tones", "CC0")
    assert told(capsys, "show", FREE)["installed"]

    assert run("remove", FREE) == 0
    assert FREE not in installed() and not list((home() / "voices").iterdir())


def test_its_licence_has_to_be_accepted(shop: FileServer, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("download", RESTRICTED) == 2
    assert "research only" in capsys.readouterr().err
    assert RESTRICTED not in installed()
    assert run("download", RESTRICTED, "--accept-licence") == 0
    assert resolve(RESTRICTED).license == "research only"


def test_what_it_lacks_is_refused(shop: FileServer, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("download", "tones_nobody") == 3
    assert "there is no voice 'tones_nobody' to download" in capsys.readouterr().err
    assert run("download", FREE, "--exact") == 2
    assert "leave it out: only Kokoro has two networks" in capsys.readouterr().err


def test_a_damaged_download_is_not_installed(shop: FileServer) -> None:
    shop.files[f"tones/{FREE}.tones"] = shop.files[f"tones/{FREE}.tones"][:-1] + b"?"
    assert run("download", FREE) == 9
    assert FREE not in installed()


def test_a_folder_will_do_without_a_network(shop: FileServer, tmp_path: Path) -> None:
    shop.status = 503
    assert run("download", FREE, "--from", str(tmp_path)) == 3
    assert run("download", FREE, "--from", str(tmp_path / "shop")) == 0
    assert resolve(FREE).license == "CC0"


def test_its_files_are_added_under_another_name(shop: FileServer, tmp_path: Path) -> None:
    add([tmp_path / "shop" / f"{FREE}.tones"], "mine")
    assert resolve("mine").family == "tones"


def test_who_speaks_with_it_downloads_it(shop: FileServer, tmp_path: Path) -> None:
    out = tmp_path / "hello.wav"
    assert main.run(["speak", "--voice", FREE, "--text", "Hello.", "--out", str(out)]) == 0
    assert out.stat().st_size > 1000 and FREE in installed()


@pytest.fixture
def server(shop: FileServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))  # its jobs find the package of the family
    with running(ServeSettings(port=0, device=DeviceRequest(kind="cpu"), threads=1)) as server:
        yield server


def test_the_server_lists_downloads_and_deletes_it(server: Running) -> None:
    (found,) = server.get("/v1/library", params={"text": "bells"}).json()["voices"]
    assert (found["id"], found["family"], found["installed"]) == (FREE, "tones", False)
    assert server.get(f"/v1/library/{FREE}").json()["license"] == "CC0"

    done = wait_for(server, submit(server, "download", voice=FREE))
    assert (done["state"], done["result"]["voices"]) == ("done", [FREE])
    voice = server.get(f"/v1/voices/{FREE}").json()
    assert (voice["family"], voice["license"], voice["own"]) == ("tones", "CC0", True)
    assert server.speak(voice=FREE).status_code == 200
    assert server.get("/v1/library", params={"text": "bells"}).json()["voices"][0]["installed"]

    assert httpx.delete(f"{server.url}/v1/voices/{FREE}", timeout=60).status_code == 200
    assert FREE not in installed()


def test_the_server_asks_for_its_licence(server: Running) -> None:
    assert not server.get(f"/v1/library/{RESTRICTED}").json()["permissive"]
    refused = wait_for(server, submit(server, "download", voice=RESTRICTED))
    assert refused["state"] == "failed" and "research only" in refused["error"]["message"]
    assert wait_for(server, submit(server, "download", voice=RESTRICTED, accept_licence=True))["state"] == "done"
