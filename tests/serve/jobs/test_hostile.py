"""What hostile requests and files try with jobs."""

import io
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serve.conftest import Running, Serve, error_of
from tests.serve.jobs.conftest import read, submit, upload, wait_for
from voxmatrix.config import home
from voxmatrix.errors import BadInputError
from voxmatrix.serve.jobs.uploads import unpack_recordings

ID = "0" * 32
SPEECH = {"kind": "speech", "text": "Hello."}
TRAIN = {"kind": "train", "recordings": {"profile": "ann"}}


#: Bodies, and the parameter that the error names.
BAD: list[tuple[dict[str, Any], str | None]] = [
    ({}, None),
    ({"kind": "shell"}, None),
    ({"kind": ["speech"]}, None),
    ({**SPEECH, "text": ""}, "text"),
    ({"kind": "speech"}, "text"),
    ({**SPEECH, "file": ID}, "text"),
    ({**SPEECH, "out": "/etc/passwd"}, "out"),
    ({**SPEECH, "format": "../../wav"}, "format"),
    ({**SPEECH, "speed": "--force"}, "speed"),
    ({**SPEECH, "speed": 1e9}, "speed"),
    ({**SPEECH, "seed": -1}, "seed"),
    ({**SPEECH, "voice": "../random"}, "voice"),
    ({**SPEECH, "voice": "/etc/passwd"}, "voice"),
    ({**SPEECH, "voice": "--text=x"}, "voice"),
    ({**SPEECH, "title": "a\nb"}, "title"),
    ({"kind": "book", "file": "../../etc"}, "file"),
    ({"kind": "book", "file": ID, "chapters": "--out=/x"}, "chapters"),
    ({"kind": "book", "file": ID, "cluster": True}, "cluster"),
    ({"kind": "book"}, "file"),
    ({"kind": "book", "file": ID, "job": ID}, "file"),
    ({"kind": "book", "file": ID, "titles": {"--out": "x"}}, "titles"),
    ({"kind": "book", "file": ID, "titles": {"1": "a\nb"}}, "titles"),
    ({"kind": "book", "file": ID, "lexicon": {"a\nb": "c"}}, "lexicon"),
    ({"kind": "book", "file": ID, "lexicon": {"#a": "b"}}, "lexicon"),
    ({**SPEECH, "lexicon": {"a": "b\nc"}}, "lexicon"),
    ({"kind": "book", "file": ID, "lexicon": {"a": "b\u2028c|d"}}, "lexicon"),
    ({**TRAIN, "recordings": {"profile": ".."}}, "recordings"),
    ({**TRAIN, "recordings": {"profile": "../recordings/ann"}}, "recordings"),
    ({**TRAIN, "recordings": {"profile": "linked"}}, "recordings"),
    ({**TRAIN, "recordings": {"profile": "ann", "list": "--fresh"}}, "recordings"),
    ({**TRAIN, "recordings": {"profile": "ann", "path": "/"}}, "recordings"),
    ({**TRAIN, "device": "cpu --fresh"}, "device"),
    ({**TRAIN, "device": "cuda:0\n"}, "device"),
    ({**TRAIN, "quality": "--out=/x"}, "quality"),
    ({**TRAIN, "language": "-x"}, "language"),
    ({**TRAIN, "batch_size": "8; true"}, "batch_size"),
    ({**TRAIN, "workers": -1}, "workers"),
    ({**TRAIN, "max_steps": 10**30}, "max_steps"),
    ({**TRAIN, "start_from": {"job": "x"}}, "start_from"),
    ({**TRAIN, "start_from": {}}, "job"),
    ({"kind": "export", "job": ID, "name": "../x"}, "name"),
    ({"kind": "export", "job": ID, "name": "-x"}, "name"),
    ({"kind": "benchmark", "what": "train; ls"}, "what"),
    ({"kind": "benchmark", "what": "matmul", "runs": 10**9}, "runs"),
]


def test_a_bad_request_is_refused_and_leaves_nothing(server: Running) -> None:
    (home() / "recordings" / "ann").mkdir(parents=True)
    (home() / "recordings" / "linked").symlink_to("/")
    before = set(server.services.jobs.folder("").iterdir())
    for body, param in BAD:
        answer = server.post("/v1/jobs", body)
        assert answer.status_code == 400, (body, answer.text)
        assert error_of(answer)["param"] == param, body
    assert server.get("/v1/jobs").json() == {"data": [], "has_more": False}
    assert set(server.services.jobs.folder("").iterdir()) == before


@pytest.mark.parametrize(
    "body", [b"[]", b"null", b'{"kind":"speech","text":"\\ud800"}', b"[" * 90_000, b'{"kind":"spee']
)
def test_what_is_no_request_is_refused(server: Running, body: bytes) -> None:
    answer = httpx.post(f"{server.url}/v1/jobs", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    error_of(answer)


def test_values_with_hyphens_stay_values(server: Running) -> None:
    (home() / "recordings" / "--fresh").mkdir(parents=True)
    job = submit(server, "prepare", recordings={"profile": "--fresh"}, title="--help")
    words = server.services.jobs.get(job).work.words
    assert words == ("prepare", str(home() / "recordings" / "--fresh"))
    failed = wait_for(server, job)
    assert (failed["state"], failed["error"]["exit_code"]) == ("failed", 3)
    names = [file["name"] for file in read(server, job)["files"]]
    assert names == [] or server.get(f"/v1/jobs/{job}/files/log.txt").content  # an empty log is no file


def test_an_id_of_another_form_is_one_of_no_job(server: Running) -> None:
    for job in ("nothing", "0" * 31, "0" * 32):
        answer = server.get(f"/v1/jobs/{job}")
        assert (answer.status_code, error_of(answer)["message"]) == (404, "there is no such job")


def test_other_ids_are_no_jobs(server: Running) -> None:
    for job in (ID, "..", "%2e%2e", "uploads", "x" * 5000):
        for path in ("", "/events", "/cancel", "/resume", "/files/x", "/files/../../jobs.sqlite"):
            method = "POST" if path in ("/cancel", "/resume") else "GET"
            answer = httpx.request(method, f"{server.url}/v1/jobs/{job}{path}")
            assert answer.status_code in (400, 404, 405)
            error_of(answer)


def test_only_files_of_the_job_are_sent(server: Running) -> None:
    job = submit(server, "speech", text="Hello.", format="wav")
    wait_for(server, job)
    files = f"{server.url}/v1/jobs/{job}/files"
    for name in ("..%2fjobs.sqlite", "%2fetc%2fpasswd", "input/text.txt", ".lock", "x%2f..%2flog.txt", "speech.wav%00"):
        assert httpx.get(f"{files}/{name}").status_code == 404
    assert httpx.get(f"{files}/speech.wav").status_code == 200
    sound = server.services.jobs.folder(job) / "speech.wav"
    sound.unlink()
    sound.symlink_to("/etc/passwd")
    assert httpx.get(f"{files}/speech.wav").status_code == 404


def test_a_form_of_another_site_starts_no_job(server: Running) -> None:
    body = '{"kind":"speech","text":"x"}'
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        for who, refusal in (({"Origin": "https://evil.example"}, 403), ({"User-Agent": "Mozilla/4.0"}, 400)):
            answer = httpx.post(f"{server.url}/v1/jobs", content=body, headers={"Content-Type": kind, **who})
            assert answer.status_code == refusal, (kind, who)
    foreign = httpx.post(f"{server.url}/v1/files?name=x", content=b"x", headers={"Origin": "https://evil.example"})
    assert foreign.status_code == 403
    assert server.get("/v1/jobs").json()["data"] == []


def test_a_huge_request_is_refused(server: Running) -> None:
    answer = server.post("/v1/jobs", {**SPEECH, "text": "x" * 2**20})
    assert (answer.status_code, error_of(answer)["code"]) == (413, "request_too_large")


def test_jobs_need_a_key_as_everything_does(serve: Serve) -> None:
    from hashlib import sha256

    server = serve(key_digests=frozenset([sha256(b"vx-secret").digest()]))
    for path in ("/v1/jobs", "/v1/files?name=x", "/v1/plan", "/v1/books/inspect"):
        assert server.post(path, SPEECH).status_code == 401
    assert server.get("/v1/jobs").status_code == 401


def test_the_name_of_an_upload_is_made_harmless(server: Running) -> None:
    for name, kept in (
        ("../../x", "x"), ("..\\..\\x.epub", "x.epub"), ("/etc/passwd", "passwd"), ("..", "file"),
        (".hidden", "hidden"),
        ("a\0b\n.txt", "a_b_.txt"), ("--out=x.epub", "--out_x.epub"), ("ö é.epub", "ö é.epub"),
        ("x" * 1000 + ".epub", "x" * 100 + ".epub"),
    ):  # fmt: skip
        identity = upload(server, name, b"content")
        path = server.services.jobs.uploads.get(identity).path
        assert path == server.services.jobs.folder("uploads") / identity / kept
        assert path.read_bytes() == b"content"


def _zip(add: Callable[[zipfile.ZipFile], None]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        add(archive)
    return content.getvalue()


def _link() -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("link.wav")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"no archive", "cannot be unpacked"),
        (_zip(lambda archive: archive.writestr("../x.wav", b"")), "leads out"),
        (_zip(lambda archive: archive.writestr("/x.wav", b"")), "leads out"),
        (_zip(lambda archive: archive.writestr("a/..\\..\\x.wav", b"")), "leads out"),
        (_zip(lambda archive: archive.writestr("C:\\x.wav", b"")), "leads out"),
        (_zip(lambda archive: archive.writestr(_link(), "/etc/passwd")), "not a regular file"),
        (_zip(lambda archive: archive.writestr("bomb.wav", bytes(2**26))), "too much"),
        (_zip(lambda archive: archive.writestr("cut.wav", b"x" * 99))[:-30], "cannot be unpacked"),
    ],
    ids=["text", "parent", "absolute", "backslash", "drive", "link", "bomb", "cut"],
)
def test_a_hostile_archive_is_not_unpacked(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "job").mkdir()
    (tmp_path / "x.zip").write_bytes(content)
    with pytest.raises(BadInputError, match=said):
        unpack_recordings(tmp_path / "x.zip", tmp_path / "job" / "data", lambda: False)
    assert not (tmp_path / "job" / "data").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["job", "x.zip"]
