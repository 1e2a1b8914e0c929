"""Kokoro is installed from its release or a folder: whole, or not at all."""

import hashlib
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.kokoro.conftest import write_network, write_styles
from tests.loopback import FileServer, file_server
from tests.serve.conftest import running
from tests.serve.jobs.conftest import upload
from voxmatrix.cli import main
from voxmatrix.cli.parameters.named_voice import voice_named
from voxmatrix.config import home
from voxmatrix.download import RemoteFile
from voxmatrix.errors import BadInputError, DamagedFileError
from voxmatrix.kokoro import install as module
from voxmatrix.kokoro.styles import MAX_IDS, WIDTH, read_styles
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.serve.settings import ServeSettings
from voxmatrix.voices.library import missing, names_of
from voxmatrix.voices.resolve import check_files, installed, rename, resolve


def remote(name: str, content: bytes) -> RemoteFile:
    return RemoteFile(name=name, size=len(content), sha256=hashlib.sha256(content).hexdigest())


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """A release of small files."""
    pack = io.BytesIO()
    voices = {name: np.full((MAX_IDS, 1, WIDTH), mean, np.float32) for name, mean in (("af_heart", 1), ("bm_lewis", 2))}
    np.savez(pack, **voices)
    int8 = write_network(tmp_path / "small" / "int8.onnx").read_bytes()
    exact = write_network(tmp_path / "small" / "exact.onnx", "input_ids").read_bytes()
    real = module.release()
    found = {real.int8.name: int8, real.exact.name: exact, real.voices.name: pack.getvalue()}
    pinned = replace(
        real,
        voices_in_pack=tuple(voices),
        int8=remote(real.int8.name, int8),
        exact=remote(real.exact.name, exact),
        voices=remote(real.voices.name, pack.getvalue()),
    )
    monkeypatch.setattr(module, "release", lambda: pinned)
    return found


@pytest.fixture
def server(files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    monkeypatch.delenv("HF_HUB_OFFLINE")
    with file_server() as server:
        server.files = dict(files)
        yield server


def test_the_public_release_is_pinned() -> None:
    found = module.release()
    assert found.url.startswith("https://")
    assert [file.size for file in (found.int8, found.exact, found.voices)] == [92_361_271, 325_532_387, 28_214_398]
    assert all(len(bytes.fromhex(file.sha256)) == 32 for file in (found.int8, found.exact, found.voices))


def test_one_command_downloads_it_and_its_voices_can_be_named(
    server: FileServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["voices", "download", "kokoro", "--url", server.url]) == 0
    said = capsys.readouterr()
    assert "2 voices: kokoro/af_heart, kokoro/bm_lewis" in said.out
    assert "licence Apache-2.0" in said.err
    assert np.array_equal(read_styles(resolve("kokoro/bm_lewis").path), np.full((MAX_IDS, WIDTH), 2, np.float32))
    assert not (home() / "cache" / "downloads").exists()
    asked = len(server.asked)
    assert main.run(["voices", "download", "kokoro", "--url", server.url, "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["voices"] == ["kokoro/af_heart", "kokoro/bm_lewis"]
    assert len(server.asked) == asked
    assert main.run(["voices", "remove", "kokoro/bm_lewis"]) == 0  # and it comes back, without the network
    assert main.run(["voices", "download", "kokoro/bm_lewis", "--url", server.url]) == 0
    assert "kokoro/bm_lewis" in installed()
    assert [name for name, _ in server.asked[asked:]] == ["voices-v1.0.bin"]


def test_the_exact_network_takes_the_place_of_the_other(server: FileServer) -> None:
    assert main.run(["voices", "download", "kokoro", "--url", server.url, "--exact"]) == 0
    assert resolve("kokoro/af_heart").files[1].name == "kokoro-v1.0.onnx"


@pytest.mark.parametrize("missing", ["voices-v1.0.bin", "kokoro-v1.0.int8.onnx"])
@pytest.mark.parametrize("damage", ["missing", "damaged"])
def test_what_fails_installs_nothing(damage: str, missing: str, server: FileServer) -> None:
    if damage == "missing":
        del server.files[missing]
    else:
        server.files[missing] = server.files[missing][:-1] + b"?"
    assert main.run(["voices", "download", "kokoro", "--url", server.url]) == (3 if damage == "missing" else 9)
    assert not [name for name in installed() if name.startswith("kokoro/")]


def test_a_folder_will_do_without_a_network(files: dict[str, bytes], tmp_path: Path) -> None:
    source = tmp_path / "usb"
    source.mkdir()
    (source / "kokoro-v1.0.int8.onnx").write_bytes(files["kokoro-v1.0.int8.onnx"])
    command = ["voices", "download", "kokoro", "--from", str(source)]
    assert main.run(command) == 3
    write_styles(source / "voices" / "ef_dora.bin", 1.0)
    assert main.run(command) == 0
    assert "kokoro/ef_dora" in installed()
    (source / "voices-v1.0.bin").write_bytes(files["voices-v1.0.bin"])
    assert main.run(command) == 0
    assert "kokoro/bm_lewis" in installed()
    (source / "kokoro-v1.0.int8.onnx").write_bytes(files["kokoro-v1.0.int8.onnx"] + b"?")
    assert main.run(command) == 9


@pytest.mark.parametrize(
    ("words", "code"),
    [(["piper"], 3), (["kokoro", "--url", "file:///etc/passwd"], 2), (["kokoro", "--url", "mirror.example"], 2)],
)
def test_what_cannot_be_downloaded_is_refused(words: list[str], code: int, files: dict[str, bytes]) -> None:
    assert main.run(["voices", "download", *words]) == code


def test_a_folder_without_the_exact_network_is_refused_where_that_is_wanted(
    files: dict[str, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("kokoro-v1.0.int8.onnx", "voices-v1.0.bin"):
        (tmp_path / name).write_bytes(files[name])
    command = ["voices", "download", "kokoro", "--from", str(tmp_path), "--exact"]
    assert main.run(command) == 3
    assert "choose a folder with kokoro-v1.0.onnx, and voices-v1.0.bin" in capsys.readouterr().err
    assert not names_of("kokoro")
    (tmp_path / "kokoro-v1.0.onnx").write_bytes(files["kokoro-v1.0.onnx"])
    assert main.run(command) == 0
    assert main.run([*command, "--url", "https://mirror.example"]) == 2
    assert main.run(["voices", "download", "de_DE-thorsten-medium", "--exact"]) == 2


def test_all_of_kokoro_is_shown_and_whether_it_is_installed(
    server: FileServer, capsys: pytest.CaptureFixture[str]
) -> None:
    def shown(*words: str) -> str:
        capsys.readouterr()
        assert main.run(["voices", *words]) == 0
        return capsys.readouterr().out

    facts = json.loads(shown("show", "kokoro", "--json"))
    assert (facts["name"], facts["installed"], facts["license"]) == ("kokoro", False, "Apache-2.0")
    assert facts["bytes"] and "title" not in facts
    assert main.run(["voices", "download", "kokoro", "--url", server.url]) == 0
    assert json.loads(shown("show", "kokoro", "--json"))["installed"] is True
    said = shown("show", "kokoro")
    assert re.search("size +1 MB", said) and re.search("installed +yes", said) and "True" not in said
    assert re.search("kokoro/af_heart +Heart: en-us, 24000 Hz", shown("list"))


def test_voices_are_removed_one_by_one_or_all(kokoro: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["voices", "remove", "kokoro/af_bella"]) == 0
    assert "kokoro/af_bella" not in installed()
    assert "kokoro/af_heart" in installed()
    assert main.run(["voices", "remove", "kokoro"]) == 0
    assert not kokoro.exists()
    bundled = next(iter(installed()))
    assert main.run(["voices", "remove", bundled]) == 3
    assert "not one of your voices" in capsys.readouterr().err


def test_a_corrupt_voice_can_be_removed(kokoro: Path) -> None:
    broken = home() / "voices" / "broken.onnx"
    broken.write_bytes(b"nothing")
    assert main.run(["voices", "remove", "broken"]) == 0
    assert not broken.exists()


def test_a_name_that_says_no_language_is_refused_and_nothing_renamed(kokoro: Path) -> None:
    with pytest.raises(BadInputError, match="does not say its language"):
        rename("kokoro/af_bella", "mine")
    assert "kokoro/af_bella" in installed()
    assert rename("kokoro/af_bella", "af_mine") == "kokoro/af_mine"


def test_a_kokoro_whose_network_is_truncated_is_told_from_a_whole_one(kokoro: Path) -> None:
    network = kokoro / "kokoro-v1.0.int8.onnx"
    check_files(resolve("kokoro/af_heart"))
    network.write_bytes(network.read_bytes()[:-1])
    with pytest.raises(DamagedFileError, match="corrupt"):
        check_files(resolve("kokoro/af_heart"))


def test_kokoro_is_missing_for_its_voices_and_mixtures_until_it_is_there(kokoro: Path) -> None:
    assert missing("kokoro/af_heart+af_bella") == missing("kokoro/af_sky") == missing("af_heart") == ""
    for voice in (kokoro / "voices").iterdir():
        voice.unlink()
    assert missing("kokoro/af_heart+af_bella") == missing("kokoro/af_sky") == missing("kokoro") == "kokoro"
    assert missing("kokoro/nobody") == missing("kokoro/") == missing("af_heart") == ""


@pytest.mark.parametrize("name", ["kokoro/af_heart", "kokoro/af_heart(2)+bm_lewis"])
def test_naming_a_voice_downloads_kokoro_once(
    name: str, server: FileServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pinned = replace(module.release(), url=server.url)
    monkeypatch.setattr(module, "release", lambda: pinned)
    assert voice_named(name).family == "kokoro"
    assert "licence Apache-2.0" in capsys.readouterr().err
    asked = len(server.asked)
    assert voice_named(name).family == "kokoro"
    with pytest.raises(BadInputError, match="there is no voice"):
        voice_named("kokoro/af_nobody")
    assert len(server.asked) == asked


def test_a_server_without_a_network_takes_the_files_as_uploads(files: dict[str, bytes]) -> None:
    network, _, pack = files
    with running(ServeSettings(port=0, device=DeviceRequest(kind="cpu"), threads=1)) as server:
        ids = {name: upload(server, name, content) for name, content in files.items()}
        other = upload(server, pack, b"another file")
        for wrong, said in (([ids[pack]], "no network"), ([ids[network], other], "not the file of the release")):
            refused = server.post("/v1/library/kokoro", {"files": wrong})
            assert refused.status_code == 400 and said in refused.json()["error"]["message"]
            assert "/tmp" not in refused.text and str(home()) not in refused.text
        assert names_of("kokoro") == []
        answer = server.post("/v1/library/kokoro", {"files": [ids[network], ids[pack]]})
        assert answer.json() == {"voices": ["kokoro/af_heart", "kokoro/bm_lewis"]}
        assert server.get("/v1/audio/voices").json()["voices"][0]["id"] == "en_US-heart-student"  # it stays the default
