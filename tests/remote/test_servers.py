"""Servers are added, listed and removed; their voices are voices like all others, in commands, books and the server."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.remote.conftest import RATE_HZ, Stub, encoded, saved, stubbed, whole
from tests.serve.conftest import running
from tests.toys.family import tones, write_voice  # noqa: F401 (a fixture)
from voxmatrix.cli import main
from voxmatrix.config import home
from voxmatrix.errors import BadInputError, DamagedFileError, UsageError
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.remote.servers import RemoteVoice, Server, save_server, servers, with_version
from voxmatrix.serve.settings import ServeSettings
from voxmatrix.voices.resolve import installed, resolve

BOOK = "# One\n\nIt begins. It goes on.\n\n# Two\n\nIt rains. It ends.\n"


def added(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    """The names of the voices of a server that is added."""
    capsys.readouterr()
    assert main.run(["voices", "remote", "add", *words, "--json"]) == 0
    names: list[str] = json.loads(capsys.readouterr().out)["voices"]
    return names


@pytest.mark.parametrize(
    ("listed", "names"),
    [
        ({"voices": ["vivian", "ryan"], "uploaded_voices": [{"name": "me"}]}, ["vivian", "ryan", "me"]),  # vLLM-Omni
        ({"voices": [{"id": "af_heart", "name": "y"}, {"id": "a/b..c ü:1", "name": "x"}]}, ["af_heart", "a/b..c ü:1"]),
        ({"object": "list", "data": [{"id": "af_heart", "name": "Heart"}]}, ["af_heart"]),
    ],
)  # fmt: skip
def test_voices_of_both_shapes_are_listed_and_speak(
    listed: Any, names: list[str], stub: Stub, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    stub.voices = listed
    assert added(capsys, "there", stub.url.removesuffix("/v1")) == [f"remote:there/{name}" for name in names]

    for name in names:
        out = tmp_path / "out.wav"
        words = ["--voice", f"remote:there/{name}", "--text", "It rains.", "--out", str(out), "--force"]
        assert main.run(["speak", *words]) == 0
        assert stub.bodies[-1]["voice"] == name and out.stat().st_size > 1000
    assert set(installed()) >= {f"remote:there/{name}" for name in names}
    folder = home() / "voices" / "remote" / "there"
    assert {resolve(f"remote:there/{name}").path.parent for name in names} == {folder}

    assert main.run(["voices", "remote", "list"]) == 0
    assert stub.url in capsys.readouterr().out
    assert main.run(["voices", "remote", "remove", "there"]) == 0
    assert not [name for name in installed() if name.startswith("remote:")] and not servers()


def test_what_a_server_says_of_its_voices_is_kept(stub: Stub, capsys: pytest.CaptureFixture[str]) -> None:
    stub.voices = {"voices": [{"id": "a", "language": "de", "rate_hz": 16000}, {"id": "b", "language": None}]}
    added(capsys, "there", stub.url, "--language", "fr-fr")
    facts = [(card.language, card.rate_hz) for card in map(resolve, ("remote:there/a", "remote:there/b"))]
    assert facts == [("de", 16000), ("fr-fr", 24000)]


def test_kokoros_names_say_their_language_and_no_other_text_is_changed(
    stub: Stub, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    said = {
        "ef_dora": "Tengo veinticinco libros de mil novecientos noventa y nueve.",
        "ff_siwis": "Tengo vingt-cinq libros de mille neuf cent quatre-vingt-dix-neuf.",
        "nova": "Tengo 25 libros de 1999.",
        "if_you_like": "Tengo venticinque libros de mille novecento novantanove.",
    }
    languages = {"ef_dora": "es", "ff_siwis": "fr-fr", "nova": "", "if_you_like": "it"}
    stub.voices = {"voices": [*said, "jf_alpha", "zm_yunxi", "xf_nobody"]}
    added(capsys, "there", stub.url)

    for voice, text in said.items():
        words = [f"--voice=remote:there/{voice}", "--text", "Tengo 25 libros de 1999.", f"--out={tmp_path}/{voice}.wav"]
        assert main.run(["speak", *words]) == 0
        assert (stub.bodies[-1]["input"], resolve(f"remote:there/{voice}").language) == (text, languages[voice])
    others = [resolve(f"remote:there/{voice}").language for voice in ("jf_alpha", "zm_yunxi", "xf_nobody")]
    assert others == ["ja", "cmn", ""]

    assert main.run(["voices", "remote", "add", "there", stub.url]) == 0
    assert "the language of 2 voices is not known (nova, xf_nobody)" in capsys.readouterr().err
    added(capsys, "there", stub.url, "--language", "sv")
    assert resolve("remote:there/ef_dora").language == resolve("remote:there/nova").language == "sv"


def test_a_server_without_a_list_needs_names(stub: Stub, capsys: pytest.CaptureFixture[str]) -> None:
    stub.voices = None
    assert main.run(["voices", "remote", "add", "there", stub.url]) == 2
    assert "name them with --voice" in capsys.readouterr().err
    assert added(capsys, "there", stub.url, "--voice", "nova") == ["remote:there/nova"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["there", "ftp://host"], 2, "ftp://host"),
        (["there", "http://me:secret@host"], 2, "http://…@host"),
        (["there", "http://me:sec/secret@host"], 2, "http://…@host"),
        (["there", "http://host:port"], 2, "http://host:port"),
        (["there", "http://ho st"], 2, "http://ho st"),
        (["The/re", "URL"], 2, "the name of the server"),
        (["there", "URL", "--format", "tape"], 2, "--format is 'tape'"),
        (["there", "URL", "--format", "pcm"], 2, "--rate"),
        (["there", "http://127.0.0.1:9"], 8, "cannot be reached"),
        (["there", "URL", "--key-file", "nowhere"], 3, "cannot read"),
    ],
)
def test_what_cannot_be_added_is_said_and_nothing_is_kept(
    words: list[str], code: int, said: str, stub: Stub, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [stub.url if word == "URL" else word for word in words]
    assert main.run(["voices", "remote", "add", *given]) == code
    shown = capsys.readouterr().err
    assert said in shown and "secret" not in shown
    assert not (home() / "remotes.toml").exists() and not (home() / "voices" / "remote").exists()


def test_a_server_that_is_added_is_asked_once_and_may_be_asked_for_longer_later(stub: Stub) -> None:
    words = ["voices", "remote", "add", "there", stub.url, "--retry", "30"]
    stub.queue = [whole(b"starting", status=503)]
    assert main.run(words) == 8
    assert len(stub.bodies) == 1
    assert main.run(words) == 0
    assert servers()["there"].retry_seconds == 30.0


def test_the_file_of_servers_is_private_and_says_what_is_wrong(stub: Stub) -> None:
    path = saved(stub, key="sk-a-secret")
    file = home() / "remotes.toml"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.write_text('[there]\nurl = "http://host/v1"\nkeys = "x"\n')
    with pytest.raises(UsageError, match=r"\[there\]"):
        servers()
    file.write_text("[there\n")
    with pytest.raises(UsageError, match="not valid TOML"):
        servers()
    file.unlink()
    with pytest.raises(BadInputError, match="no server 'there'"):
        resolve("remote:there/nobody")
    path.write_text('voice = "alloy"\n')
    with pytest.raises(DamagedFileError, match="no file of a remote voice"):
        resolve(path)


@given(
    path=st.text("abc-_~%./", max_size=40),
    voice=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20),
    key=st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
)
def test_every_name_and_key_is_read_as_it_was_written(path: str, voice: str, key: str) -> None:
    server = Server(url=f"https://host/{path}", key=key)
    known = RemoteVoice(server="there", voice=voice, model=key, rate_hz=RATE_HZ, language="en-us")
    save_server("there", server, [known])
    assert servers() == {"there": server}
    if known.path().exists():
        assert RemoteVoice.read(known.path()) == known
        assert resolve(f"remote:there/{voice}").path == known.path()


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("http://host:8880", "http://host:8880/v1"),
        ("http://host/v1/", "http://host/v1"),
        ("https://host/proxy/v2", "https://host/proxy/v2"),
        ("https://host/v1x", "https://host/v1x/v1"),
    ],
)
def test_the_version_of_the_api_is_added(given: str, url: str) -> None:
    assert with_version(given) == url


def units(out: Path) -> list[dict[str, Any]]:
    made = json.loads(out.with_name("book.manifest.json").read_text())
    assert made["complete"]
    found: list[dict[str, Any]] = made["units"]
    return found


def test_a_book_goes_on_where_its_server_was_killed(
    stub: Stub, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def die(handler: Any) -> None:
        stub.dead = True

    (tmp_path / "key").write_text("sk-a-secret")
    (tmp_path / "book.md").write_text(BOOK)
    stub.key = "sk-a-secret"
    (name,) = added(capsys, "there", stub.url, "--key-file", str(tmp_path / "key"), "--parallel", "1")
    out = tmp_path / "book.m4b"
    words = ["book", str(tmp_path / "book.md"), "--voice", name, "--out", str(out), "--parallel-voices", "1"]
    words += ["--judge", "none"]
    stub.bodies.clear()
    stub.queue = [whole(encoded("One")), whole(encoded("It begins.")), die]

    assert main.run(words) == 8
    assert "does not answer to the end" in capsys.readouterr().err and not out.exists()

    stub.dead = False
    assert main.run(words) == 0
    asked = [body["input"] for body in stub.bodies]
    assert len(units(out)) == 6 and asked[:2] == ["One", "It begins."] and len(asked) <= 6 + 2
    assert asked.count("One") == 1
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "key"]
    assert not [path for path in kept if b"sk-a-secret" in path.read_bytes()]


def test_it_is_not_sent_to_other_computers(stub: Stub, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "book.md").write_text(BOOK)
    saved(stub)
    words = ["--voice", "remote:there/alloy", "--cluster", "redis://127.0.0.1:9/0", "--out", str(tmp_path / "b.m4b")]
    assert main.run(["book", str(tmp_path / "book.md"), *words]) in (2, 3)
    assert "remote:there/alloy" in capsys.readouterr().err


def test_another_voxmatrix_is_a_server(tones: None, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:  # noqa: F811
    voice = write_voice(tmp_path / "bells.tones")
    settings = ServeSettings(voice=voice, port=0, device=DeviceRequest(kind="cpu"), threads=1)
    (tmp_path / "book.md").write_text(BOOK)
    with running(settings) as server:
        assert "remote:here/bells" in added(capsys, "here", server.url)
        card = resolve("remote:here/bells")
        assert (card.rate_hz, card.language) == (12000, "en-us")
        out = tmp_path / "book.m4b"
        words = ["--voice", card.id, "--out", str(out), "--judge", "none"]
        assert main.run(["book", str(tmp_path / "book.md"), *words]) == 0
    assert [unit["rate_hz"] for unit in units(out)] == [12000] * 6
    origin = json.loads(out.with_name("book.manifest.json").read_text())["voice"]
    assert (origin["name"], origin["server"], origin["model"]) == ("bells.toml", "here", "tts-1")


def test_openais_names_mean_no_voice_of_another_server(stub: Stub, tones: None, tmp_path: Path) -> None:  # noqa: F811
    saved(stub)
    voice = write_voice(tmp_path / "bells.tones")
    with running(ServeSettings(voice=voice, port=0, device=DeviceRequest(kind="cpu"), threads=1)) as server:
        names = [voice["id"] for voice in server.get("/v1/audio/voices").json()["voices"]]
        said = server.speak(voice="alloy")
    assert "remote:there/alloy" in names and said.status_code == 200 and not stub.bodies


def test_a_server_speaks_with_the_voices_of_another(stub: Stub, tmp_path: Path) -> None:
    with stubbed() as other:
        path = saved(other)
        with running(ServeSettings(voice=path, port=0, device=DeviceRequest(kind="cpu"), threads=1)) as server:
            listed = server.get("/v1/audio/voices").json()["voices"][0]
            said = server.speak(voice="remote:there/alloy")
            other.queue = [whole(b'{"error": "wrong key"}', "application/json", 401)]
            failed = server.speak(voice="remote:there/alloy", input="Once more.")
    assert (listed["id"], listed["rate_hz"]) == ("remote:there/alloy", RATE_HZ)
    assert said.status_code == 200 and len(said.content) > 10_000
    assert failed.status_code >= 500
