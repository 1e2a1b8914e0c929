"""`/v1/recordings`: lists, takes, and who tries to get out of them."""

import errno
import io
import os
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import numpy as np
import pytest
import soundfile

from tests.serve.conftest import Running, error_of, raw
from voxmatrix.config import home
from voxmatrix.dataset.find import find
from voxmatrix.serve.recordings.store import TAKE_BYTES

SAMPLES = Path(__file__).parents[3] / "samples" / "en"
TEXTS = [line.partition("|")[2] for line in (SAMPLES / "metadata.csv").read_text(encoding="utf-8").splitlines()]
LIST = "/v1/recordings/Anna/First"


def wav(number: int = 1, **options: Any) -> bytes:
    """A sample as a WAV file."""
    return written(*soundfile.read(SAMPLES / "wavs" / f"en-{number:02}.flac"), **options)


def written(samples: Any, rate_hz: int, **options: Any) -> bytes:
    file = io.BytesIO()
    soundfile.write(file, np.asarray(samples), rate_hz, format="WAV", **options)
    return file.getvalue()


def put(server: Running, number: int | str, body: bytes, path: str = LIST) -> httpx.Response:
    return httpx.put(f"{server.url}{path}/{number}", content=body, timeout=120)


@pytest.fixture
def anna(server: Running) -> Running:
    """A server with a list of three prompts."""
    body = {"profile": "Anna", "name": "First", "language": "en-US", "prompts": TEXTS[:3]}
    assert server.post("/v1/recordings", body).status_code == 201
    return server


def folder() -> Path:
    return home() / "recordings" / "Anna" / "First"


def test_there_is_nothing_at_first_but_bundled_lists(server: Running) -> None:
    answer = server.get("/v1/recordings").json()
    assert answer["lists"] == []
    assert answer["folder"] == "VOXMATRIX_HOME/recordings"
    assert [(each["id"], each["language"], each["prompts"]) for each in answer["bundled"]] == [
        ("en", "en-US", 60),
        ("sv", "sv-SE", 60),
        ("es", "es-ES", 620),
        ("fr", "fr-FR", 620),
    ]


def test_a_bundled_list_begins_a_new_one(server: Running) -> None:
    body = {"profile": "Åsa", "name": "på svenska", "language": "sv-SE", "bundled": "sv"}
    made = server.post("/v1/recordings", body)
    assert made.status_code == 201
    assert made.json()["list"]["prompts"] == 60
    read = server.get(f"/v1/recordings/{quote('Åsa')}/{quote('på svenska')}")
    assert read.json() == made.json()
    assert {prompt["state"] for prompt in read.json()["prompts"]} == {"open"}


def test_takes_land_where_prepare_reads_them(anna: Running) -> None:
    for number in (1, 3):
        answer = put(anna, number, wav(number))
        assert answer.status_code == 200
        prompt = answer.json()["prompt"]
        assert (prompt["number"], prompt["text"], prompt["state"]) == (number, TEXTS[number - 1], "recorded")
        take = prompt["take"]
        assert take["usable"] and 1 < take["seconds"] < 5
        assert len(take["peaks"]) == 48 and take["peak_dbfs"] < 0 and take["noise_dbfs"] < take["speech_dbfs"]
        assert {finding["kind"] for finding in take["findings"]} <= {"low-rate", "cut-off"}
    recordings, problems = find(home() / "recordings", "Anna", "First")
    assert [(item.id, item.text) for item in recordings] == [("0001", TEXTS[0]), ("0003", TEXTS[2])]
    assert not problems
    assert sorted(path.name for path in folder().iterdir()) == [
        "0001.txt", "0001.wav", "0003.txt", "0003.wav", "prompts.json",
    ]  # fmt: skip
    listed = anna.get("/v1/recordings").json()["lists"][0]
    assert (listed["recorded"], listed["usable"], listed["prompts"], listed["skipped"]) == (2, 2, 3, 0)
    assert listed["better"]["seconds"] == 60
    assert listed["trainable"] is False  # there is too little


def test_a_take_is_replaced_read_and_deleted(anna: Running) -> None:
    put(anna, 1, wav(1))
    other = wav(2, subtype="FLOAT")  # with the time in it
    put(anna, 1, other)
    assert anna.get(f"{LIST}/1.wav").content == other
    assert anna.get(f"{LIST}/2.wav").status_code == 404
    for _ in range(2):  # the second time, there is nothing left to delete
        answer = httpx.delete(f"{anna.url}{LIST}/1")
        assert answer.json()["prompt"]["state"] == "open"
    assert [path.name for path in folder().iterdir()] == ["prompts.json"]


def test_takes_that_come_together_are_all_judged(anna: Running) -> None:
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda number: put(anna, number % 3 + 1, wav(number % 2 + 1)), range(12)))
    assert {answer.status_code for answer in answers} == {200}
    assert anna.get(LIST).json()["list"]["recorded"] == 3


def test_a_prompt_is_skipped_until_it_is_recorded(anna: Running) -> None:
    def states() -> list[str]:
        return [prompt["state"] for prompt in anna.get(LIST).json()["prompts"]]

    for number in (1, 2):
        httpx.patch(f"{anna.url}{LIST}/{number}", json={"skipped": True})
    httpx.patch(f"{anna.url}{LIST}/2", json={"skipped": False})
    assert states() == ["skipped", "open", "open"]
    put(anna, 1, wav())
    assert states() == ["recorded", "open", "open"]
    httpx.delete(f"{anna.url}{LIST}/1")
    assert states() == ["open", "open", "open"]


def test_a_list_that_cannot_be_made_is_refused(server: Running) -> None:
    for change, param in (
        ({"profile": "../x"}, "profile"),
        ({"name": "a/b"}, "name"),
        ({"name": ""}, "name"),
        ({"profile": "x" * 300}, "profile"),
        ({"prompts": []}, "prompts"),
        ({"prompts": [" ", "\n"]}, "prompts"),
        ({"prompts": ["x" * 501]}, "prompts"),
        ({"prompts": ["a\0b"]}, "prompts"),
        ({"prompts": ["x"] * 5001}, "prompts"),
        ({"bundled": "../en"}, "bundled"),
        ({"language": "e"}, "language"),
    ):
        body = {"profile": "Anna", "name": "First", "language": "en-US", "prompts": ["A sentence."], **change}
        answer = server.post("/v1/recordings", body)
        assert answer.status_code == 400, change
        assert error_of(answer)["param"] == param, change
    assert not (home() / "recordings").exists()


@pytest.mark.espeak
def test_a_language_that_nobody_can_pronounce_is_refused(server: Running) -> None:
    for language in ("qq", "../../x", "en; x"):
        body = {"profile": "Anna", "name": "First", "language": language, "bundled": "en"}
        assert error_of(server.post("/v1/recordings", body))["param"] == "language"


def test_what_exists_is_not_made_again(anna: Running) -> None:
    body = {"profile": "Anna", "name": " First ", "language": "en-US", "prompts": ["Other."]}
    answer = anna.post("/v1/recordings", body)
    assert (answer.status_code, error_of(answer)["code"]) == (409, "already_exists")
    assert anna.get(LIST).json()["prompts"][0]["text"] == TEXTS[0]


def test_only_lists_are_found(anna: Running) -> None:
    (home() / "prompts.json").write_text('{"language": "en", "prompts": ["x"], "skipped": []}', encoding="utf-8")
    outside = ("..%2f..%2fAnna/First", "%2e%2e/recordings", "Anna/%2e%2e", "Anna/..%5cFirst")
    for path in ("Anna/Nothing", "Nobody/First", *outside, "Anna/a%00b", "Anna/a%ff", "con/con"):
        for answer in (anna.get(f"/v1/recordings/{path}"), put(anna, 1, wav(), f"/v1/recordings/{path}")):
            assert answer.status_code in (404, 405), path
    assert not list(home().rglob("0001*"))


def test_only_numbers_of_prompts_are_taken(anna: Running) -> None:
    for number in ("0", "4", "-1", "x", "99999", "9" * 5000, "1.5", "1.txt", "1%2f..%2f2", "%31e0"):
        assert put(anna, number, wav()).status_code in (400, 404, 405), number
        assert anna.get(f"{LIST}/{number}.wav").status_code in (400, 404), number
    assert [path.name for path in folder().iterdir()] == ["prompts.json"]


def test_links_are_not_followed(anna: Running, tmp_path: Path) -> None:
    secret = tmp_path / "secret.wav"
    secret.write_bytes(wav())
    (folder() / "0001.wav").symlink_to(secret)
    (folder().parent / "Linked").symlink_to(folder())
    (folder().parent.parent / "Linked").symlink_to(folder().parent)
    assert anna.get(f"{LIST}/1.wav").status_code == 404
    assert anna.get("/v1/recordings/Anna/Linked").status_code == 404
    assert anna.get("/v1/recordings/Linked/First").status_code == 404
    assert len(anna.get("/v1/recordings").json()["lists"]) == 1
    assert put(anna, 1, wav(2)).status_code == 200
    assert secret.read_bytes() == wav()


def nan() -> bytes:
    file = io.BytesIO()
    soundfile.write(file, np.array([0.1, np.nan] * 8000), 16_000, format="WAV", subtype="FLOAT")
    return file.getvalue()


def silence(seconds: int) -> bytes:
    file = io.BytesIO()
    soundfile.write(file, np.zeros(8000 * seconds), 8000, format="WAV", subtype="PCM_U8")
    return file.getvalue()


def flac() -> bytes:
    return (SAMPLES / "wavs" / "en-01.flac").read_bytes()


def test_only_a_whole_wav_file_is_taken_and_the_former_take_stays(anna: Running) -> None:
    put(anna, 1, wav(1))
    for what, status, body in (
        ("empty", 415, b""),
        ("start", 415, b"RIFF"),
        ("text", 415, b"not a recording"),
        ("junk", 415, b"RIFF\x24\x00\x00\x00WAVEfmt " + b"\xff" * 200),
        ("looks like MP4", 415, b"RIFFftypWAVE" + b"\0" * 200),
        ("flac", 415, (SAMPLES / "wavs" / "en-01.flac").read_bytes()),
        ("WebM", 415, b"\x1aE\xdf\xa3" + b"\0" * 2000),  # what browsers' own recorders give
        ("no sound", 400, wav()[:44]),
        ("truncated", 400, wav()[:20_000]),
        ("not finite", 400, written([0.1, float("nan")] * 8000, 16_000, subtype="FLOAT")),
        ("too long", 400, written([0.0] * 61 * 8000, 8000, subtype="PCM_U8")),
    ):
        answer = put(anna, 1, body)
        assert answer.status_code == status, what
        error = error_of(answer)
        assert ".part" not in error["message"] and str(home()) not in error["message"]
        assert anna.get(f"{LIST}/1.wav").content == wav(1), what
    assert sorted(path.name for path in folder().iterdir()) == ["0001.txt", "0001.wav", "prompts.json"]


def test_a_minute_at_48_khz_is_taken_and_no_more_than_that_is_read(anna: Running) -> None:
    tone = 0.3 * np.sin(np.arange(60 * 48_000) / 9)
    minute = written(np.stack([tone, tone], axis=1), 48_000, subtype="FLOAT")
    answer = put(anna, 1, minute)
    assert answer.status_code == 200
    assert "too-long" in [finding["kind"] for finding in answer.json()["prompt"]["take"]["findings"]]
    assert anna.get(f"{LIST}/1.wav").content == minute
    head = f"Host: localhost\r\nContent-Length: {TAKE_BYTES + 1}\r\n\r\n"
    assert raw(anna.port, f"PUT {LIST}/1 HTTP/1.1\r\n{head}".encode()).startswith(b"HTTP/1.1 413")
    # Other routes keep their limit.
    head = f"Host: localhost\r\nContent-Length: {TAKE_BYTES}\r\n\r\n"
    for line in (
        f"POST {LIST}/1",
        "POST /v1/audio/speech",
        f"PATCH {LIST}/1",
        "PUT /v1/recordings/1",
        "POST /v1/recordings",
    ):
        assert raw(anna.port, f"{line} HTTP/1.1\r\n{head}".encode()).startswith(b"HTTP/1.1 413")


def test_a_full_disk_is_told_and_the_former_take_stays(anna: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    put(anna, 1, wav(1))

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        for answer in (put(anna, 1, wav(2)), put(anna, 2, wav(2))):
            assert answer.status_code == 507
            assert error_of(answer)["code"] == "insufficient_storage"
            assert "No space left on device" in error_of(answer)["message"]
    assert anna.get(f"{LIST}/1.wav").content == wav(1)
    assert [prompt["state"] for prompt in anna.get(LIST).json()["prompts"]] == ["recorded", "open", "open"]
    assert sorted(path.name for path in folder().iterdir()) == ["0001.txt", "0001.wav", "prompts.json"]


def test_another_sites_page_can_change_nothing(anna: Running) -> None:
    put(anna, 1, wav())
    headers = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    for method, path in (
        ("PUT", f"{LIST}/1"),
        ("DELETE", f"{LIST}/1"),
        ("PATCH", f"{LIST}/1"),
        ("POST", "/v1/recordings"),
    ):
        assert httpx.request(method, anna.url + path, headers=headers).status_code == 403
    assert anna.get(f"{LIST}/1.wav").status_code == 200


def test_a_damaged_list_hides_no_other(anna: Running) -> None:
    for name, content in (("broken", "{"), ("strange", "[]"), ("empty", "{}")):
        (folder().parent / name).mkdir()
        (folder().parent / name / "prompts.json").write_text(content, encoding="utf-8")
    (folder().parent / "other files").mkdir()
    lists = {each["name"]: each["problem"] for each in anna.get("/v1/recordings").json()["lists"]}
    assert lists.pop("First") is None
    assert set(lists) == {"broken", "strange", "empty"} and all("is damaged" in each for each in lists.values())
    answer = anna.get("/v1/recordings/Anna/broken")
    assert answer.status_code == 200 and answer.json()["prompts"] == []
    assert str(home()) not in answer.text


def test_neither_names_nor_texts_are_logged(anna: Running) -> None:
    put(anna, 1, wav())
    anna.requests(2)
    assert "Anna" not in str(anna.lines) and "canoe" not in str(anna.lines)


def test_a_client_that_leaves_while_it_sends_is_no_failure_of_the_server(anna: Running) -> None:
    with socket.create_connection(("127.0.0.1", anna.port), timeout=30) as connection:
        head = f"PUT {LIST}/1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n"
        connection.sendall(head.encode() + b"RIFF")
    facts = anna.requests(2)[1]
    assert facts["ended_by"] == "client"
    assert not [event for event, _ in anna.lines if event == "error"]


@pytest.mark.parametrize("part", [0, 1 / 3, 2 / 3])
@pytest.mark.parametrize("bundled", ["sv", ""])
def test_a_damaged_list_is_shown_with_its_problem_and_its_takes(server: Running, bundled: str, part: float) -> None:
    content = {"bundled": bundled} if bundled else {"prompts": TEXTS[:3]}
    made = server.post("/v1/recordings", {"profile": "Anna", "name": "First", "language": "sv-SE", **content}).json()
    put(server, 2, wav(2))
    path = folder() / "prompts.json"
    path.write_bytes(path.read_bytes()[: round(path.stat().st_size * part)])

    (listed,) = server.get("/v1/recordings").json()["lists"]
    assert "prompts.json is damaged" in listed["problem"] and listed["recorded"] == 1
    assert [facts["problem"] for _, facts in server.lines if "prompts.json" in facts.get("problem", "")]
    shown = server.get(LIST).json()
    prompts = [each["text"] for each in shown["prompts"]]
    texts = [each["text"] for each in made["prompts"]]
    assert prompts[1] == texts[1] and shown["prompts"][1]["state"] == "recorded"
    if bundled:
        assert (shown["list"]["language"], prompts) == ("sv-SE", texts)
    assert server.get(f"{LIST}/2.wav").content == wav(2)

    assert put(server, 1, wav(1)).status_code == 200
    again = server.get(LIST).json()
    assert again["list"]["problem"] is None and again["list"]["recorded"] == 2
    assert [each["text"] for each in again["prompts"]] == prompts


def test_a_list_that_cannot_be_read_now_is_named_and_not_written_anew(
    anna: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(anna, 2, wav(2))
    before, read = (folder() / "prompts.json").read_bytes(), Path.read_bytes

    def failing(self: Path) -> bytes:
        if self.name == "prompts.json":
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(self))
        return read(self)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", failing)
        (listed,) = anna.get("/v1/recordings").json()["lists"]
        assert os.strerror(errno.EIO) in listed["problem"] and listed["recorded"] == 1
        assert anna.get(LIST).status_code == 507
        assert httpx.patch(f"{anna.url}{LIST}/2", json={"skipped": True}).status_code == 507
    assert (folder() / "prompts.json").read_bytes() == before
    (listed,) = anna.get("/v1/recordings").json()["lists"]
    assert (listed["problem"], listed["prompts"], listed["recorded"]) == (None, 3, 1)
