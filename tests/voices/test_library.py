"""The library: voices are found, downloaded whole or not at all, and each failure has its own words."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.loopback import FileServer, file_server
from tests.voices.hub import (
    COMMIT,
    FREE,
    RESTRICTED,
    checkpoint_content,
    hub,
    make_checkpoint,
    make_onnx,
    path_of,
    replace_file,
)
from voxmatrix.cli import main
from voxmatrix.config import home
from voxmatrix.errors import BadInputError, DamagedFileError, UnreachableError, UsageError, VoxmatrixError
from voxmatrix.lock import locked
from voxmatrix.piper.files import source_path
from voxmatrix.piper.library import LIBRARY, license_in, parse_index
from voxmatrix.voices.library import install, install_from, search
from voxmatrix.voices.resolve import installed, resolve

__all__ = ["checkpoint_content", "hub", "make_checkpoint", "make_onnx"]  # fixtures


def run(*words: str) -> int:
    return main.run(["voices", *words])


def test_voices_are_found_by_words_and_language(hub: FileServer, capsys: pytest.CaptureFixture[str]) -> None:
    assert {voice.name for voice in search("low")[0]} == {FREE}
    assert {voice.name for voice in search("GERMAN streng")[0]} == {RESTRICTED}
    assert {voice.family for voice in search(language="en")[0]} == {"kokoro", "piper"}
    assert {voice.language for voice in search(language="en_GB")[0]} == {"en-gb"}
    assert run("search", "spanish", "--json") == 0
    found = json.loads(capsys.readouterr().out)["voices"]
    assert [voice["name"] for voice in found] == ["kokoro/ef_dora", "kokoro/em_alex", "kokoro/em_santa"]
    assert [name for name, _ in hub.asked] == ["rhasspy/piper-voices/resolve/main/voices.json"]  # once a day


def test_a_voice_is_downloaded_at_the_commit_of_the_index_and_says_where_it_is_from(
    hub: FileServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("download", FREE) == 0
    said = capsys.readouterr()
    assert "licence CC0" in said.err and "MB" in said.err
    card = resolve(FREE)
    assert (card.license, card.version) == ("CC0", COMMIT[:8])
    assert card.source == f"{hub.url}/rhasspy/piper-voices/tree/{COMMIT}/en/en_US/free/low"
    assert not (home() / "cache" / "downloads" / FREE).exists()
    asked = len(hub.asked)
    assert install(FREE, accepted=False) == [FREE]
    assert path_of(FREE) not in [name for name, _ in hub.asked[asked:]]
    assert run("show", FREE, "--json") == 0
    assert json.loads(capsys.readouterr().out)["license"] == "CC0"
    assert run("remove", FREE) == 0
    assert not list((home() / "voices").iterdir())


def test_a_licence_that_restricts_the_use_has_to_be_accepted(
    hub: FileServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("show", RESTRICTED) == 0
    assert "CC BY-NC-SA 4.0" in capsys.readouterr().out
    assert run("download", RESTRICTED) == 2
    assert "--accept-licence" in capsys.readouterr().err
    assert path_of(RESTRICTED) not in [name for name, _ in hub.asked]
    assert not (home() / "voices").exists()
    assert run("download", RESTRICTED, "--accept-licence") == 0
    assert resolve(RESTRICTED).license == "CC BY-NC-SA 4.0"


def test_on_a_terminal_the_licence_is_shown_and_asked_for(
    hub: FileServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr("typer.confirm", lambda *_, **__: False)
    assert run("download", RESTRICTED) == 2
    assert "## Dataset" in capsys.readouterr().err
    monkeypatch.setattr("typer.confirm", lambda *_, **__: True)
    assert run("download", RESTRICTED) == 0
    kept = json.loads(source_path(resolve(RESTRICTED).path).read_text(encoding="utf-8"))
    assert kept["accepted"] and "CC BY-NC-SA" in kept["model_card"]


def test_a_voice_that_cannot_be_spoken_with_is_not_downloaded(hub: FileServer) -> None:
    config = json.loads(hub.files[path_of(FREE, f"{FREE}.onnx.json")])
    replace_file(hub, FREE, f"{FREE}.onnx.json", json.dumps({**config, "phoneme_type": "pinyin"}).encode())
    with pytest.raises(BadInputError, match="pinyin"):
        install(FREE, accepted=False)
    assert path_of(FREE) not in [name for name, _ in hub.asked]
    assert FREE not in installed()


def test_a_connection_that_is_cut_is_taken_up_again(hub: FileServer) -> None:
    LIBRARY.voices()
    size = len(hub.files[path_of(FREE)])
    hub.cut_after[:] = [10_000, 10_000, 10_000, size // 3, size // 3]
    install(FREE, accepted=False)
    assert resolve(FREE).path.stat().st_size == size
    assert any(wanted for name, wanted in hub.asked if name == path_of(FREE))


def _refuse(code: int) -> Callable[[FileServer], None]:
    return lambda hub: setattr(hub, "status", code)


def _wrong_byte(hub: FileServer) -> None:
    content = hub.files[path_of(FREE)]
    hub.files[path_of(FREE)] = bytes([content[0] ^ 1]) + content[1:]


def _missing(hub: FileServer) -> None:
    del hub.files[path_of(FREE)]


@pytest.mark.parametrize(
    ("spoil", "error", "words"),
    [
        (_wrong_byte, DamagedFileError, "is not the file that was expected"),
        (_missing, BadInputError, "does not exist"),
        (_refuse(401), UnreachableError, "its conditions must be accepted"),
        (_refuse(403), UnreachableError, "its conditions must be accepted"),
        (_refuse(503), UnreachableError, "answers 503"),
    ],
)
def test_each_failure_has_its_own_words_and_nothing_is_half_installed(
    spoil: Callable[[FileServer], None], error: type[VoxmatrixError], words: str, hub: FileServer
) -> None:
    LIBRARY.voices()
    files = dict(hub.files)
    spoil(hub)
    with pytest.raises(error, match=words):
        install(FREE, accepted=False)
    assert not (home() / "voices").exists()
    hub.status, hub.files = None, files
    install(FREE, accepted=False)
    assert FREE in installed()


def test_without_room_nothing_is_downloaded(hub: FileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    with pytest.raises(UnreachableError, match="MiB are needed"):
        install(FREE, accepted=False)
    assert not (home() / "voices").exists()


def test_a_disk_that_fills_up_at_the_end_leaves_nothing_and_the_next_try_installs(
    hub: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    move = shutil.move

    def full(source: Path, target: Path) -> None:
        if source.suffix == ".onnx":
            raise OSError(28, "No space left on device")
        move(source, target)

    monkeypatch.setattr(shutil, "move", full)
    with pytest.raises(UnreachableError, match="No space left"):
        install(FREE, accepted=False)
    assert not list((home() / "voices").iterdir())
    monkeypatch.setattr(shutil, "move", move)
    install(FREE, accepted=False)
    assert FREE in installed()


def test_offline_and_without_a_network_the_way_without_one_is_named(
    hub: FileServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    LIBRARY.voices()
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert run("download", FREE) == 8
    assert "HF_HUB_OFFLINE is set" in capsys.readouterr().err
    monkeypatch.delenv("HF_HUB_OFFLINE")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert run("download", FREE) == 8
    said = capsys.readouterr().err
    assert "cannot download http://127.0.0.1:9/" in said and "voices download NAME --from FOLDER" in said
    (home() / "cache" / "piper-voices.json").unlink()
    found, problem = search()
    assert {voice.family for voice in found} == {"kokoro"}
    assert problem is not None and "Piper's voices are not listed" in problem.problem
    assert run("search", "german", "--json") == 8
    assert json.loads(capsys.readouterr().out) == {"voices": [], "problem": problem.problem}
    assert run("search", "german") == 8
    assert "no voice was found: Piper's voices are not listed" in capsys.readouterr().err
    assert run("search", "heart") == 0  # what was found is listed, with a warning
    said = capsys.readouterr()
    assert "af_heart" in said.out and "warning: Piper's voices are not listed" in said.err


@pytest.mark.parametrize("endpoint", ["file:///etc", "hub.example"])
def test_an_endpoint_is_a_web_address(
    endpoint: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("HF_HUB_OFFLINE")
    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    assert run("download", FREE) == 2
    assert "HF_ENDPOINT is" in capsys.readouterr().err


def test_two_processes_do_not_download_at_once(hub: FileServer) -> None:
    hold = "import sys; from pathlib import Path; from voxmatrix.lock import locked\n"
    hold += "with locked(Path(sys.argv[1]), 'download', ''): print('held', flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", hold, str(home() / "cache" / "downloads")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdout.readline() == b"held\n"
        with pytest.raises(UsageError, match="another download is running"):
            install(FREE, accepted=False)
        other.communicate()
    assert install(FREE, accepted=False) == [FREE]


def test_the_token_goes_to_the_hub_and_nowhere_else(hub: FileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    with file_server() as elsewhere:
        elsewhere.files["blob"] = hub.files[path_of(FREE)]
        config = path_of(FREE, f"{FREE}.onnx.json")
        hub.files["cache"] = hub.files[config]
        hub.moved = {path_of(FREE): f"{elsewhere.url}/blob", config: "/cache"}
        install(FREE, accepted=False)
        assert "cache" in [name for name, _ in hub.asked]
        assert set(hub.keys) == {"Bearer hf_secret"}
        assert elsewhere.keys == [None]


@pytest.mark.parametrize("index", [b"", b"<html>", b"[]", b"3", b'{"a": 1}', b'{"a": {"files": {"../x": {}}}}'])
def test_an_index_that_is_none_is_said(index: bytes, hub: FileServer) -> None:
    hub.files["rhasspy/piper-voices/resolve/main/voices.json"] = index
    found, problem = search()
    assert {voice.family for voice in found} == {"kokoro"}
    assert (problem is None) == (index[:1] == b"{")  # an object with no voice that can be used is an empty list


_KEYS = st.text() | st.sampled_from(["files", "language", "name", FREE])


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
        max_leaves=12,
    )
)  # fmt: skip
def test_any_index_is_read_or_refused(content: object) -> None:
    with suppress(DamagedFileError):
        parse_index(json.dumps(content).encode(), "main")


def test_a_folder_will_do_without_a_network(hub: FileServer, tmp_path: Path) -> None:
    folder = tmp_path / "usb" / "deep"
    folder.mkdir(parents=True)
    with pytest.raises(BadInputError, match=r"has no en_US-free-low\.onnx"):
        install_from(FREE, tmp_path, accepted=False)
    for file in (f"{FREE}.onnx", f"{FREE}.onnx.json", "MODEL_CARD"):
        (folder / file).write_bytes(hub.files[path_of(FREE, file)])
    assert install_from(FREE, tmp_path, accepted=False) == [FREE]
    assert resolve(FREE).license == "CC0"
    whole = (folder / f"{FREE}.onnx").read_bytes()
    (folder / f"{FREE}.onnx").write_bytes(whole[:-1] + b"?")
    with pytest.raises(DamagedFileError, match="not the file of the index"):
        install_from(FREE, tmp_path, accepted=False)
    hub.status = 503
    (home() / "cache" / "piper-voices.json").unlink()
    (folder / f"{FREE}.onnx").write_bytes(whole[:-1])
    with pytest.raises(DamagedFileError, match="corrupt"):
        install_from(FREE, tmp_path, accepted=False)


def test_a_voice_of_the_library_is_downloaded_by_who_speaks_with_it(hub: FileServer, tmp_path: Path) -> None:
    out = tmp_path / "hello.wav"
    assert main.run(["speak", "--voice", FREE, "--text", "Hello.", "--out", str(out)]) == 0
    assert out.stat().st_size > 1000
    assert FREE in installed()
    asked = len(hub.asked)
    assert main.run(["speak", "--voice", "nobody", "--text", "Hello.", "--out", str(out), "--force"]) == 3
    assert main.run(["speak", "--voice", RESTRICTED, "--text", "Hello.", "--out", str(out), "--force"]) == 2
    assert {name for name, _ in hub.asked[asked:]} == {path_of(RESTRICTED, "MODEL_CARD")}


def test_the_program_itself_downloads_a_voice_that_is_named(hub: FileServer, tmp_path: Path) -> None:
    words = ["speak", "--voice", FREE, "--text", "Hello.", "--out", str(tmp_path / "hello.wav")]
    command = [sys.executable, "-m", "voxmatrix_entrypoint", *words]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert f"{FREE}: 6 MB, licence CC0" in done.stderr
    assert (tmp_path / "hello.wav").stat().st_size > 1000


@pytest.mark.parametrize(
    ("words", "permissive"),
    [
        ("CC0", True), ("Public domain", True), ("Apache 2.0", True), ("MIT", True), ("CC BY 4.0", True),
        ("https://creativecommons.org/licenses/by/4.0/", True),
        ("https://creativecommons.org/licenses/by-nc/4.0/", False),
        ("CC BY-SA 4.0", False), ("CC BY-NC-SA 4.0", False), ("See URL", False), ("Unknown", False), ("limited", False),
        ("CC0\n* License: Blizzard 2013, research only", False),
    ],
)  # fmt: skip
def test_a_licence_is_free_only_if_its_words_are_known(words: str, permissive: bool) -> None:
    assert license_in(f"# Model card\n\n## Dataset\n\n* License: {words}\n").permissive is permissive
    assert not license_in("# Model card without one").permissive


def test_the_lock_is_free_again(hub: FileServer) -> None:
    install(FREE, accepted=False)
    with locked(home() / "cache" / "downloads", "download", ""):
        pass
